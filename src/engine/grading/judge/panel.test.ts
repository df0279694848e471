import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isJudgedTrait, llmTrait, metricTrait } from "../../../core/templates/rubric.ts";
import { type FieldType, template } from "../../../core/templates/template.ts";
import { traitValue } from "../verify/trait-value.ts";
import { judgeTask } from "./judge-task.ts";
import type { JudgementPart } from "./judge-turn.ts";
import { combineFieldVotes, combinePanel, fieldValueKey, majority, median } from "./panel.ts";

const { fields } = template({
  letter: { type: "enum", values: ["A", "B", "C"], description: "the option", truth: "A" },
  dose: { type: "number", description: "the dose in mg", truth: 5 },
  tablets: { type: "integer", description: "how many", truth: 2, optional: true },
  tone: { type: "boolean", description: "speaks of tone", truth: true },
});
const COVERAGE = metricTrait("coverage", { expected: ["dose", "interval"], unexpected: ["a second drug"] });
const TONE = llmTrait("tone", { kind: "score", min: 0, max: 4 });
const STYLE = llmTrait("style", { kind: "literal", classes: { curt: "short", kind: "warm" } });
const TASK = judgeTask({ fields, traits: [TONE, STYLE, COVERAGE].filter(isJudgedTrait), refusal: true });

function vote(parsed: object, rubric: object = {}, rest: Partial<JudgementPart> = {}): JudgementPart {
  const answers = { parsed: { ...parsed }, rubric: { ...rubric } };
  return { ...answers, quotes: {}, notes: {}, refused: false, status: "read", ...rest };
}

test("of an answer that could be read in part, the rest is a vote", () => {
  const partly = { status: "unreadable", unread: { fields: ["dose"], traits: ["tone"] } } as const;
  const combined = combinePanel(
    [
      vote({ letter: "B", dose: null }, { tone: null }, partly),
      vote({ letter: "B", dose: 5 }, { tone: 3 }),
      vote({ letter: "A", dose: 5 }, { tone: 3 }),
    ],
    TASK,
  );
  expect(combined).toMatchObject({ status: "read", parsed: { letter: "B", dose: 5 }, rubric: { tone: 3 } });
});

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
        { quotes: { dose: "5 mg" } },
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
    TASK,
  );
  expect(combined).toEqual({
    parsed: { letter: "A", dose: 6, tablets: 2, tone: null },
    rubric: { tone: 3, style: "kind", coverage: { expected: [true, false], unexpected: [false] } },
    quotes: { dose: "5 mg" },
    notes: {},
    refused: false,
    status: "read",
  });
  expect(traitValue(COVERAGE as never, combined.rubric.coverage)).toMatchObject({ value: 2 / 3 });
});

describe("what is not allowed is no vote", () => {
  test.each<[string, unknown[], unknown]>([
    ["tone", [5, -1, "3", 2], 2],
    ["tone", [1, 2], 1.5],
    ["tone", [undefined, 2, null, null], null],
    ["style", ["Kind", "curt", "rude", "constructor", "__proto__"], "curt"],
    ["coverage", [{ expected: [true], unexpected: [] }, "all", []], null],
    ["coverage", [null, null, { expected: [true, true] }], { expected: [null, null], unexpected: [null] }],
    [
      "coverage",
      [undefined, { expected: [true, null], unexpected: [false] }],
      { expected: [true, null], unexpected: [false] },
    ],
  ])("%s %j → %j", (name, answers, value) => {
    const judges = answers.map((answer) => vote({}, answer === undefined ? {} : { [name]: answer }));
    expect(combinePanel(judges, TASK).rubric[name]).toEqual(value);
  });

  test("a field that is left out says nothing, unless it is optional", () => {
    const { parsed } = combinePanel([vote({}), vote({ letter: "A", tablets: 2 })], TASK);
    expect(parsed).toMatchObject({ letter: "A", tablets: null });
  });

  test("what an object inherits is not an answer", () => {
    const tricky = template({ constructor: { type: "string", description: "x", truth: "x" } });
    expect(combinePanel([vote({})], judgeTask(tricky)).parsed.constructor).toBeNull();
  });
});

test("no judge could be read", () => {
  const silent = vote({ letter: "A" }, { tone: 3 }, { status: "unreadable", refused: true });
  for (const judges of [[], [silent, silent]]) {
    const combined = combinePanel(judges, TASK);
    expect(combined).toMatchObject({ status: "unreadable", refused: null });
    const values = Object.values({ ...combined.parsed, ...combined.rubric });
    expect(new Set(values)).toEqual(new Set([null]));
  }
});

test("one judge is its own panel, and so are several who agree; nonsense never throws", () => {
  const answer = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom("A", "B", "kind", 0, 3, true, null));
  const answers = fc.record({ letter: answer, dose: answer, tablets: answer, tone: answer, style: answer });
  fc.assert(
    fc.property(answers, answers, fc.integer({ min: 1, max: 5 }), (parsed, rubric, judges) => {
      const alone = combinePanel([vote(parsed, rubric)], TASK);
      const together = combinePanel(new Array(judges).fill(vote(parsed, rubric)), TASK);
      expect(together).toEqual(alone);
      for (const [name, value] of Object.entries(alone.parsed))
        if (value !== null) expect(value).toEqual(parsed[name as keyof typeof parsed]);
      for (const trait of [TONE, STYLE])
        expect(alone.rubric[trait.name]).toEqual(
          traitValue(trait, rubric[trait.name as keyof typeof rubric]).value,
        );
    }),
  );
});

