import { expect, test } from "vitest";
import { errorMessage } from "./error-message.ts";

test.each([
  [new Error("boom"), "boom"],
  ["text", "text"],
  [null, "null"],
  [Object.create(null), "something that cannot be shown"],
  [Symbol("x"), "Symbol(x)"],
])("%o", (error, message) => {
  expect(errorMessage(error)).toBe(message);
});
