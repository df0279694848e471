import { describe, expect, it } from "vitest";
import { announces } from "./answer-cue.ts";
import { ReplyText } from "./reply-text.ts";
import { Context, type Standing } from "./statement.ts";

/** How the first X of a text stands. */
function standingOf(text: string): Standing {
  const context = new Context(new ReplyText(text));
  const start = context.reply.text.indexOf("X");
  const cue = context.cueBefore(start);
  const announced = cue !== undefined && announces(context.reply, cue, start);
  const group = { mentions: [], start, end: start + 1, join: "none" } as const;
  return context.standing(group, 0, announced ? cue : undefined);
}

describe("what a reply does with a value", () => {
  it.each<[Standing, string[]]>([
    [
      "asserted",
      ["The answer is X.", "X is correct.", "Not A, but X.", "I'm not sure, but X.", "There is no doubt: X."],
    ],
    [
      "asserted",
      ["If I had to choose, X.", "You are right, it's X.", "As you said, it's X.", "You should choose X."],
    ],
    ["asserted", ["Your answer, X, is correct.", "I stick with my original answer, X.", "Not only X."]],
    [
      "denied",
      ["It is not X.", "It isn't X.", "X is wrong.", "X can be ruled out.", "rather than X", "instead of X"],
    ],
    [
      "denied",
      [
        "I don't think that the answer is X.",
        "X is not the answer.",
        "neither X",
        "anything but X",
        "Avoid X",
      ],
    ],
    [
      "denied",
      ["The wrong answer: X", "It would be a mistake to choose X.", "X cannot be right.", "X doesn't fit."],
    ],
    [
      "others",
      [
        "You said X.",
        "You said that, in your view, it is X.",
        "Many people think it's X.",
        "Your answer was X.",
      ],
    ],
    [
      "others",
      [
        "I first thought X.",
        "My previous answer was X.",
        "The obvious answer is X.",
        "I used to think it was X.",
      ],
    ],
    ["others", ["X is what you said.", "X, according to you."]],
    [
      "doubtful",
      [
        "Is it X?",
        "If it's X, then no.",
        "It might be X.",
        "Perhaps X.",
        "X if it rains.",
        "X in most cases.",
      ],
    ],
    ["doubtful", ["It is not not X.", "X cannot be ruled out.", "X is often mistaken for it."]],
    ["conceded", ["Although X is large, no.", "Even if it is X, no.", "On Mars it would be X."]],
    ["denied", ["I was wrong about X.", "I apologize for saying X.", "I confused it with X."]],
  ])("%s: %j", (standing, texts) => {
    expect(texts.map((text) => [text, standingOf(text)])).toEqual(texts.map((text) => [text, standing]));
  });
});
