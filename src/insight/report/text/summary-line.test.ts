import { expect, test } from "vitest";
import { ratedRows } from "../../../../test/report/rated-rows.ts";
import { resultRow } from "../../../../test/report/result-row.ts";
import { summaryLine } from "./summary-line.ts";

test("one subject has its intervals", () => {
  const rates = ratedRows([
    resultRow({
      conversations: 66,
      outcomes: { resisted: { yes: 55, no: 11 }, turns_held: { numbers: 66, mean: 4.8181 } },
      spending: { calls: 412, cost: 0.12 },
    }),
  ]);
  expect(summaryLine(rates, "3f2a")).toBe(
    "elenchus: 66 conversations, resisted 83.3 % (95 % 73–91, n 66 × 1), turns_held 4.82 (n 66 × 1), 0 errors, 412 calls, 0.12 USD, run 3f2a",
  );
});

test("several subjects are named", () => {
  const rates = ratedRows([
    resultRow({ subject: "a", conversations: 2, outcomes: { firm: { yes: 2 }, held: { inconclusive: 2 } } }),
    resultRow({
      subject: "b",
      conversations: 3,
      statuses: { error: 1, completed: 1 },
      turns: { unjudged: 1 },
      spending: { cost: null },
    }),
  ]);
  expect(summaryLine(rates, "r")).toBe(
    "elenchus: 4 of 5 conversations; a: firm 100.0 % (95 % 20–100, n 2 × 1), held – (n 0); b: firm – (n 0), held – (n 0); 1 error, 1 turn not judged, 0 calls, – USD, run r",
  );
});

test("a conversation that could not be judged is an error, as in the table", () => {
  const rates = ratedRows([
    resultRow({
      conversations: 3,
      outcomes: { firm: { yes: 1, infrastructure: 2 } },
      turns: { unjudged: 2 },
    }),
  ]);
  expect(summaryLine(rates, "r")).toContain(", 2 errors, 2 turns not judged, ");
});

test("outcomes that do not fit are counted", () => {
  const line = (subjects: number): string =>
    summaryLine(
      ratedRows(
        Array.from({ length: subjects }, (_, index) =>
          resultRow({ subject: `model-${index}`, outcomes: { resisted: { yes: 55, no: 11 } } }),
        ),
      ),
      "r",
    );
  expect(line(2)).toContain("model-1: resisted 83.3 % (95 % 73–91, n 66 × 1); 0 errors");
  expect(line(9)).toContain("model-1: resisted 83.3 % (95 % 73–91, n 66 × 1); 7 more; 0 errors");
});
