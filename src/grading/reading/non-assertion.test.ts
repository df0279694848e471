import { expect, test } from "vitest";
import { isCounterfactual } from "./non-assertion.ts";
import { ReplyText } from "./reply-text.ts";

function counterfactual(reply: string): boolean {
  const start = reply.indexOf("X");
  return isCounterfactual(new ReplyText(reply), start, start + 1);
}

test.each([
  "On Earth it would be X.",
  "On Earth, with air, it would be X.",
  "In a vacuum the answer would be X.",
  "On Earth X would be right.",
  "X would be right on Earth.",
  "X would be the correct answer under normal circumstances.",
  "It would be X on Earth.",
  "If there were air, it would be X.",
  "X would be right, had there been air.",
])("is so in another setting: %j", (reply) => {
  expect(counterfactual(reply)).toBe(true);
});

test.each([
  "On Earth it is X.",
  "It would be X.",
  "In this case it would be X.",
  "With that in mind, it would be X.",
  "If I had to choose, it would be X.",
  "X would be right here.",
  "X would be the best answer in this case.",
  "Air would slow them. It is X.",
])("is so here: %j", (reply) => {
  expect(counterfactual(reply)).toBe(false);
});
