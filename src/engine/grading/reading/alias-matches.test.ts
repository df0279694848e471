import { describe, expect, it } from "vitest";
import { aliasMentions, aliasTree } from "./alias-matches.ts";

const GENES = {
  "BCL-2": ["bcl2", "B-cell lymphoma 2"],
  BCL2L1: ["Bcl-xL", "B-cell lymphoma 2 like 1"],
  TP53: ["p53"],
};

function found(text: string, values: Readonly<Record<string, readonly string[]>>): string[] {
  return aliasMentions(text, aliasTree(values)).map(
    ({ value, start, end }) => `${value}: ${text.slice(start, end)}`,
  );
}

describe("whole words, whatever their spelling", () => {
  it.each<[string, string[]]>([
    ["bcl2 and P53", ["BCL-2: bcl2", "TP53: P53"]],
    ["bcl2l1", ["BCL2L1: bcl2l1"]],
    ["bcl2l2, p533, xp53", []],
    ["BCL‑2, BCL–2, BCL−2", ["BCL-2: BCL‑2", "BCL-2: BCL–2", "BCL-2: BCL−2"]],
    ["B-cell  lymphoma\n2", ["BCL-2: B-cell  lymphoma\n2"]],
    ["B-cell lymphoma 2 like 1", ["BCL2L1: B-cell lymphoma 2 like 1"]],
    ["ＢＣＬ２", ["BCL-2: ＢＣＬ２"]],
    ["BCL-2-like, anti-p53, p53-based", []],
    ["p53—the guardian; p53's; (p53)", ["TP53: p53", "TP53: p53", "TP53: p53"]],
  ])("%j", (text, mentions) => expect(found(text, GENES)).toEqual(mentions));
});

it("lets the longest alias win where they overlap", () => {
  expect(found("new york city hall", { York: ["new york"], Hall: ["york city hall"] })).toEqual([
    "Hall: york city hall",
  ]);
});

it("knows languages without spaces, marks and composed letters", () => {
  expect(found("首都是堪培拉市", { Canberra: ["堪培拉"] })).toEqual(["Canberra: 堪培拉"]);
  expect(found("Sa\u0303o Paulo", { SP: ["São Paulo"] })).toEqual(["SP: Sa\u0303o Paulo"]);
  expect(found("C, C++ and C#", { "C++": [], C: [] })).toEqual(["C: C", "C++: C++"]);
  expect(found("3.5 or 5", { five: ["5"] })).toEqual(["five: 5"]);
});

it("takes everyday words for names only if they are written so", () => {
  const values = { "United States": ["US"], WHO: [], May: [] };
  expect(found("Let us see who may go.", values)).toEqual([]);
  expect(found("the US, the WHO in May", values)).toEqual(["United States: US", "WHO: WHO", "May: May"]);
});

it("gives every value of an alias that has several", () => {
  expect(found("x", { a: ["x"], b: ["x"] })).toEqual(["a: x", "b: x"]);
});

it("has no aliases that nobody wrote", () => {
  expect(found("constructor toString __proto__", { a: [], "": ["", " "] })).toEqual([]);
});
