import { expect, test } from "vitest";
import { COLOUR_STYLE, PLAIN_STYLE } from "../terminal/terminal.ts";
import type { ThresholdResult } from "./check-thresholds.ts";
import { thresholdText } from "./threshold-text.ts";

function result(passed: boolean, reason: string): ThresholdResult {
  return {
    outcome: "firm",
    minimum: 0.9,
    by: "rate",
    subject: "a",
    judge: "j",
    actual: 1,
    n: 1,
    passed,
    reason,
  };
}

test("says of each what became of it, and how many were missed", () => {
  const results = [
    result(true, "firm of a is 95.0 % (n 20), at least 90 %."),
    result(false, "firm of b is 0.0 % (n 20), below 90 %."),
  ];
  expect(thresholdText(results, { style: PLAIN_STYLE, width: 40 })).toBe(`\
Thresholds
✓ reached firm of a is 95.0 % (n 20), at
          least 90 %.
✗ missed  firm of b is 0.0 % (n 20),
          below 90 %.
1 of 2 thresholds was missed.
`);
});

test("nothing is said of no thresholds", () => {
  expect(thresholdText([], { style: PLAIN_STYLE, width: 80 })).toBe("");
});

test("all reached", () => {
  const lines = (count: number): string =>
    thresholdText(
      Array.from({ length: count }, () => result(true, "Yes.")),
      { style: PLAIN_STYLE, width: 80 },
    );
  expect(lines(1)).toMatch(/\nThe threshold was reached\.\n$/);
  expect(lines(2)).toMatch(/\nAll 2 thresholds were reached\.\n$/);
});

test("green is reached, red is missed", () => {
  const coloured = thresholdText([result(true, "a"), result(false, "b")], { style: COLOUR_STYLE, width: 80 });
  expect(coloured).toContain(`${COLOUR_STYLE.green("✓ reached")} a\n`);
  expect(coloured).toContain(`${COLOUR_STYLE.red("✗ missed")}  b\n`);
});
