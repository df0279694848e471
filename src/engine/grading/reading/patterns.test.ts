import { expect, test } from "vitest";
import { extractValue } from "./extract-value.ts";
import { PATTERNS } from "./patterns.ts";

const CITY = { type: "aliases", values: { Canberra: [], Sydney: [] } } as const;
const CAPITAL = { type: "string", description: "The capital of Australia" } as const;

function read(reply: string): unknown {
  return extractValue(CITY, CAPITAL, reply).value;
}

/** Replies that look like the example of a pattern, and are left to a judge. */
const LEFT: Readonly<Record<string, readonly string[]>> = {
  announced: ["Your answer is Canberra.", "My answer is Canberra. Wait, let me think again."],
  "last line": ["Sydney\n\nIt is larger.\n\nCanberra"],
  topic: [
    "The capital is Canberra and Sydney.",
    "They say that Sydney is the capital.",
    "Sydney is the capital of New South Wales.",
  ],
  head: ["Canberra, but I am not sure.", "Canberra. Sydney is correct."],
  "it is": ["If the guide is right, it's Sydney, on the coast.", "It's Sydney that hosts the games."],
  end: ["You would say: Sydney."],
  "only value": ["Perhaps Canberra.", "It isn't Sydney.", "In summer, Sydney is pleasant."],
};

test.each(PATTERNS)("$name", ({ name, example: [reply, value] }) => {
  expect(read(reply)).toBe(value);
  for (const left of LEFT[name] ?? []) expect([left, read(left)]).toEqual([left, null]);
});

test("each pattern has replies that it leaves", () => {
  expect(Object.keys(LEFT)).toEqual(PATTERNS.map(({ name }) => name));
});

test("patterns that find different values leave the reply", () => {
  expect(read("The capital of Australia is Canberra. You have a point, so it's Sydney, after all.")).toBe(
    null,
  );
});

test("of several numbers, the first or the last one counts only if the rule says so", () => {
  const reply = "I saw 3 cats. Then I saw 4 dogs.";
  const rules = [{}, { which: "first" }, { which: "last" }] as const;
  const values = rules.map(
    (rule) => extractValue({ type: "number", ...rule }, { type: "number" }, reply).value,
  );
  expect(values).toEqual([null, 3, 4]);
});

test("a number in a pattern whose separator has two readings decides nothing", () => {
  const rule = { type: "regex", pattern: "[0-9][0-9.,]*[0-9]" } as const;
  const values = ["1.200", "The answer is 1,200."].map(
    (reply) => extractValue(rule, { type: "number" }, reply).value,
  );
  expect(values).toEqual([null, 1200]);
});
