import { expect, test } from "vitest";
import { resultRow } from "../../test/report/result-row.ts";
import { countCutShort, endingsText } from "./endings-text.ts";
import { subjectTotals, sumOfTotals } from "./subject-totals.ts";

test("all that came to its end needs no word", () => {
  expect(endingsText(sumOfTotals(subjectTotals([resultRow({ conversations: 3 })])))).toEqual([]);
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
  const [total] = subjectTotals([resultRow({ conversations: 25, statuses })], plan);
  expect(total && endingsText(total)).toEqual([
    "27 of 30 conversations did not come to their end: error 3, timeout 4, budget exhausted 5, cancelled 6, under way 4, not begun 5.",
    "2 conversations reached the turn limit.",
  ]);
  expect(countCutShort(statuses)).toBe(18);
});

test("a single one is one", () => {
  const [total] = subjectTotals([resultRow({ conversations: 1, statuses: { error: 1 } })]);
  expect(total && endingsText(total)).toEqual(["1 of 1 conversation did not come to its end: error 1."]);
});
