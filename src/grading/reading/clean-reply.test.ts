import { describe, expect, it } from "vitest";
import { cleanReply } from "./reply-text.ts";

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
