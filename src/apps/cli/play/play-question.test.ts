import { describe, expect, test } from "vitest";
import { COLOUR_STYLE, PLAIN_STYLE } from "../../../system/terminal/terminal.ts";
import { playQuestion, spokenText } from "./play-screen.ts";

const plain = { style: PLAIN_STYLE, width: 40 };

test("a heading, what leads, and the question", () => {
  const question = {
    node: "ask",
    turn: 2,
    agent: "guide",
    instructions: "Be terse.",
    examples: [{ question: "1 + 1?", answer: "2" }],
    text: "The capital\nof Australia, in one word and nothing else?",
  };
  expect(playQuestion(question, plain)).toBe(
    "\n── ask · turn 2 · to guide ──\nSystem prompt: Be terse.\nExample: 1 + 1?\nAnswer: 2\n" +
      "The capital\nof Australia, in one word and nothing\nelse?\n",
  );
  expect(playQuestion(question, { ...plain, style: COLOUR_STYLE })).toContain(
    "\u001b[1m── ask · turn 2 · to guide ──\u001b[22m\n\u001b[2mSystem prompt",
  );
});

test("a name fits, whatever it is", () => {
  const [, heading = ""] = playQuestion({ node: `x\n${"y".repeat(90)}`, turn: 1, text: "?" }, plain).split(
    "\n",
  );
  expect(heading).toMatch(/^── x y+… ──$/);
  expect(heading).toHaveLength(40);
  expect(playQuestion({ node: "", turn: 1, text: "?" }, plain)).toContain('── "" · turn 1 ──');
});

describe("what somebody said", () => {
  test.each([
    ["keeps the spaces of lines that fit", "if x:\n    y\n\tz", "  if x:\n      y\n      z\n"],
    ["keeps empty lines", "a\n\nb", "  a\n\n  b\n"],
    ["is wrapped", "one two three four five", "  one two three four\n  five\n"],
    ["cannot take over the terminal", "a\u001b[2Jb\rc", "  a\ufffd[2Jb\n  c\n"],
  ])("%s", (_what, text, shown) => {
    expect(spokenText(text, { width: 20, indent: 2 })).toBe(shown);
  });
});
