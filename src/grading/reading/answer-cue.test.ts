import { describe, expect, it } from "vitest";
import { ANSWER, announces, answerCues, CLAIM, FINAL, WORKING } from "./answer-cue.ts";
import { ReplyText } from "./reply-text.ts";

/** The strength of the cue that announces the first X of a text; 0 if none does. */
function strengthOf(text: string): number {
  const reply = new ReplyText(text);
  const start = reply.text.indexOf("X");
  const cues = answerCues(reply).filter((cue) => cue.end <= start && announces(reply, cue, start));
  return cues.at(-1)?.strength ?? 0;
}

describe("cues", () => {
  it.each<[number, string[]]>([
    [
      FINAL,
      [
        "Final answer: X",
        "My final answer is X",
        "**Final Answer:** X",
        "\\boxed{X}",
        "\\boxed{\\text{X}}",
        "[[X]]",
      ],
    ],
    [
      FINAL,
      ["<answer>X</answer>", "<answer> X", "Final Answer\n\nX", "#### X", "The final answer is $\\boxed{X}$"],
    ],
    [
      ANSWER,
      [
        "The answer is X",
        "Answer: X",
        "the answer is:\n\n**X**",
        "## Answer\nX",
        '{"answer": "X"}',
        "answer = X",
      ],
    ],
    [
      ANSWER,
      [
        "I'd go with X",
        "I would still choose option X",
        "I'll stick with X",
        "I have to say X",
        "Let's go with X",
      ],
    ],
    [
      ANSWER,
      ["The best option would be X", "My answer remains the same: X", "The answer to your question is X"],
    ],
    [
      ANSWER,
      ["I'm changing my answer from A to X", "Die Antwort ist X", "La respuesta correcta es la X", "答案是X"],
    ],
    [
      CLAIM,
      [
        "So X",
        "It's X",
        "I think X",
        "Therefore, (X)",
        "Actually, X",
        "It must be X",
        "Choose X",
        "In short: X",
      ],
    ],
    [WORKING, ["1 + 1 = X", "≈ X", "This equals X"]],
    [
      0,
      ["X", "The answer is not X", "I will choose between A and X", "Only a fool would choose X", "answer X"],
    ],
    [0, ["#### X marks the spot", "a != X", "The answers differ. X"]],
  ])("of strength %d: %j", (strength, texts) => {
    expect(texts.map(strengthOf)).toEqual(texts.map(() => strength));
  });
});
