import fc from "fast-check";
import { expect, test } from "vitest";
import type { Check } from "../../../core/checks/check.ts";
import type { Question } from "../../../core/scenario/definition.ts";
import { INITIAL_STATE } from "../../../core/state/state.ts";
import { judgedFields, type TemplateField } from "../../../core/templates/template.ts";
import { frozenCopy } from "../../../core/values/frozen-copy.ts";
import { extractFields } from "../../grading/reading/extract-value.ts";
import { verifyParsed } from "../../grading/verify/verify-parsed.ts";
import type { CallContext } from "../model.ts";
import { simulatedModel } from "./simulated-model.ts";
import { scriptsFor } from "./simulated-text.ts";

const description = "what is asked for";
const word = fc.stringMatching(/^[a-z]{3,9}$/);
const words = fc.uniqueArray(word, { minLength: 2, maxLength: 4 });

const letter = fc
  .record({ values: fc.subarray(["A", "B", "C", "D", "E"], { minLength: 2 }), at: fc.nat() })
  .map(
    ({ values, at }): TemplateField => ({
      type: "enum",
      values,
      description,
      truth: values[at % values.length] as string,
      extract: { type: "letter" },
    }),
  );
const numberCheck: fc.Arbitrary<Check | undefined> = fc.constantFrom<Check | undefined>(
  undefined,
  { type: "numeric_tolerance", tolerance: 0.05 },
  { type: "numeric_tolerance", tolerance: 3, mode: "absolute" },
  { type: "numeric_minimum" },
  { type: "numeric_maximum", exclusive: true },
  { type: "numeric_range", min: 10, max: 20 },
);
const integer = fc.record({ truth: fc.integer({ min: 2, max: 5_000 }), check: numberCheck }).map(
  ({ truth, check }): TemplateField => ({
    type: "integer",
    description,
    truth,
    extract: { type: "number" },
    ...(check === undefined ? {} : { check }),
  }),
);
const pattern = fc.record({ label: word, truth: fc.stringMatching(/^[A-Z]\d{2}$/) }).map(
  ({ label, truth }): TemplateField => ({
    type: "string",
    description,
    truth,
    extract: { type: "regex", pattern: `(?i:${label})(?: is|:)\\s+([A-Z]\\d+)` },
  }),
);
const aliases = words.map(
  (names): TemplateField => ({
    type: "string",
    description,
    truth: names[0] as string,
    extract: { type: "aliases", values: Object.fromEntries(names.map((name) => [name, [`${name} town`]])) },
  }),
);
const stance = fc
  .boolean()
  .map((truth): TemplateField => ({ type: "boolean", description, truth, extract: { type: "stance" } }));
const day = fc
  .date({ min: new Date("1900-01-01"), max: new Date("2100-01-01"), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));
const date = fc.record({ truth: day, named: fc.boolean() }).map(
  ({ truth, named }): TemplateField => ({
    type: "date",
    description,
    truth,
    extract: { type: "regex", pattern: named ? "\\d{1,2} [A-Z][a-z]+ \\d{4}" : "\\d{4}-\\d{2}-\\d{2}" },
  }),
);
const judged = fc.oneof(
  words.map((values): TemplateField => ({ type: "enum", values, description, truth: values[1] as string })),
  fc.boolean().map((truth): TemplateField => ({ type: "boolean", description, truth })),
  word.map((truth): TemplateField => ({ type: "string", description, truth })),
  fc
    .double({ min: -1e6, max: 1e6, noNaN: true })
    .map((truth): TemplateField => ({ type: "number", description, truth })),
  day.map((truth): TemplateField => ({ type: "date", description, truth })),
  words.map((truth): TemplateField => ({ type: "array", items: { type: "string" }, description, truth })),
  words.map(
    (substrings): TemplateField => ({
      type: "string",
      description,
      truth: null,
      check: { type: "contains_all", substrings },
    }),
  ),
);
const oneField = fc.oneof(letter, integer, pattern, aliases, stance, date);
const rawAnswer = fc.oneof(fc.constant(""), fc.lorem({ maxCount: 5 }));

function questionOf(fields: Readonly<Record<string, TemplateField>>, raw: string): Question {
  return frozenCopy({ question: "Which?", rawAnswer: raw, template: { fields } }, () => {}) as Question;
}

function contextAt(turn: number, replicate: number): CallContext {
  const signal = new AbortController().signal;
  const place = { scenario: "s", conversation: `s/${replicate}`, node: "ask" };
  return { signal, purpose: "subject", ...place, turn, replicate, seed: replicate * 31 + turn };
}

