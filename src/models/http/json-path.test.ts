import { expect, test } from "vitest";
import { parseJsonPath, valueAt } from "./http-reply.ts";

const JSON_VALUE = { a: { b: [{ c: 1 }, [2, null]] }, "odd key": "x" };

test.each<[string, unknown]>([
  ["a.b[0].c", 1],
  ["a.b[1][0]", 2],
  ["a.b[1][1]", null],
  ["odd key", "x"],
  ["a.b[2]", undefined],
  ["a.b.length", undefined],
  ["a.c.d", undefined],
  ["a[0]", undefined],
  ["__proto__.toString", undefined],
])("%s", (path, value) => {
  expect(valueAt(JSON_VALUE, parseJsonPath(path, "p"))).toBe(value);
});

test("a list at the top", () => {
  expect(valueAt([{ text: "x" }], parseJsonPath("[0].text", "p"))).toBe("x");
});

test.each(["", ".", "a.", ".a", "a..b", "a[", "a[x]", "a[-1]", "a]b", "[0]a", "a[0]b", undefined, 7])(
  "%o is no path",
  (path) => {
    expect(() => parseJsonPath(path, "`reply`")).toThrow("Expected `reply` to be a path such as");
  },
);

test("a long path is read in no time", () => {
  expect(parseJsonPath(`a${"[1]".repeat(20_000)}`, "p")).toHaveLength(20_001);
  expect(() => parseJsonPath(`${"a[1]".repeat(20_000)}.`, "p")).toThrow("Expected p");
});
