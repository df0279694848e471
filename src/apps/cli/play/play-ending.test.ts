import { describe, expect, test } from "vitest";
import { CAPITAL } from "../../../../test/capital-scenario.ts";
import { type PlayEnd, playExitCode, savedText } from "./play.ts";
import type { PlayOptions } from "./play-session.ts";

const options: PlayOptions = {
  scenario: CAPITAL,
  as: "subject",
  judge: "rules",
  turnLimit: 20,
  seed: 0,
  save: "said.jsonl",
};

test.each<[PlayEnd, number, number]>([
  ["over", 3, 0],
  ["left", 1, 0],
  ["left", 0, 2],
  ["failed", 3, 2],
  ["interrupted", 0, 130],
  ["interrupted", 3, 130],
])("%s after %i turns: %i", (end, turns, code) => {
  expect(playExitCode(end, turns)).toBe(code);
});

describe("how a cassette answers again", () => {
  test("everything that its calls depend on is in the command", () => {
    const judge = "openai/gpt-5-mini";
    expect(savedText({ ...options, judge, seed: 3, words: ["a b.yaml"] }, 1, 100)).toBe(
      "\nSaved 1 call to said.jsonl. To run the same conversation again:\n" +
        "  elenchus run 'a b.yaml' --subject person --judge openai/gpt-5-mini --seed 3 --replay said.jsonl\n",
    );
  });

  test("the name of a file is one word to the shell", () => {
    expect(savedText({ ...options, save: "it's.jsonl" }, 2, 100)).toContain(
      String.raw`--replay 'it'\''s.jsonl'`,
    );
  });

  test("nothing is suggested for questions that no run asks", () => {
    expect(savedText({ ...options, as: "questioner" }, 2, 100)).toBe("\nSaved 2 calls to said.jsonl.\n");
  });
});
