import { describe, expect, it } from "vitest";
import type { Check } from "./check.ts";
import { evaluateCheck } from "./evaluate-check.ts";

type Row = [parameters: object, value: unknown, expected: unknown, verdict: boolean | null];

/** true and false as the check says, null if it cannot be evaluated. */
function answer(type: Check["type"], [parameters, value, expected]: Row): boolean | null {
  const result = evaluateCheck({ type, ...parameters } as Check, value, expected);
  return result.evaluable ? result.passes : null;
}

describe("date_match", () => {
  it.each<Row>([
    [{}, "1 March 2024", "2024-03-01", true],
    [{}, "Mar 1st, 2024", "3/1/2024", true],
    [{}, "1/3/2024", "2024-03-01", false],
    [{}, "2024-03-01T23:30:00-05:00", "2024-03-01", true],
    [{}, "2024-03-02T04:30:00Z", "2024-03-01T23:30:00-05:00", false],
    [{}, "2024-03-01T00:00", "2024-03-01T23:59:59", true],
    [{}, "2024-02-30", "2024-02-30", false],
    [{}, "bad", "bad", false],
    [{}, null, null, false],
    [{}, 20240301, "2024-03-01", false],
    [{}, "2024-03-01", "someday", false],
    [{ format: null }, "2024-03-01", "2024-03-01", true],
    [{ format: "dd/MM/yyyy" }, "1/3/2024", "01/03/2024", true],
    [{ format: "dd/MM/yyyy" }, "03/01/2024", "01/03/2024", false],
    [{ format: "dd/MM/yyyy" }, "2024-03-01", "01/03/2024", false],
    [{ format: "dd/MM/yyyy" }, "01/03/2024", "2024-03-01", false],
    [{ format: "%d/%m/%Y" }, "01/03/2024", "01/03/2024", null],
    [{ format: 5 }, "01/03/2024", "01/03/2024", null],
  ])("%j: %j against %j is %j", (...row) => expect(answer("date_match", row)).toBe(row[3]));
});

describe("date_tolerance", () => {
  it.each<Row>([
    [{ tolerance: 2 }, "2024-03-03", "2024-03-01", true],
    [{ tolerance: 2 }, "2024-02-28", "2024-03-01", true],
    [{ tolerance: 2 }, "2024-03-03T00:00:00.001", "2024-03-01", false],
    [{ tolerance: 0 }, "March 1, 2024", "2024-03-01T00:00Z", true],
    [{ tolerance: 0.5 }, "2024-03-01T12:00", "2024-03-01", true],
    [{ tolerance: 1, unit: "hours" }, "2024-03-01T00:00:00-01:00", "2024-03-01", true],
    [{ tolerance: 1, unit: "hours" }, "2024-03-01T01:00:01", "2024-03-01", false],
    [{ tolerance: 90, unit: "minutes" }, "2024-03-01T01:30", "2024-03-01", true],
    [{ tolerance: 2 }, "bad", "2024-03-01", false],
    [{ tolerance: 2 }, null, "2024-03-01", false],
    [{ tolerance: 2, unit: "weeks" }, "2024-03-01", "2024-03-01", null],
    [{ tolerance: -1 }, "2024-03-01", "2024-03-01", null],
    [{}, "2024-03-01", "2024-03-01", null],
  ])("%j: %j against %j is %j", (...row) => expect(answer("date_tolerance", row)).toBe(row[3]));
});

describe("date_range", () => {
  const year = { min: "2024-01-01", max: "2024-12-31" };
  it.each<Row>([
    [year, "2024-01-01", null, true],
    [year, "2024-12-31", null, true],
    [year, "December 31, 2024", null, true],
    [year, "2024-12-31T23:59:59.999Z", null, true],
    [year, "2025-01-01", null, false],
    [year, "2023-12-31T23:59:59", null, false],
    [year, "2024-12-31T23:30:00-05:00", null, false],
    [{ max: "2024-12-31T12:00" }, "2024-12-31T12:00", null, true],
    [{ max: "2024-12-31T12:00" }, "2024-12-31T12:00:00.001", null, false],
    [{ max: "2024-12-31T00:00" }, "2024-12-31T00:00:01", null, false],
    [{ min: "2024-01-01" }, "9999-12-31", null, true],
    [{ max: "2024-01-01" }, "0001-01-01", null, true],
    [{ min: null, max: null }, "2024-01-01", null, true],
    [{}, "bad", null, false],
    [{}, null, null, false],
    [{ min: "2025-01-01", max: "2024-01-01" }, "2024-06-01", null, false],
    [{ min: "whenever" }, "2024-06-01", null, null],
    [{ max: "2024-02-30" }, "2024-06-01", null, null],
    [{ min: 2024 }, "2024-06-01", null, null],
  ])("%j: %j (%j) is %j", (...row) => expect(answer("date_range", row)).toBe(row[3]));
});

it("a date that cannot be read is a wrong answer with a reason", () => {
  expect(evaluateCheck({ type: "date_match" }, "bad", "2024-03-01")).toEqual({
    evaluable: true,
    passes: false,
    score: 0,
    reason: 'The value is "bad", which cannot be read as a date.',
  });
});