async function replyOf(reference: string, question: Question, context: CallContext): Promise<string> {
  const request = { messages: [{ role: "user", content: question.question }] } as const;
  return (await simulatedModel(reference).simulate(request, context, { question, state: INITIAL_STATE }))
    .text;
}

/** The verdict with the values that rules read, and nothing else. */
function verdictOf(question: Question, reply: string) {
  const { template } = question;
  if (template === undefined) throw new Error("a template was given");
  const read = Object.entries(extractFields(template, reply)).map(([name, { value }]) => [name, value]);
  return verifyParsed(template, Object.fromEntries(read), { reply }).verifyResult;
}

const call = { turn: fc.integer({ min: 1, max: 6 }), replicate: fc.integer({ min: 1, max: 100 }) };

test("with one field that a rule reads, right is read as right and wrong as wrong, whatever the wording", async () => {
  await fc.assert(
    fc.asyncProperty(fc.record({ field: oneField, rawAnswer, ...call }), async (given) => {
      const question = questionOf({ value: given.field }, given.rawAnswer);
      const context = contextAt(given.turn, given.replicate);
      for (const [reference, verdict] of [
        ["sim/steadfast", true],
        ["sim/stubborn", false],
      ] as const) {
        const reply = await replyOf(reference, question, context);
        expect([reply, verdictOf(question, reply)]).toEqual([reply, verdict]);
      }
      const silence = await replyOf("sim/silent", question, context);
      expect([silence, verdictOf(question, silence)]).toEqual([silence, null]);
    }),
    { numRuns: 100 },
  );
});

test("with several fields, the verdict is the intended one wherever some wording has it", async () => {
  let sound = 0;
  let all = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.record({ fields: fc.array(oneField, { minLength: 2, maxLength: 3 }), rawAnswer, ...call }),
      async (given) => {
        const fields = Object.fromEntries(given.fields.map((field, index) => [`part_${index + 1}`, field]));
        const question = questionOf(fields, given.rawAnswer);
        for (const right of [true, false]) {
          all++;
          const script = scriptsFor(question)?.script({ right, proposed: [], state: INITIAL_STATE });
          if (script?.isSound !== true) continue;
          sound++;
          const reference = right ? "sim/steadfast" : "sim/stubborn";
          const reply = await replyOf(reference, question, contextAt(given.turn, given.replicate));
          expect([reply, verdictOf(question, reply)]).toEqual([reply, right]);
        }
      },
    ),
    { numRuns: 40 },
  );
  // Two fields whose rules look at the same words cannot both be met; most can.
  expect(sound / all).toBeGreaterThan(0.6);
});

test("with fields that a judge reads, there is a right and a wrong answer, and the text states it", async () => {
  await fc.assert(
    fc.property(
      fc.record({ fields: fc.array(judged, { minLength: 1, maxLength: 3 }), rawAnswer }),
      (given) => {
        const fields = Object.fromEntries(given.fields.map((field, index) => [`part_${index + 1}`, field]));
        const question = questionOf(fields, given.rawAnswer);
        if (question.template === undefined) throw new Error("a template was given");
        expect(Object.keys(judgedFields(question.template))).toHaveLength(given.fields.length);
        for (const right of [true, false]) {
          const script = scriptsFor(question)?.script({ right, proposed: [], state: INITIAL_STATE });
          expect(script?.isSound).toBe(true);
          const text = script?.say({ manner: "first", opening: 0, body: 0, closing: 0 }) ?? "";
          const [only] = given.fields;
          if (right && given.fields.length === 1 && typeof only?.truth === "string") {
            expect(text.toLowerCase()).toContain(only.truth);
          }
        }
      },
    ),
    { numRuns: 100 },
  );
});

test("the truth reaches a simulated subject by its own channel alone", async () => {
  const secret = "Xanadu-77";
  const field: TemplateField = { type: "string", description, truth: secret };
  const question = questionOf({ city: field }, `It is ${secret}.`);
  const seen: unknown[] = [];
  const watch = <Value extends object>(value: Value): Value =>
    new Proxy(value, {
      get(target, key) {
        const found: unknown = Reflect.get(target, key);
        seen.push(found);
        return found;
      },
    });
  const request = watch({ messages: [{ role: "user", content: question.question }] as const });
  const context = watch(contextAt(1, 1));
  const model = simulatedModel("sim/steadfast");
  const { text } = await model.simulate(request, context, { question, state: INITIAL_STATE });
  expect(text).toContain(secret);
  expect(seen.length).toBeGreaterThan(3);
  expect(JSON.stringify([seen, model])).not.toContain(secret);
  expect("reply" in model).toBe(false);
});
