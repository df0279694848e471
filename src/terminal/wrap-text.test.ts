import * as fc from "fast-check";
import { expect, test } from "vitest";
import { textWidth } from "./text-width.ts";
import { wrapText } from "./wrap-text.ts";

test.each<[string, number, readonly string[]]>([
  ["", 10, [""]],
  ["one two three", 8, ["one two", "three"]],
  ["one  two", 80, ["one two"]],
  ["one\n\ntwo", 80, ["one", "", "two"]],
  ["abcdefgh ij", 3, ["abc", "def", "gh", "ij"]],
  ["code:\n  if (x)\n\treturn", 80, ["code:", "  if (x)", "    return"]],
  ["  one two", 6, ["  one", "  two"]],
  ["          deep", 12, ["deep"]],
  ["one ", 3, ["one"]],
  ["日本語", 4, ["日本", "語"]],
  ["日本", 1, ["日", "本"]],
  [" 日", 2, ["日"]],
])("%j in %i columns", (text, columns, lines) => {
  expect(wrapText(text, columns)).toEqual(lines);
});

test("no line is too long, and no word is lost", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 2, max: 40 }), (text, columns) => {
      const lines = wrapText(text, columns);
      for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(columns);
      const letters = (some: string): string => some.replace(/[ \t\n]+/g, "");
      expect(letters(lines.join(""))).toBe(letters(text));
    }),
  );
});
