import { expect, test } from "vitest";
import { INITIAL_STATE } from "../core/state/state.ts";
import type { TemplateField } from "../core/templates/template.ts";
import { truthFrom } from "../core/templates/truth-from.ts";
import { expectedText } from "./expected-text.ts";

const BEFORE = { ...INITIAL_STATE, parsed: { letter: "A" } };

function expected(field: Omit<TemplateField, "description">): string | null {
  // Some field of the type that a row names.
  const fields = { it: { description: "", ...field } as TemplateField };
  return expectedText({ question: "", rawAnswer: "", template: { fields } }, "it", BEFORE);
}

test.each<[Omit<TemplateField, "description">, string | null]>([
  [{ type: "string", truth: "Canberra" }, '"Canberra"'],
  [{ type: "boolean", truth: false }, "false"],
  [{ type: "number", truth: 3, check: { type: "numeric_minimum" } }, "≥ 3"],
  [{ type: "array", items: { type: "string" }, truth: ["a", "b"] } as never, 'has exactly ["a","b"]'],
  [
    { type: "string", truth: null, check: { type: "contains_any", substrings: ["x", "y"] } },
    'contains "x" or "y"',
  ],
  [{ type: "string", truth: truthFrom("parsed.letter", { cases: { A: "B" } }) }, '"B"'],
  [
    {
      type: "number",
      truth: truthFrom("parsed.letter", { cases: { A: { truth: 2, check: { type: "numeric_maximum" } } } }),
    },
    "≤ 2",
  ],
  [{ type: "string", truth: truthFrom("parsed.letter", { cases: { C: "B" } }) }, null],
  [
    { type: "string", truth: truthFrom("accumulated.x", { cases: { C: "B" } }) },
    "what follows from accumulated.x",
  ],
])("%j", (field, text) => {
  expect(expected(field)).toBe(text);
});

test("nothing is expected of a field that the template does not have", () => {
  expect(expectedText({ question: "", rawAnswer: "" }, "it", BEFORE)).toBe(null);
  expect(expectedText({ question: "", rawAnswer: "", template: { fields: {} } }, "toString", BEFORE)).toBe(
    null,
  );
});
