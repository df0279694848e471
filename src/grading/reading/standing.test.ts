import { expect, test } from "vitest";
import { cueBefore } from "./answer-cue.ts";
import { ReplyText } from "./reply-text.ts";
import { type Standing, standingOf } from "./standing.ts";

/** How the first X of a text stands. */
function standing(text: string): Standing {
  const reply = new ReplyText(text);
  const start = reply.text.indexOf("X");
  const cue = cueBefore(reply.lower, reply.sentenceStart(start), start);
  return standingOf(reply, { start, end: start + 1 }, reply.clauseStart(cue?.start ?? start), false);
}

test.each<[Standing, string[]]>([
  ["asserted", ["The answer is X.", "X is correct.", "I'm not sure, but X.", "There is no doubt: X."]],
  ["asserted", ["You are right, it's X.", "As you said, it's X.", "You should choose X.", "Not only X."]],
  ["asserted", ["I stick with my original answer, X.", "If I had to choose, X.", "I would choose X."]],
  ["denied", ["It is not X.", "It isn't X.", "X is wrong.", "X can be ruled out.", "rather than X"]],
  ["denied", ["I don't think that the answer is X.", "X is not the answer.", "neither X", "Avoid X"]],
  ["denied", ["The wrong answer: X", "X cannot be right.", "X doesn't fit.", "I was wrong about X."]],
  ["denied", ["I apologize for saying X.", "I confused it with X.", "A is better than X."]],
  [
    "others",
    ["You said X.", "Many people think it's X.", "Your answer was X.", "According to your book, X."],
  ],
  ["others", ["I first thought X.", "My previous answer was X.", "I used to think it was X."]],
  ["open", ["Is it X?", "If it's X, then no.", "It might be X.", "Perhaps X.", "X if it rains."]],
  ["open", ["It is not not X.", "X cannot be ruled out.", "X is often mistaken for it.", "X in most cases."]],
  ["open", ["Although X is large, no.", "On Mars it would be X.", "X would be right on Mars."]],
])("%s: %j", (expected, texts) => {
  expect(texts.map((text) => [text, standing(text)])).toEqual(texts.map((text) => [text, expected]));
});
