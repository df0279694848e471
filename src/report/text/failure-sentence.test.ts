import { expect, test } from "vitest";
import type { RunFailure } from "../../journal/failure.ts";
import { failureKind, failureSentence } from "./failure-sentence.ts";

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

test("the kind leaves out what differs from conversation to conversation", () => {
  expect(failureKind({ category: "tool", stage: "tool" })).toBe("A tool could not be used (tool)");
});
