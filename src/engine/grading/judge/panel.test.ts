import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { functionTrait, llmTrait, metricTrait, regexTrait } from "../../../core/templates/rubric.ts";
import { type FieldType, template } from "../../../core/templates/template.ts";
import { traitValue } from "../verify/trait-value.ts";
import { combineFieldVotes, combinePanel, fieldValueKey, majority, median, type PanelVote } from "./panel.ts";

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

test("of an answer that could be read in part, the rest is a vote", () => {
  const partly = { status: "unreadable", unread: { fields: ["dose"], traits: ["tone"] } } as const;
  const combined = combinePanel(
    [
      vote({ letter: "B", dose: null }, { tone: null }, partly),
      vote({ letter: "B", dose: 5 }, { tone: 3 }),
      vote({ letter: "A", dose: 5 }, { tone: 3 }),
    ],
    { template: TEMPLATE, traits: [TONE] },
  );
  expect(combined).toMatchObject({ status: "read", parsed: { letter: "B", dose: 5 }, rubric: { tone: 3 } });
  expect(combined.agreement.parsed).toMatchObject({ letter: { votes: 3 }, dose: { votes: 2 } });
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

const LETTERS: FieldType = { type: "array", items: { type: "string" } };
const GRADE: FieldType = { type: "enum", values: ["a", "A", 1] };

describe("what judges read for a field, combined", () => {
  test.each<[FieldType, readonly unknown[], unknown, number]>([
    [{ type: "boolean" }, [true, false, true], true, 3],
    [{ type: "boolean" }, [true, "true", 1, null, undefined], null, 2],
    [{ type: "string" }, ["Canberra", "canberra ", "Sydney"], "Canberra", 3],
    [{ type: "string" }, ["New\n York", "new york", null], "New\n York", 3],
    [{ type: "string" }, ["caf\u00e9", "cafe\u0301", "tea"], "caf\u00e9", 3],
    [{ type: "string" }, ["", "", "x"], "", 3],
    [{ type: "date" }, ["2024-03-01", "March 1, 2024", "2024-01-03"], "2024-03-01", 3],
    [{ type: "date" }, ["2024-03-01T12:00Z", "2024-03-01T14:00+02:00", "2024-03-01"], "2024-03-01T12:00Z", 3],
    [{ type: "date" }, ["soon", "soon", "2024-01-03"], "soon", 3],
    [GRADE, ["a", "a", "A"], "a", 3],
    [GRADE, ["a", "b", "a", "B", "c"], "a", 2],
    [GRADE, [1, 1, "1"], 1, 2],
    [{ type: "integer" }, [3, 4], 3, 2],
    [{ type: "integer" }, [3, 4.5, "4", Number.NaN], 3, 1],
    [{ type: "number" }, [3, 4], 3.5, 2],
    [{ type: "number" }, [3, Number.POSITIVE_INFINITY, 4, 100], 4, 3],
    [LETTERS, [["a", "b"], ["B", "a", "a"], ["c"]], ["a", "b"], 3],
    [LETTERS, [[], [], ["c"]], [], 3],
    [LETTERS, [["a"], "a", [1], [null], {}], ["a"], 1],
    [
      { type: "array", items: { type: "integer" } },
      [
        [1, 2],
        [2, 1],
        [1, 2.5],
      ],
      [1, 2],
      2,
    ],
    [{ type: "array", items: { type: "date" } }, [["2024-03-01"], ["1 March 2024"], []], ["2024-03-01"], 3],
  ])("%j %j → %j", (field, answers, value, votes) => {
    const combined = combineFieldVotes(field, answers);
    expect(combined.value).toEqual(value);
    expect(combined.agreement.votes).toBe(votes);
  });
});

test("items cannot be taken for others by what they contain", () => {
  expect(fieldValueKey(LETTERS, ["a,b"])).not.toBe(fieldValueKey(LETTERS, ["a", "b"]));
  expect(fieldValueKey(LETTERS, ['a","b'])).not.toBe(fieldValueKey(LETTERS, ["a", "b"]));
});

describe("majority", () => {
  test.each<[(string | null)[], string | null, number | null, string | undefined]>([
    [["A"], "A", 1, undefined],
    [["A", "A", "B"], "A", 2 / 3, undefined],
    [["A", "B"], null, 0, "no answer has more than half of 2 votes"],
    [["A", "B", "C"], null, 0, "no answer has more than half of 3 votes"],
    [["A", "A", "B", "C"], null, 0, "no answer has more than half of 4 votes"],
    [["A", null], null, 0.5, "no answer has more than half of 2 votes"],
    [["A", null, null], null, 2 / 3, "2 of 3 judges found no answer"],
    [[null], null, 1, "1 of 1 judges found no answer"],
    [[], null, null, "no judge gave an answer that can be read"],
  ])("%j", (votes, value, share, reason) => {
    const agreement = { share, votes: votes.length, ...(reason === undefined ? {} : { reason }) };
    expect(majority(votes)).toEqual({ value, agreement });
  });

  test("of several writings of one answer the most frequent counts, then the earliest", () => {
    const lower = (text: string): string => text.toLowerCase();
    expect(majority(["bcl2", "BCL2", "BCL2"], lower)).toEqual({
      value: "BCL2",
      agreement: { share: 1, votes: 3 },
    });
    expect(majority(["bcl2", "BCL2", "x"], lower).value).toBe("bcl2");
  });

  test("false, 0 and empty text are answers", () => {
    expect(majority([false, false, true]).value).toBe(false);
    expect(majority([0]).value).toBe(0);
    expect(majority([""]).value).toBe("");
  });
});

describe("median", () => {
  test.each<[(number | null)[], number | null, number | null, number | null]>([
    [[3], 3, 3, 1],
    [[1, 2, 9], 2, 2, 1 / 3],
    [[1, 2, 3, 9], 2.5, 2, null],
    [[2, 2, 2, 9], 2, 2, 3 / 4],
    [[-1, -2], -1.5, -2, null],
    [[0, null, 4, 4], 4, 4, 2 / 4],
    [[1.7e308, 1.7e308], 1.7e308, 1.7e308, 1],
    [[2 ** 1023, 1.5 * 2 ** 1023], 1.25 * 2 ** 1023, 2 ** 1023, null],
    [[4, null], null, null, 1 / 2],
    [[4, null, null], null, null, 2 / 3],
    [[], null, null, null],
  ])("%j", (votes, value, whole, share) => {
    const answer = median(votes);
    expect(answer.value).toBe(value);
    expect(median(votes, { whole: true }).value).toBe(whole);
    if (share !== null) expect(answer.agreement.share).toBe(share);
    expect(answer.agreement.votes).toBe(votes.length);
    expect(answer.agreement.reason === undefined).toBe(value !== null);
  });

  test("does not change the votes", () => {
    const votes = Object.freeze([3, 1, 2]);
    expect(median(votes).value).toBe(2);
  });
});

const votes = fc.array(fc.option(fc.integer({ min: 0, max: 3 })), { maxLength: 9 });

test("share and value by brute force; the order of judges does not matter", () => {
  fc.assert(
    fc.property(votes, (given) => {
      const times = (value: number | null): number => given.filter((vote) => vote === value).length;
      const winner = given.find((vote) => times(vote) > given.length / 2) ?? null;
      for (const combined of [majority(given), majority([...given].reverse())]) {
        expect(combined.value).toBe(winner);
        expect(combined.agreement.share).toBe(
          given.length === 0 ? null : times(combined.value) / given.length,
        );
        expect(combined.agreement.reason === undefined).toBe(combined.value !== null);
      }
    }),
  );
});

test("a majority is also the median, which never leaves the range of the votes", () => {
  fc.assert(
    fc.property(votes, (given) => {
      const { value } = median(given);
      const winner = majority(given).value;
      if (winner !== null) expect(value).toBe(winner);
      const numbers = given.filter((vote) => vote !== null);
      if (value !== null) {
        expect(value).toBeGreaterThanOrEqual(Math.min(...numbers));
        expect(value).toBeLessThanOrEqual(Math.max(...numbers));
        expect(numbers.filter((n) => n < value).length * 2).toBeLessThanOrEqual(numbers.length);
        expect(numbers.filter((n) => n > value).length * 2).toBeLessThanOrEqual(numbers.length);
      }
      expect(value === null).toBe(numbers.length * 2 <= given.length);
      const whole = median(given, { whole: true }).value;
      expect(whole === null || numbers.includes(whole)).toBe(true);
    }),
  );
});
