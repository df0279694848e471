import { expect, test } from "vitest";
import { PLAIN_STYLE } from "../../terminal/terminal.ts";
import { fieldWord, statusWord, verdictWord } from "./verdict-text.ts";

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

test("fields", () => {
  expect([true, false, null].map((result) => painted(fieldWord(result, NAMED)))).toEqual([
    "green ✓ right",
    "red ✗ wrong",
    "yellow ? unreadable",
  ]);
});

test("ends", () => {
  const statuses = [null, "completed", "limit_reached", "timeout", "budget_exhausted", "error"] as const;
  expect(statuses.map((status) => painted(statusWord(status, NAMED)))).toEqual([
    "yellow unfinished",
    "completed",
    "limit reached",
    "yellow timeout",
    "yellow budget exhausted",
    "red error",
  ]);
});
