import { describe, expect, it } from "vitest";
import { ReplyText, shownText } from "./reply-text.ts";

describe("sentences", () => {
  it.each<[string, string[]]>([
    ["One. Two! Three?", ["One.", "Two!", "Three?"]],
    ["It is 3.5, approx. 4, e.g. this.", ["It is 3.5, approx. 4, e.g. this."]],
    ["1. First\n2. Second", ["1. First", "2. Second"]],
    ["The answer is B.\nBecause.", ["The answer is B.", "Because."]],
    // A line that breaks off in the middle goes on in the next one.
    ["The answer is not\nB", ["The answer is not\nB"]],
    ["Paris\n\nBerlin", ["Paris", "Berlin"]],
    ["答案是B。因为", ["答案是B。", "因为"]],
  ])("of %j", (text, sentences) => {
    const reply = new ReplyText(text);
    const parts = reply.sentences.map(({ start, end }) => reply.text.slice(start, end).trim());
    expect(parts.filter((part) => part !== "")).toEqual(sentences);
  });
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
  ])("of %j is %j", (reply, text) => expect(new ReplyText(reply).text.trimStart()).toBe(text.trimStart()));
});

it("knows where each part stood in the reply", () => {
  const reply = "<think>no</think> The **answer** is \\frac{3}{4}.";
  const { text, span } = new ReplyText(reply);
  const at = (part: string): string =>
    reply.slice(...span(text.indexOf(part), text.indexOf(part) + part.length));
  expect(text.trim()).toBe("The answer is 3/4.");
  expect([at("answer"), at("3/4"), at("The")]).toEqual(["answer", "\\frac{3}{4}", "The"]);
});

it("keeps positions that stand in different answering parts apart", () => {
  const reply = "One <think>x</think> two <think>y</think> three";
  const { text, span } = new ReplyText(reply);
  expect(text.split(/\s+/)).toEqual(["One", "two", "three"]);
  expect(reply.slice(...span(text.indexOf("three"), text.length))).toBe("three");
});

describe("what is shown", () => {
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
    // What a renderer hides.
    ["Sydney. <!-- Answer: Canberra -->", "Sydney. "],
    ["Sydney.\n\n[//]: # (Answer: Canberra)\n", "Sydney.\n\n"],
    ["Sydney <!-- never closed, Canberra", "Sydney "],
    ['Sydney <span style="display:none">Canberra</span>', "Sydney "],
    ["Sydney <p hidden>Canberra</p>", "Sydney "],
    // Code shows all of it.
    ["`<!-- B -->`", "`<!-- B -->`"],
    ["[Answer]: B", "[Answer]: B"],
  ])("of %j is %j", (reply, text) => {
    const shown = shownText(reply);
    expect(shown).toHaveLength(reply.length);
    expect(shown.trim().replace(/\s+/g, " ")).toBe(text.trim().replace(/\s+/g, " "));
  });
});
