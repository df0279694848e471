import { expect, test } from "vitest";
import { ANSWER, APPROVAL, approvalAfter, CLAIM, cueBefore } from "./answer-cue.ts";
import { ReplyText } from "./reply-text.ts";

/** The strength of the cue before the first X of a text; 0 if there is none. */
function strengthBefore(text: string): number {
  const { text: clean, lower } = new ReplyText(text);
  return cueBefore(lower, 0, clean.indexOf("X"))?.strength ?? 0;
}

test.each<[number, string[]]>([
  [ANSWER, ["Final answer: X", "My final answer is X", "\\boxed{X}", "<answer>X</answer>", "## Answer\nX"]],
  [ANSWER, ["The answer is X", "the answer is:\n\n**X**", '{"answer": "X"}', "The letter is X", "答案是X"]],
  [ANSWER, ["I'd go with X", "I would still choose option X", "I'll stick with X", "Let's go with X"]],
  [ANSWER, ["The best option would be X", "I'm changing my answer from A to X", "Die Antwort ist X"]],
  [CLAIM, ["So X", "It's X", "I think X", "Therefore, (X)", "Actually, X", "It must be X", "Choose X"]],
  [0, ["X", "The answer is not X", "I will choose between A and X", "Only a fool would choose X", "a != X"]],
])("the cue before a value is of strength %d: %j", (strength, texts) => {
  expect(texts.map((text) => [text, strengthBefore(text)])).toEqual(texts.map((text) => [text, strength]));
});

test("a conclusion replaces what its sentence said before", () => {
  expect(cueBefore("that gives 3, so ", 0, 17)).toMatchObject({ concludes: true, start: 14 });
  expect(cueBefore("it is ", 0, 6)).toMatchObject({ concludes: false });
});

test.each<[number, string[]]>([
  [ANSWER, [" is the answer.", " is my final answer", ") is the correct choice."]],
  [APPROVAL, [" is correct.", " is the best one", " makes the most sense", " fits best."]],
  [0, [" is right about that", " is correct if it rains", " is large", " fits better"]],
])("words of approval behind a value are of strength %d: %j", (strength, texts) => {
  expect(texts.map(approvalAfter)).toEqual(texts.map(() => strength));
});
