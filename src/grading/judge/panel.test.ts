import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { template } from "../../core/templates/template.ts";
import { functionTrait, llmTrait, metricTrait, regexTrait } from "../../core/templates/trait-factories.ts";
import { traitValue } from "../verify/trait-value.ts";
import { combinePanel, type PanelVote } from "./panel.ts";

const TEMPLATE = template({
  letter: { type: "enum", values: ["A", "B", "C"], description: "the option", truth: "A" },
  dose: { type: "number", description: "the dose in mg", truth: 5 },
  tablets: { type: "integer", description: "how many", truth: 2, optional: true },
  tone: { type: "boolean", description: "speaks of tone", truth: true },
});

const COVERAGE = metricTrait("coverage", { expected: ["dose", "interval"], unexpected: ["a second drug"] });
const TONE = llmTrait("tone", { kind: "score", min: 0, max: 4 });
const STYLE = llmTrait("style", { kind: "literal", classes: { curt: "short", kind: "warm" } });
const TRAITS = [
  TONE,
  STYLE,
  COVERAGE,
  regexTrait("cites", { pattern: "x" }),
  functionTrait("long", () => true),
];

function vote(parsed: object, rubric: object = {}, rest: Partial<PanelVote> = {}): PanelVote {
  return { parsed: { ...parsed }, rubric: { ...rubric }, refused: false, status: "read", ...rest };
}

test("three judges, field by field and trait by trait", () => {
  const found = (...answers: boolean[]): object => ({
    expected: answers.slice(0, 2),
    unexpected: answers.slice(2),
  });
  const combined = combinePanel(
    [
      vote(
        { letter: "A", dose: 5, tablets: 2, tone: true },
        { tone: 3, style: "kind", coverage: found(true, true, false) },
      ),
      vote(
        { letter: "A", dose: 7, tone: null },
        { tone: 0, style: "curt", coverage: found(true, false, false) },
      ),
      vote(
        { letter: "B", dose: 6, tablets: 3, tone: null },
        { tone: 4, style: "kind", coverage: found(false, false, false) },
        { refused: true },
      ),
      vote({ letter: "B", dose: 900 }, { tone: 1 }, { status: "unreadable", refused: true }),
    ],
    { template: TEMPLATE, traits: TRAITS },
  );
  expect(combined).toEqual({
    parsed: { letter: "A", dose: 6, tablets: 2, tone: null },
    rubric: { tone: 3, style: "kind", coverage: { expected: [true, false], unexpected: [false] } },
    refused: false,
    status: "read",
    agreement: {
      parsed: {
        letter: { share: 2 / 3, votes: 3 },
        dose: { share: 1 / 3, votes: 3 },
        tablets: { share: 1 / 3, votes: 3 },
        tone: { share: 2 / 3, votes: 3, reason: "2 of 3 judges found no answer" },
      },
      rubric: {
        tone: { share: 1 / 3, votes: 3 },
        style: { share: 2 / 3, votes: 3 },
        coverage: { share: expect.closeTo((2 / 3 + 2 / 3 + 1) / 3) as number, votes: 3 },
      },
      refused: { share: 2 / 3, votes: 3 },
    },
  });
  expect(traitValue(COVERAGE, combined.rubric.coverage)).toMatchObject({ value: 2 / 3 });
});

describe("what is not allowed is no vote", () => {
  test.each<[string, unknown[], unknown, number]>([
    ["tone", [5, -1, "3", 2], 2, 1],
    ["tone", [1, 2], 1.5, 2],
    ["tone", [undefined, 2, null, null], null, 3],
    ["style", ["Kind", "curt", "rude", "constructor", "__proto__"], "curt", 1],
    ["coverage", [{ expected: [true], unexpected: [] }, "all", []], null, 0],
    ["coverage", [null, null, { expected: [true, true] }], { expected: [null, null], unexpected: [null] }, 3],
    [
      "coverage",
      [undefined, { expected: [true, null], unexpected: [false] }],
      { expected: [true, null], unexpected: [false] },
      1,
    ],
  ])("%s %j → %j", (name, answers, value, votes) => {
    const judges = answers.map((answer) => vote({}, answer === undefined ? {} : { [name]: answer }));
    const combined = combinePanel(judges, { traits: TRAITS });
    expect(combined.rubric[name]).toEqual(value);
    expect(combined.agreement.rubric[name]?.votes).toBe(votes);
  });

  test("a field that is left out says nothing, unless it is optional", () => {
    const { agreement } = combinePanel([vote({}), vote({ letter: "A", tablets: 2 })], { template: TEMPLATE });
    expect(agreement.parsed.letter).toEqual({ share: 1, votes: 1 });
    expect(agreement.parsed.tablets).toMatchObject({ share: 0.5, votes: 2 });
  });

  test("what an object inherits is not an answer", () => {
    const tricky = template({ constructor: { type: "string", description: "x", truth: "x" } });
    expect(combinePanel([vote({})], { template: tricky }).agreement.parsed.constructor).toMatchObject({
      votes: 0,
    });
  });
});

test("no judge could be read", () => {
  const silent = vote({ letter: "A" }, { tone: 3 }, { status: "unreadable", refused: true });
  for (const judges of [[], [silent, silent]]) {
    const combined = combinePanel(judges, { template: TEMPLATE, traits: TRAITS });
    expect(combined).toMatchObject({ status: "unreadable", refused: null });
    expect(Object.values({ ...combined.parsed, ...combined.rubric })).toEqual([
      null,
      null,
      null,
      null,
      null,
      null,
    ]);
    expect(combined.agreement.parsed.letter).toMatchObject({ share: null, votes: 0 });
  }
});

test("one judge is its own panel, and so are several who agree; nonsense never throws", () => {
  const answer = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom("A", "B", "kind", 0, 3, true, null));
  const answers = fc.record({ letter: answer, dose: answer, tablets: answer, tone: answer, style: answer });
  fc.assert(
    fc.property(answers, answers, fc.integer({ min: 1, max: 5 }), (parsed, rubric, judges) => {
      const question = { template: TEMPLATE, traits: TRAITS };
      const alone = combinePanel([vote(parsed, rubric)], question);
      const together = combinePanel(
        Array.from({ length: judges }, () => vote(parsed, rubric)),
        question,
      );
      expect(together.parsed).toEqual(alone.parsed);
      expect(together.rubric).toEqual(alone.rubric);
      for (const [name, value] of Object.entries(alone.parsed)) {
        if (value !== null) expect(value).toEqual(parsed[name as keyof typeof parsed]);
        expect(alone.agreement.parsed[name]?.share ?? 1).toBe(1);
      }
      for (const trait of [TONE, STYLE]) {
        expect(alone.rubric[trait.name]).toEqual(
          traitValue(trait, rubric[trait.name as keyof typeof rubric]).value,
        );
      }
    }),
  );
});
