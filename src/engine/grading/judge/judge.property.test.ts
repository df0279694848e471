import fc, { type GeneratorValue } from "fast-check";
import { expect, test } from "vitest";
import { propertyRuns } from "../../../../test/property-runs.ts";
import type { Check } from "../../../core/checks/check.ts";
import type { Trait } from "../../../core/templates/rubric.ts";
import type { FieldOptions, FieldType, ScalarType, TemplateField } from "../../../core/templates/template.ts";
import { truthFrom } from "../../../core/templates/template.ts";
import { judgePlans, plannedRequest, repairRequest } from "./judge-request.ts";

const MARKER = "k3J9xQ2mZ81LpVt7";

/** Hands out texts and numbers that occur nowhere else, and remembers them. */
class Secrets {
  readonly texts: string[] = [];

  text(): string {
    const text = `SECRET${this.texts.length}SECRET`;
    this.texts.push(text);
    return text;
  }

  number(): number {
    const number = 770_000_000_000 + this.texts.length * 1_000_003;
    this.texts.push(String(number));
    return number;
  }
}

const plain = fc.constantFrom<ScalarType>(
  { type: "boolean" },
  { type: "string" },
  { type: "integer" },
  { type: "number" },
  { type: "date" },
  { type: "enum", values: ["visible", 7] },
);
const fieldType = fc.oneof(
  plain,
  plain.map((items): FieldType => ({ type: "array", items })),
);
const words = fc.lorem({ maxCount: 4 });

function anyCheck(g: GeneratorValue, secrets: Secrets): Check {
  const makers: readonly (() => Check)[] = [
    () => ({ type: "contains_any", substrings: [secrets.text()] }),
    () => ({ type: "regex_match", pattern: secrets.text() }),
    () => ({ type: "one_of", values: [secrets.text()] }),
    () => ({ type: "exact_match", normalize: [{ synonyms: { [secrets.text()]: secrets.text() } }] }),
    () => ({ type: "numeric_range", min: secrets.number(), max: secrets.number() }),
    () => ({ type: "date_match", format: `yyyy '${secrets.text()}'` }),
    () => ({ type: "trace_contains", substring: secrets.text() }),
  ];
  return g(fc.constantFrom, ...makers)();
}

function anyField(g: GeneratorValue, secrets: Secrets): TemplateField {
  const truths: readonly (() => FieldOptions["truth"])[] = [
    () => secrets.text(),
    () => secrets.number(),
    () => [secrets.text(), secrets.number()],
    () =>
      truthFrom(secrets.text(), {
        cases: { [secrets.text()]: { truth: secrets.text(), check: anyCheck(g, secrets) } },
        otherwise: secrets.text(),
      }),
  ];
  return {
    ...g(() => fieldType),
    description: g(() => words),
    truth: g(fc.constantFrom, ...truths)(),
    ...(g(fc.boolean) ? { check: anyCheck(g, secrets) } : {}),
    ...(g(fc.boolean) ? { weight: secrets.number() } : {}),
    ...(g(fc.boolean) ? { hint: g(() => words) } : {}),
    ...(g(fc.boolean) ? { evidence: true } : {}),
    ...(g(fc.boolean)
      ? { extract: { type: "aliases", values: { [secrets.text()]: [secrets.text()] } } }
      : {}),
  };
}

function anyTrait(g: GeneratorValue, secrets: Secrets, name: string): Trait {
  const makers: readonly (() => Trait)[] = [
    () => ({ type: "llm", kind: "boolean", name, description: g(() => words), includeReference: false }),
    () => ({ type: "llm", kind: "score", name, min: 0 }),
    () => ({ type: "llm", kind: "literal", name, classes: { low: g(() => words), high: "" } }),
    () => ({ type: "metric", name, expected: [g(() => words)], metrics: ["recall"] }),
    () => ({ type: "regex", name: secrets.text(), pattern: secrets.text() }),
    () => ({ type: "function", name: secrets.text(), evaluate: `() => "${secrets.text()}"` }),
  ];
  return g(fc.constantFrom, ...makers)();
}

/** What is asked, with secrets where no judge may see them. */
function anyParts(g: GeneratorValue, secrets: Secrets): Parameters<typeof judgePlans>[0] {
  const names = g(() => fc.uniqueArray(fc.string({ maxLength: 8 }), { maxLength: 5 }));
  return {
    template: {
      fields: Object.fromEntries(names.map((name) => [name, anyField(g, secrets)])),
      verify: `() => "${secrets.text()}"`,
    },
    traits: names.map((name) => anyTrait(g, secrets, name)),
    refusal: g(fc.boolean),
  };
}

test("no truth, check, weight or rule can occur in a request", () => {
  let asked = 0;
  fc.assert(
    fc.property(fc.gen(), (g) => {
      const secrets = new Secrets();
      const parts = anyParts(g, secrets);
      const [question, reply] = [g(() => words), g(fc.string)];
      for (const judging of ["together", "separate"] as const) {
        const requests = judgePlans(parts, judging).map((plan) =>
          plannedRequest(plan, { question, reply, rawAnswer: secrets.text(), marker: MARKER }),
        );
        const repairs = requests.map((request) => repairRequest(request, { text: "?" }, "- wrong"));
        const sent = JSON.stringify([...requests, ...repairs]);
        expect(secrets.texts.filter((text) => sent.includes(text))).toEqual([]);
        asked += requests.reduce((sum, { task }) => sum + task.fields.length + task.traits.length, 0);
      }
    }),
    // Looking for a smaller example among generated values of this kind does not come to an end.
    { numRuns: propertyRuns(500), endOnFailure: true },
  );
  // The test above would also pass if nothing were ever asked for.
  expect(asked).toBeGreaterThan(1000);
});

test("a reply stands in its request byte by byte, between the only two lines that fence it", () => {
  const marker = fc.constantFrom(MARKER, "a".repeat(16));
  const piece = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom("\n", "\r\n", "a".repeat(17), MARKER, "</reply-", "<reply-", ">", "-", "0", "1"),
  );
  const reply = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(marker, reply, reply, (start, text, question) => {
      const [plan] = judgePlans({ traits: [], refusal: true }, "together");
      const input = { question, reply: text, rawAnswer: "", marker: start };
      const request = plannedRequest(plan as NonNullable<typeof plan>, input);
      const content = request.messages[0]?.content ?? "";
      const [opening, closing] = [`<reply-${request.marker}>`, `</reply-${request.marker}>`];
      expect(content.split(opening)).toHaveLength(2);
      expect(content.split(closing)).toHaveLength(2);
      const from = content.indexOf(`\n${opening}\n`) + opening.length + 2;
      expect(content.slice(from, content.indexOf(`\n${closing}\n`))).toBe(text);
    }),
  );
});
