import { expect, test } from "vitest";
import {
  containsAll,
  exactMatch,
  numericRange,
  regexMatch,
  setContainment,
} from "../checks/check-factories.ts";
import { allOf, anyOf, atLeastN, not } from "../logic/composition.ts";
import { compileWhen, stateCheck, type When } from "./condition.ts";
import { describeCondition } from "./describe-condition.ts";

test.each<[When, string]>([
  [{ verify_result: true }, "verify_result = true"],
  [{ "parsed.opt": null }, "parsed.opt = null"],
  [{ "parsed.drug": { ne: "x" } }, 'parsed.drug ≠ "x"'],
  [{ turn: { gt: 1, lte: 3 } }, "turn > 1 and turn ≤ 3"],
  [{ "parsed.letter": { in: ["A", "B"] } }, 'parsed.letter in ["A","B"]'],
  [{ "parsed.text": { contains: "x" } }, 'parsed.text contains "x"'],
  [{ "parsed.tags": ["a"] }, 'parsed.tags has exactly ["a"]'],
  [{ "parsed.tags": { contains: ["a"] } }, 'parsed.tags contains ["a"]'],
  [[{ verify_result: true }, { turn: 2 }], "verify_result = true and turn = 2"],
  [
    anyOf({ turn: 1 }, allOf({ turn: 2 }, { verify_result: true })),
    "turn = 1 or (turn = 2 and verify_result = true)",
  ],
  [atLeastN(1, { turn: 1 }, { turn: 2 }), "at least 1 of (turn = 1, turn = 2)"],
  [not(anyOf({ turn: 1 }, { turn: 2 })), "not (turn = 1 or turn = 2)"],
  [allOf(), "always"],
  [anyOf(), "never"],
  [stateCheck({ field: "turn", verifyWith: numericRange({ min: 1, max: 2 }) }), "turn from 1 to 2"],
  [
    stateCheck({ field: "parsed.t", verifyWith: regexMatch({ pattern: "^a" }) }),
    'parsed.t regex_match(pattern: "^a")',
  ],
  [
    stateCheck({ field: "parsed.t", verifyWith: containsAll({ substrings: ["a", "b"] }) }),
    'parsed.t contains "a" and "b"',
  ],
  [
    stateCheck({ field: "parsed.t", expected: ["a"], verifyWith: setContainment({ mode: "overlap" }) }),
    'parsed.t overlaps ["a"]',
  ],
  [stateCheck({ field: "parsed.t", expected: "x", verifyWith: exactMatch() }), 'parsed.t = "x"'],
  ["(accumulated) =>\n  accumulated.n > 2", "(accumulated) => accumulated.n > 2"],
])("%j", (when, words) => {
  const condition = compileWhen(when);
  expect(condition && describeCondition(condition)).toBe(words);
});

test("long code is cut", () => {
  expect(describeCondition({ type: "function", code: `() => "${"x".repeat(100)}"` })).toHaveLength(58);
});
