import { describe, expect, it } from "vitest";
import { answerText } from "./reply-text.ts";

describe("the answering part", () => {
  it.each([
    ["B", "B"],
    ["<think>A</think>B", "B"],
    ["<think>A</think>\n\n B", "B"],
    ["<Thinking>A</Thinking> B", "B"],
    ["Hello <think>A</think> B", "Hello \nB"],
    ["<think>A<think>x</think>y</think>B", "B"],
    // Only the end of the block is in the reply.
    ["A is wrong</think>B", "B"],
    // Nothing after it: what was thought is all there is.
    ["<think>B</think>", "B"],
    ["<think>B</think>\n ", "B"],
    // Cut off before it answered.
    ["<think>the answer is B", ""],
    ["Sure. <think>the answer is B", "Sure. "],
    ["", ""],
    ["a < b > c <thinks>", "a < b > c <thinks>"],
  ])("of %j is %j", (reply, text) => expect(answerText(reply).text).toBe(text));
});

it("knows where it stood", () => {
  const reply = "One <think>x</think> two <think>y</think> three";
  const { text, span } = answerText(reply);
  for (const word of ["One", "two", "three"]) {
    const at = text.indexOf(word);
    expect(reply.slice(...span(at, at + word.length))).toBe(word);
  }
});
