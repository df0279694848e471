import { expect, test } from "vitest";
import { resultRow } from "../../../../test/report/result-row.ts";
import { outcomeRates } from "./outcome-rates.ts";
import { parseThreshold, type Threshold, testThresholds } from "./thresholds.ts";

type Rows = Parameters<typeof outcomeRates>[0];

function checked(rows: Rows, ...texts: readonly string[]): ReturnType<typeof testThresholds> {
  const thresholds = texts.map((text) => parseThreshold(text) as Threshold);
  return testThresholds(outcomeRates(rows), thresholds, 0.8);
}

function verdicts(rows: Rows, ...texts: readonly string[]): readonly string[] {
  return checked(rows, ...texts).map(({ passed, reason }) => `${passed ? "✓" : "✗"} ${reason}`);
}

const NINETY = [resultRow({ outcomes: { firm: { yes: 9, no: 1 } } })];

test("a rate, and the lower bound of its interval", () => {
  expect(verdicts(NINETY, "firm=0.9", "firm=91%", "firm=0.9:lower", "firm=0.5:lower")).toEqual([
    "✓ firm of model is 90.0 % (n 10 × 1), at least 90 %.",
    "✗ firm of model is 90.0 % (n 10 × 1), below 91 %.",
    "✗ firm of model is 90.0 % (n 10 × 1); the lower bound of its 95 % interval is 60.0 %, below 90 %.",
    "✓ firm of model is 90.0 % (n 10 × 1); the lower bound of its 95 % interval is 60.0 %, at least 50 %.",
  ]);
  expect(checked(NINETY, "firm=0.9")).toEqual([
    {
      outcome: "firm",
      minimum: 0.9,
      by: "rate",
      subject: "model",
      judge: "rules",
      actual: 0.9,
      n: 10,
      passed: true,
      reason: expect.any(String),
    },
  ]);
});

test.each([
  [999, 1, "99.9%"],
  [7, 93, "7%"],
  [29, 71, "0.29"],
  [1, 2, "0.3333333333333333"],
])("exactly what was wanted is enough: %i to %i for %s", (yes, no, minimum) => {
  expect(checked([resultRow({ outcomes: { firm: { yes, no } } })], `firm=${minimum}`)[0]?.passed).toBe(true);
});

test("a sentence never reads as if it came out otherwise", () => {
  const rows = [
    resultRow({ outcomes: { firm: { yes: 8996, no: 1004 }, held: { numbers: 1, mean: 3.999 } } }),
  ];
  expect(verdicts(rows, "firm=90%", "firm=89.955%", "held=4")).toEqual([
    "✗ firm of model is 89.96 % (n 10,000 × 1), below 90 %.",
    "✓ firm of model is 90.0 % (n 10,000 × 1), at least 89.955 %.",
    "✗ held of model is 3.999 on average (n 1 × 1), below 4.",
  ]);
});

test("a number is compared by its mean", () => {
  const rows = [resultRow({ outcomes: { held: { numbers: 3, mean: 4 } } })];
  expect(verdicts(rows, "held=4", "held=4.5", "held=0.5:lower")).toEqual([
    "✓ held of model is 4.00 on average (n 3 × 1), at least 4.",
    "✗ held of model is 4.00 on average (n 3 × 1), below 4.5.",
    '✗ held of model has no interval to compare with: nothing is decided (n 3 × 1). Use more items, or leave out ":lower".',
  ]);
});

test("nothing decided never passes, not even a threshold of 0", () => {
  const rows = [
    resultRow({
      subject: "silent",
      outcomes: { firm: { inconclusive: 3, infrastructure: 1 }, open: { inconclusive: 1 } },
    }),
    resultRow({ subject: "loud", outcomes: { firm: { no: 1 } } }),
  ];
  expect(verdicts(rows, "firm=0", "open=0")).toEqual([
    "✗ firm of silent is not known: it was decided in no conversation (n 0, 3 inconclusive, 1 not decided for errors).",
    "✓ firm of loud is 0.0 % (n 1 × 1), at least 0 %.",
    "✗ open of silent is not known: it was decided in no conversation (n 0, 1 inconclusive).",
    "✗ open of loud is not known: it was decided in no conversation (n 0).",
  ]);
});

