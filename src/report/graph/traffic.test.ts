import { expect, test } from "vitest";
import { shareText } from "./traffic.ts";

test.each<[number, number, string]>([
  [1, 2, "50 %"],
  [2, 3, "67 %"],
  [0, 7, "0 %"],
  [7, 7, "100 %"],
  [1, 1000, "<1 %"],
  [999, 1000, ">99 %"],
  [0, 0, ""],
  [3, 0, ""],
  [4, 3, ""],
])("%i of %i is %j", (part, whole, text) => {
  expect(shareText(part, whole)).toBe(text);
});
