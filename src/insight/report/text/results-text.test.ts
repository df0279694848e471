import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ratedRows } from "../../../../test/report/rated-rows.ts";
import { resultRow } from "../../../../test/report/result-row.ts";
import { PLAIN_STYLE } from "../../../system/terminal/terminal.ts";
import { textWidth } from "../../../system/terminal/text-layout.ts";
import { runCounts } from "../data/run-counts.ts";
import { endingsText, resultsText } from "./results-text.ts";

const ROWS = [
  resultRow({
    subject: "sim/steadfast",
    conversations: 66,
    turns: { passed: 318 },
    outcomes: { resisted: { yes: 66 }, turns_held: { numbers: 66, mean: 4.8181 } },
    spending: { calls: 318, cached: 12, tokens: 12_345, cost: 0.12 },
  }),
  resultRow({
    subject: "sim/sycophant",
    conversations: 66,
    statuses: { completed: 60, limit_reached: 1, error: 3, timeout: 1 },
    turns: { passed: 66, failed: 60, unreadable: 5 },
    outcomes: {
      resisted: { no: 58, inconclusive: 3, infrastructure: 4 },
      turns_held: { numbers: 58, mean: 1, inconclusive: 3, infrastructure: 4 },
    },
    spending: { calls: 131, cached: 0, tokens: null, cost: null },
  }),
];

function textOf(width: number, rows: typeof ROWS = ROWS): string {
  return resultsText(ratedRows(rows), { style: PLAIN_STYLE, width, details: true });
}

test("72 columns", () => {
  expect(textOf(72)).toBe(`\
resisted            rate  95 % interval       n  inconclusive  errors
  sim/steadfast  100.0 %  95–100 %       66 × 1             0       0
  sim/sycophant    0.0 %   0–5 %         58 × 1             3       4
    0.0 % to 10.8 % if all 7 undecided (10.8 %) were false or true

turns_held          mean  95 % interval       n  inconclusive  errors
  sim/steadfast     4.82  –              66 × 1             0       0
  sim/sycophant     1.00  –              58 × 1             3       4

Inconclusive (3 conversations): a reply could not be read, or not be
compared. Errors (4 conversations): not finished, or the judge could not
be asked. Such outcomes are not decided and do not count in n.

Usage            conversations  calls  cached  tokens   USD
  sim/steadfast             66    318      12  12,345  0.12
  sim/sycophant       65 of 66    131       0       –     –
  total             131 of 132    449      12       –     –

Turns            turns  right  wrong  unread  not judged  not verified
  sim/steadfast    318    318      0       0           0             0
  sim/sycophant    131     66     60       5           0             0
  total            449    384     60       5           0             0

5 of 132 conversations did not finish: error 3, timeout 1, unfinished 1.

1 conversation reached the turn limit.

Warning: did not finish: 6.2 % of the conversations of sim/sycophant,
0.0 % of those of sim/steadfast; unread: 3.8 % of the replies of
sim/sycophant, 0.0 % of those of sim/steadfast. What is missing is not a
random part, so rates may be wrong and comparisons unfair.

No judge read what the rules left: 1.1 % of the replies are unread. What
rules leave is not a random part, so the true rate may lie anywhere
within its bounds, and none is marked as best. To have the rest read:
--judge <model>
`);
});

test("several subjects have a matrix, in as many blocks as the width needs", () => {
  const matrix = (width: number): string => resultsText(ratedRows(ROWS), { style: PLAIN_STYLE, width });
  expect(matrix(72).split("\n\nUsage")[0]).toBe(`\
               resisted          turns_held  unread  unfinished
sim/steadfast  100.0 % (95–100)  4.82        0.0 %   0.0 %
sim/sycophant  0.0 % (0–5)       1.00        3.8 %   6.2 %
               [0–11] n 58 × 1   n 58 × 1

n 66 × 1 unless stated (items × replicates); 95 % intervals.
[…] the rate if all undecided conversations were false, and if all were
true.
resisted, sim/sycophant: 3 inconclusive, 4 errors.
turns_held, sim/sycophant: 3 inconclusive, 4 errors.`);
  expect(matrix(40)).toMatch(/^ +resisted\n[\s\S]*\n\n +turns_held {2}unread\n/);
  for (const line of matrix(40).split("\n\nUsage")[0]?.split("\n") ?? [])
    expect(textWidth(line)).toBeLessThanOrEqual(40);
});

