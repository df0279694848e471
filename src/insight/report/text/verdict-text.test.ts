import { expect, test } from "vitest";
import { INITIAL_STATE } from "../../../core/state/state.ts";
import { type TemplateField, truthFrom } from "../../../core/templates/template.ts";
import type { RunFailure } from "../../../engine/journal/failure.ts";
import { PLAIN_STYLE } from "../../../system/terminal/terminal.ts";
import {
  expectedText,
  failureSentence,
  fieldLines,
  type fieldWord,
  traitLines,
  verdictWord,
} from "./verdict-text.ts";

const NAMED = {
  ...PLAIN_STYLE,
  green: (text: string): string => `green ${text}`,
  red: (text: string): string => `red ${text}`,
  yellow: (text: string): string => `yellow ${text}`,
  dim: (text: string): string => `dim ${text}`,
};

function painted({ word, paint }: ReturnType<typeof fieldWord>): string {
  return paint(word);
}

test("what the subject did is never mixed with what the judge could not do", () => {
  const verdicts = ["pass", "fail", "unreadable", "unjudged", "unverified"] as const;
  expect(verdicts.map((verdict) => painted(verdictWord(verdict, NAMED)))).toEqual([
    "green right",
    "red wrong",
    "yellow unread",
    "red error",
    "dim not verified",
  ]);
});

test.each<[RunFailure, string]>([
  [
    {
      category: "rate_limit",
      stage: "subject",
      message: "Busy.",
      turn: 2,
      node: "push",
      statusCode: 429,
      cause: "a\nb",
    },
    "The subject gave no answer in turn 2, node push (rate limit, status 429): Busy. Cause: a b",
  ],
  [
    {
      category: "not_found",
      stage: "judge",
      message: "Not found: no such model. Check it.",
      cause: "no such model",
    },
    "The judge could not be asked (not found): Not found: no such model. Check it.",
  ],
  [
    { category: "server", stage: "subject", message: "It broke", cause: "a bad port" },
    "The subject gave no answer (server): It broke. Cause: a bad port",
  ],
  [
    { category: "timeout", stage: "run", message: "It took too long." },
    "The run ended the conversation (timeout): It took too long.",
  ],
  [
    { category: "author", stage: "handover", message: "The handover threw: \u001b[2J", node: "b" },
    "The question could not be handed over in node b (author): The handover threw: �[2J",
  ],
])("%j", (failure, sentence) => {
  expect(failureSentence(failure)).toBe(sentence);
});

const OPTIONS = { style: PLAIN_STYLE, room: 60 };

test("right, wrong, partly right, unreadable, and a field that looks at the raw reply", () => {
  const lines = fieldLines(
    {
      fields: {
        city: { result: true, score: 1 },
        year: { result: false, score: 0 },
        tags: { result: false, score: 0.5 },
        letter: { result: null, score: 0, reason: "the reply does not state it" },
        count: { result: null, score: 0, reason: "it cannot be compared" },
        cites: { result: true, score: 1 },
      },
      parsed: { city: "Canberra\u001b", year: 1900, tags: ["a"], letter: null, count: "many" },
      notes: { letter: "the reply is ambiguous" },
      quotes: { city: "it is Canberra" },
    },
    { ...OPTIONS, expected: (field) => (field === "year" ? "1913" : null) },
  );
  expect(lines).toEqual([
    String.raw`city = "Canberra\u001b"  ✓ right`,
    '  stated in: "it is Canberra"',
    "year = 1900  ✗ wrong, expected 1913",
    'tags = ["a"]  ✗ wrong (score 0.50)',
    "letter = –  ? unread: the reply is ambiguous",
    'count = "many"  ? unread: it cannot be compared',
    "cites  ✓ right",
  ]);
});

test("traits: values, metrics, and what could not be decided", () => {
  const metrics = { precision: 1, recall: 0.5, f1: 2 / 3, specificity: null, accuracy: 0.5 };
  const counts = { tp: 1, fn: 1, fp: 0, tn: 0, unknown: { expected: 0, unexpected: 0 } };
  const lines = traitLines(
    {
      polite: { value: true },
      tone: { value: null, reason: "the judge could not decide" },
      facts: { value: 0.5, details: { metrics, counts } },
    },
    { style: PLAIN_STYLE, room: 100 },
  );
  expect(lines).toEqual([
    "polite = true",
    "tone = –  ? undecided: the judge could not decide",
    "facts = 0.5  precision 1.00, recall 0.50, f1 0.67, specificity –, accuracy 0.50",
  ]);
});

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
  [{ type: "array", items: { type: "string" }, truth: null } as never, "null"],
  [{ type: "date", truth: null } as never, "null"],
  [
    { type: "boolean", truth: false, check: { type: "trace_contains", substring: "sorry" } },
    'the opposite of trace_contains(substring: "sorry")',
  ],
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
    "computed from accumulated.x",
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
