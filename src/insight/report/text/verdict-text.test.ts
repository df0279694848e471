import { expect, test } from "vitest";
import type { RunFailure } from "../../../engine/journal/failure.ts";
import { PLAIN_STYLE } from "../../../system/terminal/terminal.ts";
import { failureSentence, type fieldWord, verdictWord } from "./verdict-text.ts";

const NAMED = {
  ...PLAIN_STYLE,
  green: (text: string): string => `green ${text}`,
  red: (text: string): string => `red ${text}`,
  yellow: (text: string): string => `yellow ${text}`,
  dim: (text: string): string => `dim ${text}`,
};

function painted({ word, paint }: ReturnType<typeof fieldWord>): string {
  return paint(word);
}

test("what the subject did is never mixed with what the judge could not do", () => {
  const verdicts = ["pass", "fail", "unreadable", "unjudged", "unverified"] as const;
  expect(verdicts.map((verdict) => painted(verdictWord(verdict, NAMED)))).toEqual([
    "green right",
    "red wrong",
    "yellow unreadable",
    "yellow not judged",
    "dim not verified",
  ]);
});

test.each<[RunFailure, string]>([
  [
    {
      category: "rate_limit",
      stage: "subject",
      message: "Busy.",
      turn: 2,
      node: "push",
      statusCode: 429,
      cause: "a\nb",
    },
    "The subject gave no answer in turn 2, node push (rate limit, status 429): Busy. Cause: a b",
  ],
  [
    {
      category: "not_found",
      stage: "judge",
      message: "Not found: no such model. Check it.",
      cause: "no such model",
    },
    "The judge could not be asked (not found): Not found: no such model. Check it.",
  ],
  [
    { category: "server", stage: "subject", message: "It broke", cause: "a bad port" },
    "The subject gave no answer (server): It broke. Cause: a bad port",
  ],
  [
    { category: "timeout", stage: "run", message: "It took too long." },
    "The run ended the conversation (timeout): It took too long.",
  ],
  [
    { category: "author", stage: "handover", message: "The handover threw: \u001b[2J", node: "b" },
    "The question could not be handed over in node b (author): The handover threw: �[2J",
  ],
])("%j", (failure, sentence) => {
  expect(failureSentence(failure)).toBe(sentence);
});
