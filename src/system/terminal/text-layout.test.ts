import * as fc from "fast-check";
import { expect, test } from "vitest";
import { alignColumns, cutToWidth, splitToWidth, textWidth, wrapText } from "./text-layout.ts";

test.each([
  ["", 0],
  ["plain", 5],
  ["naïve – “quoted” … →", 20],
  ["日本語", 6],
  ["ｶﾅ halfwidth", 12],
  ["ＡＢ", 4],
  ["한글", 4],
  ["\u1112\u1161\u11ab", 2],
  ["e\u0301", 1],
  ["x\u0336y\u0336", 2],
  ["שָׁלוֹם", 4],
  ["ภาษาไทย", 7],
  ["😀", 2],
  ["👍🏽", 2],
  ["👩‍⚕️", 2],
  ["👨‍👩‍👧‍👦", 2],
  ["🇦🇺", 2],
  ["1️⃣", 2],
  ["1\u20e3", 2],
  ["\u{1f3f3}\u200d\u{1f308}", 2],
  ["กำ", 2],
  ["❤", 1],
  ["❤️", 2],
  ["𠮷", 2],
  ["\ufffd", 1],
  ["├─→ ↺ ▶ · ≥", 11],
])("textWidth(%j) is %i", (text, width) => {
  expect(textWidth(text)).toBe(width);
});

test.each([
  ["fits exactly", 12, "fits exactly"],
  ["one too many", 11, "one too ma…"],
  ["no space before", 9, "no space…"],
  ["日本語", 6, "日本語"],
  ["日本語", 5, "日本…"],
  ["日本語", 4, "日…"],
  ["e\u0301e\u0301e\u0301", 2, "e\u0301…"],
  ["👩‍⚕️👩‍⚕️", 3, "👩‍⚕️…"],
  ["👩‍⚕️👩‍⚕️", 2, "…"],
  ["🇦🇺🇦🇹", 4, "🇦🇺🇦🇹"],
  ["text", 1, "…"],
  ["text", 0, ""],
  ["text", Number.POSITIVE_INFINITY, "text"],
])("cutToWidth(%j, %d) is %j", (text, columns, cut) => {
  expect(cutToWidth(text, columns)).toBe(cut);
});

test("cutToWidth counts the columns of its ellipsis", () => {
  expect(cutToWidth("abcdefgh", 6, "...")).toBe("abc...");
  expect(cutToWidth("abcdefgh", 2, "...")).toBe("");
});

test("splitToWidth keeps graphemes whole", () => {
  expect(splitToWidth("abcde", 2)).toEqual(["ab", "cd", "e"]);
  expect(splitToWidth("日e\u0301本", 3)).toEqual(["日e\u0301", "本"]);
  expect(splitToWidth("👩‍⚕️👩‍⚕️", 3)).toEqual(["👩‍⚕️", "👩‍⚕️"]);
});

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

test("columns stand below each other, whatever their cells are painted with", () => {
  const red = (text: string): string => `<red>${text}</red>`;
  const lines = alignColumns(
    [
      [{ text: "subject" }, { text: "rate" }, { text: "n" }],
      [{ text: "日本" }, { text: "5 %", paint: red }, { text: "1000" }],
      [{ text: "a" }, { text: "" }, { text: "3" }],
      [{ text: "b" }, { text: "" }, { text: "" }],
    ],
    ["<", ">", ">"],
  );
  expect(lines).toEqual([
    "subject  rate     n",
    "日本      <red>5 %</red>  1000",
    "a                 3",
    "b",
  ]);
});
