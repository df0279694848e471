import { expect, test } from "vitest";
import { standsAlone } from "./realm.ts";

test.each([
  ["(x) => x", "(x) => x", true],
  ["(x) => x", "  (x) => x\n", true],
  ["(x) => x", "/* why */ (x) => x // because", true],
  ["(x) => x", "// a\n// b\n(x) => x", true],
  ["() => 1", "(() => () => 1)()", false],
  ["() => 1", "() => 1, () => 2", false],
  ["() => 1", "() => 1 /* open", false],
  ["", "", false],
  ["", "Math.max", false],
])("%j as %j: %s", (functionText, source, expected) => {
  expect(standsAlone(functionText, source)).toBe(expected);
});

test("a wall of slashes is read in one go", () => {
  expect(standsAlone("x => x", `x => x ${"/".repeat(100_000)}\n!`)).toBe(false);
});
