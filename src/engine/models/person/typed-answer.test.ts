import { expect, test } from "vitest";
import { readTypedAnswer } from "./typed-answer.ts";

async function answerOf(typed: readonly (string | "ended")[]): Promise<unknown> {
  const lines = typed[Symbol.iterator]();
  const next = async () => {
    const { value } = lines.next();
    return value === undefined ? ("ended" as const) : { text: value };
  };
  return readTypedAnswer({ next }, { signal: new AbortController().signal });
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
