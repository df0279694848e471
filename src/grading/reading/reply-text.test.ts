import { describe, expect, it } from "vitest";
import { ReplyText } from "./reply-text.ts";

/** The parts of a text, by asking at each character where its part begins. */
function partsOf(text: string, startOf: (reply: ReplyText, position: number) => number): string[] {
  const reply = new ReplyText(text);
  const starts = new Set([...reply.text].map((_, index) => startOf(reply, index)));
  const inOrder = [...starts].sort((one, other) => one - other);
  return inOrder
    .map((start, index) => reply.text.slice(start, inOrder[index + 1]).trim())
    .filter((part) => part !== "");
}

describe("sentences", () => {
  it.each<[string, string[]]>([
    ["One. Two! Three?", ["One.", "Two!", "Three?"]],
    ["It is 3.5, approx. 4, e.g. this.", ["It is 3.5, approx. 4, e.g. this."]],
    ["1. First\n2. Second", ["1. First", "2. Second"]],
    ["The answer is B.\nBecause.", ["The answer is B.", "Because."]],
    // A line that breaks off in the middle goes on in the next one.
    ["The answer is not\nB", ["The answer is not\nB"]],
    ["a long line that\ngoes on", ["a long line that\ngoes on"]],
    ["Paris\n\nBerlin", ["Paris", "Berlin"]],
    ["答案是B。因为", ["答案是B。", "因为"]],
  ])("of %j", (text, sentences) => {
    expect(partsOf(text, (reply, position) => reply.sentenceStart(position))).toEqual(sentences);
  });
});

describe("clauses", () => {
  it.each<[string, string[]]>([
    ["not A, but B", ["not A,", "but B"]],
    ["A is wrong so B", ["A is wrong", "so B"]],
    ["not (B) nor (C)", ["not (B) nor (C)"]],
    ["B (which I like) wins", ["B (", "which I like)", "wins"]],
    ["anything but B", ["anything but B"]],
    ["A - B", ["A -", "B"]],
  ])("of %j", (text, clauses) => {
    expect(partsOf(text, (reply, position) => reply.clauseStart(position))).toEqual(clauses);
  });
});

it("knows lines and questions", () => {
  const reply = new ReplyText("Is it B?\nIt is B.");
  expect([reply.asks(3), reply.asks(12)]).toEqual([true, false]);
  expect(reply.text.slice(reply.lineStart(12), reply.lineEnd(12))).toBe("It is B.");
  expect(reply.text.slice(0, reply.sentenceEnd(2)).trim()).toBe("Is it B?");
});

it("has lower case of the same length", () => {
  const { text, lower } = new ReplyText("İSTANBUL Straße");
  expect(lower).toHaveLength(text.length);
  expect(lower.slice(1)).toBe("stanbul straße");
});