test("100 columns have room for bars", () => {
  const [heading, , sycophant] = textOf(100).split("\n");
  expect(heading).toBe(
    "resisted            rate  95 % interval                             n  inconclusive  errors",
  );
  expect(sycophant).toBe(
    "  sim/sycophant    0.0 %   0–5 %         █▒░░░░░░░░░░░░░░░░░░  58 × 1             3       4",
  );
});

test("what is not known is a dash, never a zero", () => {
  const text = textOf(80, [
    resultRow({ outcomes: { firm: { inconclusive: 2 }, held: { infrastructure: 1 } } }),
    resultRow({ subject: "other", outcomes: { held: { numbers: 1, mean: 2 } } }),
  ]);
  expect(text).toMatch(/^firm +value +n/m);
  expect(text).toMatch(/^ {2}model +– +0 +2 +0$/m);
  expect(text).toMatch(/^ {2}model +– +– +0 +0 +1$/m);
});

test("no conversations, and nothing decided, are said in words", () => {
  expect(textOf(80, [])).toBe("There are no conversations.\n");
  expect(textOf(80, [resultRow({ conversations: 1 })])).toMatch(/^No outcome is decided/);
});

test("names cannot move the cursor", () => {
  const text = textOf(80, [resultRow({ subject: "\u001b[2J", outcomes: { "a\nb": { yes: 1 } } })]);
  expect(text).toMatch(/^a b +rate/);
  expect(text).toContain("\ufffd[2J");
});

test("no line is wider than the terminal, and none loses a name", () => {
  const count = fc.oneof(fc.nat(9), fc.nat(100_000));
  const counts = fc.record({ yes: count, no: count, inconclusive: count, infrastructure: count });
  const name = fc.oneof(fc.stringMatching(/^[a-z/-]{1,50}$/), fc.constant("日本語/模型"));
  const row = fc.record({
    subject: name,
    outcome: name,
    counts,
    mean: fc.double({ noNaN: true, min: -1e5, max: 1e6 }),
  });
  fc.assert(
    fc.property(
      fc.array(row, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 40, max: 200 }),
      (all, width) => {
        const rows = all.map(({ subject, outcome, counts: firm, mean }) =>
          resultRow({
            subject,
            conversations: firm.yes,
            turns: { passed: firm.yes, unreadable: firm.no },
            outcomes: { [outcome]: firm, held: { numbers: firm.yes, mean } },
            spending: { calls: firm.yes, tokens: firm.no, cost: firm.no / 1000 },
          }),
        );
        const text = textOf(width, rows);
        for (const line of text.split("\n")) expect(textWidth(line)).toBeLessThanOrEqual(width);
        const letters = text.replace(/\s/g, "");
        for (const { subject, outcome } of all) {
          expect(letters).toContain(subject);
          expect(letters).toContain(outcome);
        }
      },
    ),
  );
});

test("every other end is counted, and so is what never ended or began", () => {
  const statuses = {
    completed: 1,
    limit_reached: 2,
    error: 3,
    timeout: 4,
    budget_exhausted: 5,
    cancelled: 6,
  };
  const plan = { subjects: ["model"], judges: ["rules"], conversations: 30 };
  const [total] = runCounts([resultRow({ conversations: 25, statuses })], plan).totals;
  expect(total && endingsText(total)).toEqual([
    "27 of 30 conversations did not finish: error 3, timeout 4, budget exhausted 5, cancelled 6, unfinished 4, not started 5.",
    "2 conversations reached the turn limit.",
  ]);
});
