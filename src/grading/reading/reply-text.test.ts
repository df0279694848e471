import { describe, expect, it } from "vitest";
import { answerText, cleanReply, ReplyText } from "./reply-text.ts";

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

describe("the text that is left", () => {
  it.each([
    ["**B**", "B"],
    ["***B.***", "B."],
    ["__B__ and _C_", "B and C"],
    ["**A**nswer: B", "Answer: B"],
    ["snake_case stays", "snake_case stays"],
    ["2*3 = 6, 2 * 3 = 6, 2**3 = 8", "2*3 = 6, 2 * 3 = 6, 2**3 = 8"],
    ["* one\n* two", "- one\n- two"],
    ["`B`", "B"],
    ["```json\nB\n```", "\nB\n"],
    ["~~A~~ B", "B"],
    ["<b>B</b><br/>C", "B\nC"],
    ["10<sup>5</sup>, H<sub>2</sub>O", "10^5, H_2O"],
    ["<answer>B</answer>", "<answer>B</answer>"],
    ["B<|eot_id|>", "B"],
    ["“B” – ‘C’ « D »", '"B" – \'C\' " D "'],
    ["−5, 10⁻³, x²", "-5, 10^-3, x^2"],
    ["Ｂ １２", "B 12"],
    ["𝐁", "B"],
    ["a\u200bb\u00ad", "ab"],
    ["a  \t b\r\nc", "a b\nc"],
    ["12\u202f000 and 12 \u00a0000", "12\u00a0000 and 12 000"],
    ["a\n\n\n\n\nb", "a\n\nb"],
    ["  indented", "indented"],
    ["<think>A</think>\nB", "B"],
  ])("of %j is %j", (reply, text) => expect(cleanReply(reply).text.trimStart()).toBe(text.trimStart()));
});

it("knows where each part stood in the reply", () => {
  const reply = "<think>no</think> The **answer** is \\frac{3}{4}.";
  const { text, span } = cleanReply(reply);
  const at = (part: string): string =>
    reply.slice(...span(text.indexOf(part), text.indexOf(part) + part.length));
  expect(text).toBe("The answer is 3/4.");
  expect([at("answer"), at("3/4"), at("The")]).toEqual(["answer", "\\frac{3}{4}", "The"]);
});

it("remembers strong emphasis", () => {
  const { text, strong } = cleanReply("so **C**, *not* <b>D</b>");
  expect([...strong].map((at) => text.slice(at))).toEqual(["C, not D", ", not D", "D", ""]);
});

it("keeps positions that stand in different answering parts apart", () => {
  const reply = "One <think>x</think> two <think>y</think> three";
  const { text, span } = cleanReply(reply);
  expect(text.split(/\s+/)).toEqual(["One", "two", "three"]);
  expect(reply.slice(...span(text.indexOf("three"), text.length))).toBe("three");
});

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
