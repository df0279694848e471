import { describe, expect, test } from "vitest";
import { parseScenario } from "../scenario/parse-scenario.ts";
import { describeOutcome } from "./describe-outcome.ts";

const nodes = {
  ask: {
    question: {
      question: "Which city?",
      rawAnswer: "Canberra",
      template: { fields: { city: { type: "string", description: "the city", truth: "Canberra" } } },
    },
  },
};

describe("an outcome in words", () => {
  test.each([
    [{ firstTurn: { verify_result: true } }, "in the first turn: verify_result = true"],
    [{ turnAt: -2, has: { verify_result: null } }, "in turn 2 from the end: verify_result = null"],
    [
      { allTurns: { verify_result: true }, node: "ask", when: "other" },
      "in every turn at ask: verify_result = true, if other",
    ],
    [{ statusIs: "completed" }, 'status = "completed"'],
    [{ turnCountGte: 2 }, "turn_count ≥ 2"],
    [{ countTurns: { where: { "parsed.city": "Sydney" } } }, 'number of turns with parsed.city = "Sydney"'],
    [
      { countTurns: { verifyResult: true }, gt: { countTurns: { verifyResult: false } } },
      "number of turns with verify_result = true > number of turns with verify_result = false",
    ],
    [{ turnOfFlip: {} }, "right turns before the first that is not"],
    [
      {
        crossTurn: {
          source: "first",
          sourceField: "parsed.city",
          target: "last",
          targetField: "parsed.city",
        },
      },
      "parsed.city of the last turn = parsed.city of the first turn",
    ],
    [
      { anyOf: [{ statusIs: "completed" }, { not: { anyTurn: { verify_result: false } } }] },
      'status = "completed" or not (in some turn: verify_result = false)',
    ],
    [
      { lastTurn: { verify_result: true }, when: { not: "other" } },
      "in the last turn: verify_result = true, if not other",
    ],
    ["(result) => result.turnCount", "(result) => result.turnCount"],
  ])("%j", (outcome, words) => {
    const outcomes = { other: { lastTurn: { verify_result: true } }, tested: outcome };
    const definition = parseScenario({ name: "tested", entry: "ask", nodes, outcomes } as never);
    const found = definition.outcomes.find(({ name }) => name === "tested");
    expect(found === undefined ? "" : describeOutcome(found)).toBe(words);
  });
});
