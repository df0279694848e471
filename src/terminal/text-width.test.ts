import { expect, test } from "vitest";
import { cutToWidth, splitToWidth, textWidth } from "./text-width.ts";

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
