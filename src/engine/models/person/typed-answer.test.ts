import { expect, test } from "vitest";
import { readTypedAnswer, type TypedAnswerOptions } from "./typed-answer.ts";

async function answerOf(
  typed: readonly (string | "ended")[],
  options: Partial<TypedAnswerOptions> = {},
): Promise<unknown> {
  const lines = typed[Symbol.iterator]();
  const next = async () => {
    const { value } = lines.next();
    return value === undefined ? ("ended" as const) : { text: value };
  };
  return readTypedAnswer({ next }, { signal: new AbortController().signal, ...options });
}

test.each<[string, readonly string[], unknown]>([
  ["lines up to an empty one", ["a", " b", "", "c"], { text: "a\n b" }],
  ["empty lines before the first word", ["", "  ", "a", ""], { text: "a" }],
  ["a dot", ["a", ".", "b"], { text: "a" }],
  ["nothing but a dot", ["."], { text: "" }],
  ["the end of the input", ["a"], { text: "a" }],
  ["the end before anything", ["", ""], "ended"],
])("%s", async (_what, typed, answer) => {
  expect(await answerOf(typed)).toEqual(answer);
});

test("an empty line is an answer where nothing may be said", async () => {
  expect(await answerOf([" ", "a", ""], { mayBeEmpty: true })).toEqual({ text: "" });
  expect(await answerOf(["a", "", "b"], { mayBeEmpty: true })).toEqual({ text: "a" });
  expect(await answerOf([], { mayBeEmpty: true })).toBe("ended");
});
