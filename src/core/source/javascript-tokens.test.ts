// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the sources read here are texts.
import { describe, expect, it } from "vitest";
import {
  readToken,
  regularExpressionEnd,
  type Token,
  templatePieceEnd,
  wordName,
} from "./javascript-tokens.ts";

function tokens(source: string): Token[] {
  const found: Token[] = [];
  for (let position = 0; ; position = found.at(-1)?.end ?? 0) {
    const token = readToken(source, position);
    if (token.kind === "end") return found;
    found.push(token);
  }
}

describe("readToken", () => {
  it.each<[string, string[]]>([
    ["a?.b", ["a", "?.", "b"]],
    ["a?.5:b", ["a", "?", ".5", ":", "b"]],
    ["a>>>=b>>c>=d", ["a", ">>>=", "b", ">>", "c", ">=", "d"]],
    ["a??=b||=c&&=d**=e", ["a", "??=", "b", "||=", "c", "&&=", "d", "**=", "e"]],
    ["a+++b", ["a", "++", "+", "b"]],
    ["(...a)=>b", ["(", "...", "a", ")", "=>", "b"]],
    ["1..toFixed", ["1.", ".", "toFixed"]],
    ["1_000 0xFFn 0b1_0 0o17 1e-5 .5e3 0 0n 1.5", "1_000 0xFFn 0b1_0 0o17 1e-5 .5e3 0 0n 1.5".split(" ")],
    [`"it's \\" // no" 'a\\\r\nb'`, [`"it's \\" // no"`, "'a\\\r\nb'"]],
    ["a // b\u2028c /* d \n */ e", ["a", "c", "e"]],
    ["größe $_ \\u0061b x\\u{62} #secret 𝒳", ["größe", "$_", "\\u0061b", "x\\u{62}", "#secret", "𝒳"]],
    ["\uFEFFa\u00A0b", ["a", "b"]],
  ])("reads %j", (source, expected) => {
    expect(tokens(source).map((token) => token.text)).toEqual(expected);
    expect(tokens(source).every((token) => token.kind !== "unreadable")).toBe(true);
  });

  it.each([["017"], ["08.5"], ["3px"], ["1\\u0061"], ["'open"], ["'a\nb'"], ["@"], ["<!-- a"], ["\n--> a"]])(
    "does not read %j",
    (source) => {
      expect(tokens(source).map((token) => token.kind)).toContain("unreadable");
    },
  );

  it("knows whether a line ends before a token", () => {
    expect(tokens("a b\nc /*\n*/ d // e\u2029 f /* */ g").map((token) => token.newlineBefore)).toEqual([
      false,
      false,
      true,
      true,
      true,
      false,
    ]);
  });
});

describe("regularExpressionEnd", () => {
  it.each([["/a/"], ["/[/]/g"], ["/\\//u"], ["/'\"`/"], ["/[\\]/]+/"], ["/=a/"]])(
    "ends %s at its end",
    (text) => {
      expect(regularExpressionEnd(`${text} / b / c`, 0)).toBe(text.length);
    },
  );

  it.each([["//"], ["/*a/"], ["/a\n/"], ["/[a/"]])("finds no end of %j", (text) => {
    expect(regularExpressionEnd(text, 0)).toBeUndefined();
  });
});

describe("templatePieceEnd", () => {
  it.each<[string, number | undefined]>([
    ["a`b", 2],
    ["a${b", 3],
    ["$a$$`", 5],
    ["\\`\\${`", 6],
    ["$${", 3],
    ["open", undefined],
  ])("of %j is %j", (text, expected) => {
    expect(templatePieceEnd(text, 0)).toBe(expected);
  });
});

it("decodes no more than four digits of a plain escape", () => {
  expect([wordName("\\u0061a"), wordName("x\\u{62}\\u{00063}"), wordName("plain")]).toEqual([
    "aa",
    "xbc",
    "plain",
  ]);
});
