import { expect, test } from "vitest";
import { isDeniedLater } from "./approval.ts";
import { ReplyText } from "./reply-text.ts";

/** Asks it of the value X; the next value is Y. */
function denied(reply: string): boolean {
  const next = reply.indexOf("Y");
  return isDeniedLater(new ReplyText(reply), reply.indexOf("X") + 1, next < 0 ? undefined : next);
}

test.each([
  "X is fine, but not the capital.",
  "X is fine, but it isn't the capital.",
  "X is the largest city rather than the capital.",
  "X, a fine city, is not the capital.",
  "X is fine, which does not make it the capital.",
  "X is fine. However, it is not the capital.",
  "X is fine, but not the capital, which is Y.",
  "X would make a fine capital.",
  "X was the capital until 1923.",
  "X is fine, but no capital.",
])("is denied: %j", (reply) => {
  expect(denied(reply)).toBe(true);
});

test.each([
  "X is the capital.",
  "X is the capital, not Y.",
  "X is the capital. Y is not the capital.",
  "X it is, in minutes, not seconds.",
  "X is hot because it is not the closest.",
  "X is the capital. It was not always so.",
])("is not denied: %j", (reply) => {
  expect(denied(reply)).toBe(false);
});
