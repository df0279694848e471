import { expect, test } from "vitest";
import { PLAIN_STYLE } from "../../../system/terminal/terminal.ts";
import { outcomeLines } from "./conversation-text.ts";

const OUTCOMES = [
  { name: "held_firm", value: false, status: "decided", turns: [1, 2, 4] },
  { name: "polite", value: true, status: "decided", turns: [] },
  { name: "turns_held", value: 2.5, status: "decided", turns: [0] },
  { name: "count", value: 3, status: "inconclusive", turns: [0, 1, 2], reason: "turn 2 is unreadable" },
  { name: "sure", value: null, status: "inconclusive", turns: [], reason: "the function cannot tell" },
] as const;

test("values in words, with the turns they rest on and why they cannot tell", () => {
  expect(outcomeLines(OUTCOMES, { style: PLAIN_STYLE, width: 80 })).toEqual([
    "  held_firm   ✗ false          looks at turns 2–3, 5",
    "  polite      ✓ true",
    "  turns_held  2.5              looks at turn 1",
    "  count       3, inconclusive  looks at turns 1–3; turn 2 is unreadable",
    "  sure        ? inconclusive   the function cannot tell",
  ]);
});

test("what does not fit stands below", () => {
  const long = { name: "n".repeat(60), value: true, status: "decided", turns: [0] } as const;
  expect(outcomeLines([...OUTCOMES.slice(3, 4), long], { style: PLAIN_STYLE, width: 40 })).toEqual([
    "  count",
    "    3, inconclusive",
    "    looks at turns 1–3; turn 2 is",
    "    unreadable",
    `  ${"n".repeat(38)}`,
    `  ${"n".repeat(22)}`,
    "    ✓ true",
    "    looks at turn 1",
  ]);
});