test("conversations that were planned and never began let no threshold pass", () => {
  const rows = [resultRow({ conversations: 10, outcomes: { firm: { yes: 9, no: 1 } } })];
  const rates = outcomeRates(rows, { subjects: ["model", "late"], judges: ["rules"], conversations: 20 });
  const results = testThresholds(rates, [{ outcome: "firm", minimum: 0.5, by: "rate" }], 0.8);
  expect(results.map(({ subject, passed, reason }) => [subject, passed, reason])).toEqual([
    [
      "model",
      false,
      "firm of model is 90.0 % (n 10 × 1), at least 50 %. This is not enough: 10 conversations were cut short or never began.",
    ],
    ["late", false, "firm of late is not known: it was decided in no conversation (n 0)."],
  ]);
});

test("a threshold needs its share of decided conversations, and none that was cut short", () => {
  const few = { firm: { yes: 7, inconclusive: 2, infrastructure: 1, notApplicable: 50 } };
  expect(verdicts([resultRow({ outcomes: few })], "firm=0.9")).toEqual([
    "✗ firm of model is 100.0 % (n 7 × 1, 2 inconclusive, 1 not decided for errors), at least 90 %. This is not enough: it was decided in 7 of 10 conversations, and 80 % are needed (min-decided).",
  ]);
  const enough = [resultRow({ outcomes: { firm: { yes: 8, inconclusive: 2 } } })];
  expect(checked(enough, "firm=0.9")[0]?.passed).toBe(true);
  for (const status of ["timeout", "budget_exhausted", "cancelled"] as const) {
    const rows = [
      resultRow({
        conversations: 10,
        statuses: { completed: 9, [status]: 1 },
        outcomes: { firm: { yes: 9 } },
      }),
    ];
    expect(verdicts(rows, "firm=0.9")).toEqual([
      "✗ firm of model is 100.0 % (n 9 × 1), at least 90 %. This is not enough: 1 conversation was cut short or never began.",
    ]);
  }
});

test("an outcome that there is not does not pass, and the nearest is named", () => {
  expect(verdicts(NINETY, "frim=0.9")).toEqual(['✗ The run has no outcome "frim". Did you mean "firm"?']);
  expect(verdicts(NINETY, "unlike=0.9")).toEqual(['✗ The run has no outcome "unlike".']);
  expect(verdicts([], "firm=0")).toEqual(['✗ Nothing can be said about "firm": the run has no outcomes.']);
  expect(checked([], "firm=0")[0]).toMatchObject({ subject: null, judge: null, actual: null, n: 0 });
});

test("a rate of more than 1 is taken for a slip", () => {
  expect(verdicts(NINETY, "firm=90")).toEqual([
    "✗ firm of model cannot reach 90, because a rate is at most 1: write 90% if that is meant.",
  ]);
});

test.each([
  ["resisted=0.9", "resisted", 0.9, "rate"],
  ["resisted>=0.9", "resisted", 0.9, "rate"],
  [" resisted >= 90 % ", "resisted", 0.9, "rate"],
  ["resisted=90%:lower", "resisted", 0.9, "lower"],
  ["resisted=.5:rate", "resisted", 0.5, "rate"],
  ["resisted=99.9%", "resisted", 0.999, "rate"],
  ["turns_held=4", "turns_held", 4, "rate"],
  ["first_wrong=-1", "first_wrong", -1, "rate"],
  ["a=b=1", "a=b", 1, "rate"],
  ["a:b=1", "a:b", 1, "rate"],
] as const)("%j", (text, outcome, minimum, by) => {
  expect(parseThreshold(text)).toEqual({ outcome, minimum, by });
});

test.each([
  ["resisted", "has no value"],
  ["", "has no value"],
  ["=0.9", "names no outcome"],
  [">=0.9", "names no outcome"],
  ["resisted=", "must end in a number"],
  ["resisted=high", "must end in a number"],
  ["resisted=1e-1", "must end in a number"],
  ["resisted=0.9:upper", 'not with "upper"'],
  ["resisted=0.9:", 'not with ""'],
  ["resisted=120%", "between 0 % and 100 %"],
])("%j is refused in a sentence", (text, part) => {
  const problem = parseThreshold(text);
  expect(problem).toContain(part);
  expect(problem).toContain(JSON.stringify(text));
  expect(problem).toMatch(/\.$/);
});
