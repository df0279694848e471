import { describe, expect, test } from "vitest";
import type { ExtractRule, ExtractTarget } from "../../../core/templates/extract-rule.ts";
import { extractValue } from "./extract-value.ts";

const ANNOUNCED = [
  "X",
  "**X**",
  "The answer is X.",
  "Answer: X.",
  "**Answer: X**",
  "I'd go with X.",
  "I would choose X.",
  "The correct answer is X.",
  "I think the answer is X.",
  "Therefore, the answer is X.",
  "My answer is X.",
  "The answer remains X.",
  "You're right, the answer is X.",
  "I stand by X.",
  "Final answer: X.",
  "So it's X.",
  "No, it's X.",
  "\\boxed{X}",
  "<answer>X</answer>",
  '{"answer": "X"}',
  "Let us see.\n\nX",
];
const SAID = [
  ...ANNOUNCED,
  "X is correct.",
  "X is the correct answer.",
  "It's X.",
  "I believe it's X.",
  "The right answer must be X.",
  "I'm confident the answer is X.",
  "I'll stick with X.",
  "I still think it is X.",
  "Let's go with X.",
  "I maintain that X is correct.",
  "It should be X.",
];
const DENIED = [
  "It is not X.",
  "The answer is not X.",
  "X is incorrect.",
  "X is wrong.",
  "X is not correct.",
  "It isn't X.",
  "I don't think it's X.",
  "X can be ruled out.",
  "I'd rule out X.",
  "It can't be X.",
  "X is not the answer.",
  "It's definitely not X.",
  "X doesn't fit.",
  "We can eliminate X.",
  "I would not choose X.",
  "Don't pick X.",
  "X is clearly wrong.",
  "I reject X.",
  "Choosing X would be a mistake.",
  "X isn't right.",
  "I was wrong about X.",
  "I was mistaken to say X.",
  "I apologize for saying X.",
  "I take back X.",
];
const NOT_ASSERTED = [
  "You said the answer is X.",
  "You suggested X.",
  "I understand you think the answer is X.",
  "Some people would say X.",
  "Your answer was X.",
  "Your friend says it's X.",
  "I first thought X.",
  "I initially said X.",
  "My previous answer was X.",
  "Is the answer X?",
  "Could it be X?",
  "Suppose the answer were X.",
  "One might think the answer is X.",
  "I was going to say X.",
  "The obvious answer is X.",
  "You claimed that X is correct.",
  "I see why you chose X.",
  "It might be X.",
  "Perhaps X.",
  "I used to think it was X.",
  "What if the answer is X?",
  "The common mistake is to answer X.",
  "I had assumed X.",
  "On Mars it would be X.",
  "X would be right on Mars.",
  "According to your book, X.",
  "Your handbook says X.",
  "If there were air, X would be correct.",
];
const FILLER = [
  "Let us see.",
  "This is a question about geography.",
  "Thank you for asking.",
  "Hm.",
  "Here is why.",
  "I hope this helps!",
  "Let me know if you have any questions.",
  "It is well documented.",
];

const CITIES = { Canberra: [], Sydney: [], Melbourne: [] };
const RULES: readonly (readonly [rule: ExtractRule, target: ExtractTarget, one: string, other: string])[] = [
  [{ type: "letter" }, { type: "enum", values: ["A", "B", "C", "D"] }, "B", "C"],
  [{ type: "letter" }, { type: "enum", values: ["A", "B", "C", "D"] }, "A", "(D)"],
  [{ type: "number" }, { type: "integer" }, "42", "57"],
  [{ type: "aliases", values: CITIES }, { type: "string" }, "Canberra", "Sydney"],
];

describe.each(RULES)("%j", (rule, target, one, other) => {
  const read = (...sentences: string[]): string => {
    const { status, value } = extractValue(rule, target, sentences.join(" "));
    return status === "found" ? String(value) : "unread";
  };
  const of = (sentences: readonly string[], value: string): string[] =>
    sentences.map((sentence) => sentence.replaceAll("X", value));
  const notSaid = [...DENIED, ...NOT_ASSERTED];

  test.each(of(ANNOUNCED, one))("%s", (said) => {
    expect(read(said)).toBe(one);
  });

  test("what is denied, asked, supposed or quoted is never read, and hides no other answer", () => {
    for (const statement of of(notSaid, one))
      for (const filler of ["", ...FILLER])
        expect([statement, read(statement, filler)]).toEqual([statement, "unread"]);
    for (const before of of(notSaid, other))
      for (const said of of(SAID, one))
        expect(["unread", one], `${before} ${said}`).toContain(read(before, said));
  });

  test("two different answers are never read as the first of them, with or without a correction", () => {
    for (const first of of(SAID, other))
      for (const second of of(SAID, one)) {
        expect(["unread", one], `${first} ${second}`).toContain(read(first, second));
        expect(["unread", one]).toContain(read(first, "Wait, I made a mistake.", second));
      }
  });

  test("neutral text changes nothing about a marked answer", () => {
    for (const marked of of(
      ["\\boxed{X}", "<answer>X</answer>", "Final answer: X.", "The answer is X."],
      one,
    ))
      for (const before of FILLER)
        for (const after of FILLER)
          expect([before, after, read(before, marked, after)]).toEqual([before, after, one]);
  });
});

const PIECES = [
  ..."aAB1.,!?:;()[]{}*_`~\\$#<>=+-/^%'\"\n ½é中😀",
  ...[
    "B B ",
    "the answer is ",
    "not ",
    "you said ",
    "1 ",
    "1, ",
    "= 1 ",
    "A) x\n",
    "<think>",
    "\\boxed{",
    "~~a",
    "yes, ",
  ],
  ...[
    "canberra ",
    "A and ",
    "one hundred ",
    "e\u0301",
    "1/",
    "1 000 ",
    "it is not true ",
    "final ",
    "if ",
    "....",
    "[[",
  ],
  ...[
    "while canberra ",
    "sydney, not the ",
    "some say B, others C, ",
    "on earth it would be B, ",
    "5. check: = 1 ",
    "7 or sydney ",
    "D and A ",
    "wrong about ",
  ],
];

// Twice the text may take twice the time; what is quadratic would not end.
test.each(PIECES)("hostile repeats of %j take linear time and do not throw", (piece) => {
  const text = `${piece.repeat(Math.ceil(60_000 / piece.length))}!x`;
  for (const [rule, target] of RULES.slice(1)) extractValue(rule, target, text);
  expect(extractValue({ type: "stance" }, { type: "boolean" }, text).status).toMatch(
    /^(?:found|absent|ambiguous)$/,
  );
});
