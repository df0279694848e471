import { describe, expect, it } from "vitest";
import { type Normalizer, normalizer } from "./normalize.ts";

function normalize(normalizers: readonly Normalizer[], text: string): string {
  return normalizer(normalizers)(text);
}

describe("normalizer", () => {
  it.each<[readonly Normalizer[], string, string]>([
    [[], " A ", " A "],
    [["lowercase"], "ÄÖ İ ß", "äö i̇ ß"],
    [["strip"], "\u00a0\u3000 a  b \u2028", "a  b"],
    [["strip"], "\x1fa\x85", "a"],
    [["remove_punctuation"], "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", ""],
    [["remove_punctuation"], "B.C.L-2 a—b “c” ¿d? 5€", "BCL2 a—b “c” ¿d 5€"],
    [["collapse_whitespace"], "\t a \u00a0\n b\u2003", "a b"],
    [["unicode"], "ﬁve ２ Å ½", "five 2 Å 1⁄2"],
    [["lowercase", { synonyms: { "b-cell lymphoma 2": "bcl2" } }], "B-cell Lymphoma 2", "bcl2"],
    [[{ synonyms: { "b-cell lymphoma 2": "bcl2" } }, "lowercase"], "B-cell Lymphoma 2", "b-cell lymphoma 2"],
    [[{ mapping: { a: "b" } }], "a", "b"],
    [[{ synonyms: { a: "b", b: "c" } }], "a", "b"],
    [[{ synonyms: { a: "b" } }, { synonyms: { b: "c" } }], "a", "c"],
    [[{ synonyms: { a: "b" } }], "xa", "xa"],
    [[{ synonyms: { a: "" } }], "a", ""],
    [["remove_punctuation", "strip"], "( a )", "a"],
    [["strip", "remove_punctuation"], "( a )", " a "],
  ])("%j turns %j into %j", (normalizers, text, expected) =>
    expect(normalize(normalizers, text)).toBe(expected),
  );

  it.each(["__proto__", "constructor", "toString", "hasOwnProperty"])(
    "finds no synonym for %j that nobody wrote",
    (text) => {
      expect(normalize([{ synonyms: {} }], text)).toBe(text);
    },
  );

  it("finds a synonym for __proto__ that somebody wrote", () => {
    expect(normalize([{ synonyms: JSON.parse('{"__proto__":"x"}') }], "__proto__")).toBe("x");
  });
});
