import { expect, test } from "vitest";
import { isOneOfTwo } from "./read-alias.ts";

/** Asks it of the quantity in brackets, which are left out. */
function oneOfTwo(marked: string): boolean {
  const start = marked.indexOf("[");
  return isOneOfTwo(marked.replace(/[[\]]/g, ""), start, marked.indexOf("]") - 1);
}

test.each([
  "7 or [14 atoms]",
  "7, or perhaps [14 atoms]",
  "7 to [14 atoms]",
  "7–[14 atoms]",
  "between 7 and [14 atoms]",
  "seven or [fourteen atoms]",
  "[14 atoms] or 7",
  "more than [7 atoms]",
])("is one of two: %j", (marked) => {
  expect(oneOfTwo(marked)).toBe(true);
});

test.each([
  "[14 atoms]",
  "not 7 but [14 atoms]",
  "2 × 7 = [14 atoms]",
  "for 7 molecules [14 atoms]",
  "7 molecules or [oxygen atoms]",
  "[14 atoms] or so",
  "h2o and [7 atoms]",
])("is one: %j", (marked) => {
  expect(oneOfTwo(marked)).toBe(false);
});
