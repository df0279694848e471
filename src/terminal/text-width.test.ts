import { expect, test } from "vitest";
import { cutToWidth, textWidth } from "./text-width.ts";

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