const LETTERS: FieldType = { type: "array", items: { type: "string" } };
const GRADE: FieldType = { type: "enum", values: ["a", "A", 1] };

test.each<[FieldType, readonly unknown[], unknown]>([
  [{ type: "boolean" }, [true, false, true], true],
  [{ type: "boolean" }, [true, "true", 1, null, undefined], null],
  [{ type: "string" }, ["Canberra", "canberra ", "Sydney"], "Canberra"],
  [{ type: "string" }, ["New\n York", "new york", null], "New\n York"],
  [{ type: "string" }, ["caf\u00e9", "cafe\u0301", "tea"], "caf\u00e9"],
  [{ type: "string" }, ["", "", "x"], ""],
  [{ type: "date" }, ["2024-03-01", "March 1, 2024", "2024-01-03"], "2024-03-01"],
  [{ type: "date" }, ["2024-03-01T12:00Z", "2024-03-01T14:00+02:00", "2024-03-01"], "2024-03-01T12:00Z"],
  [{ type: "date" }, ["soon", "soon", "2024-01-03"], "soon"],
  [GRADE, ["a", "a", "A"], "a"],
  [GRADE, ["a", "b", "a", "B", "c"], "a"],
  [GRADE, [1, 1, "1"], 1],
  [{ type: "integer" }, [3, 4], 3],
  [{ type: "integer" }, [3, 4.5, "4", Number.NaN], 3],
  [{ type: "number" }, [3, 4], 3.5],
  [{ type: "number" }, [3, Number.POSITIVE_INFINITY, 4, 100], 4],
  [LETTERS, [["a", "b"], ["B", "a", "a"], ["c"]], ["a", "b"]],
  [LETTERS, [[], [], ["c"]], []],
  [LETTERS, [["a"], "a", [1], [null], {}], ["a"]],
  [{ type: "array", items: { type: "date" } }, [["2024-03-01"], ["1 March 2024"], []], ["2024-03-01"]],
])("judges read for a field of %j %j, which comes to %j", (field, answers, value) => {
  expect(combineFieldVotes(field, answers)).toEqual(value);
});

test("items cannot be taken for others by what they contain", () => {
  expect(fieldValueKey(LETTERS, ["a,b"])).not.toBe(fieldValueKey(LETTERS, ["a", "b"]));
  expect(fieldValueKey(LETTERS, ['a","b'])).not.toBe(fieldValueKey(LETTERS, ["a", "b"]));
});

test.each<[unknown[], unknown]>([
  [["A"], "A"],
  [["A", "A", "B"], "A"],
  [["A", "B"], null],
  [["A", "A", "B", "C"], null],
  [["A", null], null],
  [["A", null, null], null],
  [[], null],
  [[false, false, true], false],
  [[0], 0],
  [[""], ""],
])("the majority of %j is %j", (votes, value) => expect(majority(votes)).toBe(value));

test("of several writings of one answer the most frequent counts, then the earliest", () => {
  const lower = (text: string): string => text.toLowerCase();
  expect(majority(["bcl2", "BCL2", "BCL2"], lower)).toBe("BCL2");
  expect(majority(["bcl2", "BCL2", "x"], lower)).toBe("bcl2");
});

test.each<[readonly (number | null)[], number | null, number | null]>([
  [Object.freeze([3, 1, 2]), 2, 2],
  [[1, 2, 3, 9], 2.5, 2],
  [[-1, -2], -1.5, -2],
  [[0, null, 4, 4], 4, 4],
  [[1.7e308, 1.7e308], 1.7e308, 1.7e308],
  [[2 ** 1023, 1.5 * 2 ** 1023], 1.25 * 2 ** 1023, 2 ** 1023],
  [[4, null], null, null],
  [[4, null, null], null, null],
  [[], null, null],
])("the median of %j is %j, and as a whole %j", (votes, value, whole) => {
  expect(median(votes)).toBe(value);
  expect(median(votes, { whole: true })).toBe(whole);
});

const votes = fc.array(fc.option(fc.integer({ min: 0, max: 3 })), { maxLength: 9 });

test("a majority by brute force is also the median, which never leaves the range of the votes", () => {
  fc.assert(
    fc.property(votes, (given) => {
      const times = (value: number | null): number => given.filter((vote) => vote === value).length;
      const winner = given.find((vote) => times(vote) > given.length / 2) ?? null;
      expect([majority(given), majority([...given].reverse())]).toEqual([winner, winner]);
      const value = median(given);
      if (winner !== null) expect(value).toBe(winner);
      const numbers = given.filter((vote) => vote !== null);
      expect(value === null).toBe(numbers.length * 2 <= given.length);
      if (value !== null) {
        expect(numbers.filter((n) => n < value).length * 2).toBeLessThanOrEqual(numbers.length);
        expect(numbers.filter((n) => n > value).length * 2).toBeLessThanOrEqual(numbers.length);
      }
      const whole = median(given, { whole: true });
      expect(whole === null || numbers.includes(whole)).toBe(true);
    }),
  );
});
