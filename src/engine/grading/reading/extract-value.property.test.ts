import fc from "fast-check";
import { expect, test } from "vitest";
import type { ExtractRule, ExtractTarget } from "../../../core/templates/extract-rule.ts";
import { extractValue } from "./extract-value.ts";

const RULES: readonly (readonly [ExtractRule, ExtractTarget])[] = [
  [{ type: "letter" }, { type: "enum", values: ["A", "B", "C"] }],
  [{ type: "number" }, { type: "number" }],
  [{ type: "number" }, { type: "integer" }],
  [{ type: "stance" }, { type: "boolean" }],
  [
    { type: "aliases", values: { Canberra: ["acts"], Sydney: [] } },
    { type: "enum", values: ["Canberra", "Sydney"] },
  ],
  [{ type: "regex", pattern: "(\\w+)" }, { type: "string" }],
];

/** Words that rules look out for, in any order, with anything between them. */
const piece = fc.oneof(
  fc.constantFrom(
    "A",
    "B",
    "(C)",
    "not",
    "the answer is",
    "Answer:",
    "**",
    "\n",
    "1,000",
    "3.5",
    "-",
    "%",
    "yes",
    "no",
    "but",
    "actually",
    "Canberra",
    "Sydney",
    "or",
    "\\boxed{",
    "}",
    "<think>",
    "</think>",
    "####",
    ".",
  ),
  fc.string({ unit: "grapheme", maxLength: 8 }),
);
const reply = fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join(" "));

function hasType({ type, values }: ExtractTarget, value: unknown): boolean {
  if (type === "enum") return values?.includes(value as never) ?? false;
  if (type === "integer") return Number.isInteger(value);
  return type === "number" ? Number.isFinite(value) : typeof value === type;
}

test("never throws, and what is found has the type of the field", () => {
  fc.assert(
    fc.property(fc.constantFrom(...RULES), reply, ([rule, target], text) => {
      const { status, value } = extractValue(rule, target, text);
      if (status === "found") expect(hasType(target, value)).toBe(true);
      else expect(value).toBe(null);
    }),
    { numRuns: 2000 },
  );
});

test("an answer that is marked as such is read, whatever neutral text stands before it", () => {
  const filler = fc.array(
    fc.constantFrom("Let us see.", "This is a question about geography.", "Thank you for asking.", "Hm."),
    { maxLength: 5 },
  );
  fc.assert(
    fc.property(filler, fc.constantFrom("A", "B", "C"), (before, letter) => {
      const text = [...before, `Final answer: ${letter}`].join(" ");
      expect(extractValue({ type: "letter" }, { type: "enum", values: ["A", "B", "C"] }, text).value).toBe(
        letter,
      );
    }),
  );
});

/** Pieces at which a rule could look at the rest of the text again for each of them. */
const PIECES = [
  ..."aAB1.,!?:;()[]{}*_`~\\$#<>=+-/^%'\"\n ½é中😀",
  ..."B B |the answer is |not |you said |1 |1, |= 1 |A) x\n|<think>|\\boxed{|~~a|yes, |canberra |A and |one hundred |é".split(
    "|",
  ),
  ..."1/|1 000 |it is not true |final |if |....|[[|while canberra |sydney, not the |some say B, others C, |it's sydney, ".split(
    "|",
  ),
  ..."on earth it would be B, |5. check: = 1 |7 or sydney |D and A |wrong about |your guide says sydney |, at 5 |in 1903 ".split(
    "|",
  ),
];

// Twice the text may take twice the time; what is quadratic would not end.
test.each(PIECES)("hostile repeats of %j take linear time and do not throw", (piece) => {
  const text = `${piece.repeat(Math.ceil(60_000 / piece.length))}!x`;
  const described = { description: "Whether Sydney is the capital of Australia since 1903" };
  for (const [rule, target] of RULES) extractValue(rule, { ...target, ...described }, text);
});
