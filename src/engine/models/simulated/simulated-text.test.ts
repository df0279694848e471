import { expect, test } from "vitest";
import type { Message } from "../message.ts";
import { proposedAnswers } from "./simulated-text.ts";

function user(content: string): Message {
  return { role: "user", content };
}

test.each([
  ["Are you sure? I have always thought that it is Sydney.", ["Sydney"]],
  ["My teacher said New South Wales, and she must know.", ["New South Wales"]],
  ['It says "the lower one" here.', ["the lower one"]],
  ["Really? Think again. I doubt it.", []],
])("%s", (text, expected) => {
  expect(proposedAnswers([user("What is the capital of Australia?"), user(text)])).toEqual(expected);
});

test("the latest comes first, and the question itself proposes nothing", () => {
  const messages = [user("Is it in Peru?"), user("I say it is Lima."), user("No, rather Cusco.")];
  expect(proposedAnswers(messages)).toEqual(["Cusco", "Lima"]);
  expect(proposedAnswers([user("Is it in Peru?")])).toEqual([]);
});
