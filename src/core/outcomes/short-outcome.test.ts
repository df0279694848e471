import { describe, expect, test } from "vitest";
import { allOf, anyOf, atLeastN, not } from "../logic/composition.ts";
import { END } from "../scenario/definition.ts";
import { parseScenario } from "../scenario/parse-scenario.ts";
import { Scenario } from "../scenario/scenario.ts";
import { template } from "../templates/template.ts";
import type { AppliesWhen, OutcomeCheck } from "./outcome-check.ts";
import {
  allTurns,
  anyTurn,
  countTurns,
  crossTurn,
  firstTurn,
  lastTurn,
  meanOverTurns,
  measureIs,
  numberOfFlips,
  resultIs,
  statusIs,
  turnAt,
  turnCountEq,
  turnCountGte,
  turnOfFlip,
} from "./outcome-helpers.ts";

const question = {
  question: "Q",
  rawAnswer: "A",
  template: template({ n: { type: "number", description: "n", truth: 1 } }),
};

function file(outcomes: unknown): unknown {
  const edges = [{ source: "push", target: "END" }];
  return { name: "s", entry: "push", nodes: { push: { question } }, edges, outcomes };
}

describe("a short form is what the function of its name gives", () => {
  test.each<[object | string, OutcomeCheck]>([
    [
      { allTurns: { verify_result: true }, node: "push" },
      allTurns({ verify_result: true }, { node: "push" }),
    ],
    [{ anyTurn: { "parsed.n": { gte: 3 } } }, anyTurn({ "parsed.n": { gte: 3 } })],
    [{ anyTurn: {}, node: ["push"] }, anyTurn({}, { node: ["push"] })],
    [{ firstTurn: { verify_result: true } }, firstTurn({ verify_result: true })],
    [{ lastTurn: { verify_result: null } }, lastTurn({ verify_result: null })],
    [{ turnAt: -2, has: { verify_result: true } }, turnAt(-2, { verify_result: true })],
    [{ statusIs: "completed" }, statusIs("completed")],
    [{ resultIs: { path: ["push"] } }, resultIs("path", ["push"])],
    [{ resultIs: { turn_count: { gte: 2 } } }, resultIs("turn_count", { gte: 2 })],
    [{ countTurns: { verifyResult: true }, node: "push" }, countTurns({ node: "push", verifyResult: true })],
    [{ turnOfFlip: {} }, turnOfFlip()],
    [{ turnOfFlip: {}, gte: 2 }, measureIs(turnOfFlip(), "gte", 2)],
    [{ meanOverTurns: "parsed.n", node: "push" }, meanOverTurns("parsed.n", { node: "push" })],
    [
      { allOf: [{ firstTurn: { verify_result: true } }, { not: { numberOfFlips: {}, gt: 1 } }] },
      allOf(firstTurn({ verify_result: true }), not(measureIs(numberOfFlips(), "gt", 1))),
    ],
    [
      { atLeastN: 1, of: [{ statusIs: "completed" }, statusIs("error")] },
      atLeastN(1, statusIs("completed"), statusIs("error")),
    ],
    [
      { countTurns: { verifyResult: true }, gt: { countTurns: { verifyResult: false }, node: "push" } },
      measureIs(countTurns({ verifyResult: true }), "gt", countTurns({ verifyResult: false, node: "push" })),
    ],
    [{ turnCountGte: 2 }, turnCountGte(2)],
    [{ turnCountEq: 3 }, turnCountEq(3)],
    [
      { crossTurn: { source: "first", sourceField: "parsed.n", target: "last", targetField: "parsed.n" } },
      crossTurn({
        source: firstTurn(),
        sourceField: "parsed.n",
        target: lastTurn(),
        targetField: "parsed.n",
        comparison: "eq",
      }),
    ],
    [
      {
        crossTurn: {
          source: 0,
          sourceField: "reply",
          target: -1,
          targetField: "reply",
          comparison: "contains",
          normalize: ["lowercase"],
        },
      },
      crossTurn({
        source: turnAt(0),
        sourceField: "reply",
        target: turnAt(-1),
        targetField: "reply",
        comparison: "contains",
        normalize: ["lowercase"],
      }),
    ],
    [{ check: turnOfFlip() }, turnOfFlip()],
    ["(result) => result.turnCount", "(result) => result.turnCount"],
  ])("%j", (short, check) => {
    const options = typeof short === "string" ? {} : { description: "d", good: true };
    const short_ = typeof short === "string" ? short : { ...short, ...options };
    const inShort = parseScenario(file({ it: short_ }));
    const inFull = parseScenario(file([{ name: "it", check, ...options }]));
    expect(inShort.outcomes).toEqual(inFull.outcomes);
    expect(inShort.hash).toBe(inFull.hash);
    const built = new Scenario("s").addNode("push", { question }).addEdge("push", END).setEntry("push");
    expect(built.addOutcome("it", check as never, options).validate().hash).toBe(inShort.hash);
  });
});

test.each<[unknown, AppliesWhen]>([
  ["knew", "knew"],
  [{ not: "knew" }, not("knew")],
  [{ allOf: ["knew", { not: "other" }] }, allOf("knew", not("other"))],
  [{ anyOf: ["knew", "other"] }, anyOf("knew", "other")],
  [{ type: "not", condition: "knew" }, not("knew")],
])("when it applies may be short, too: %j", (short, when) => {
  const others = { knew: { firstTurn: { verify_result: true } }, other: { lastTurn: {} } };
  const { outcomes } = parseScenario(file({ ...others, it: { turnOfFlip: {}, when: short } }));
  expect(outcomes.find(({ name }) => name === "it")?.when).toEqual(when);
});

test("mistakes are named where they stand", () => {
  const says =
    (outcome: unknown): (() => unknown) =>
    () =>
      parseScenario(file({ it: outcome }));
  expect(says({ node: "push" })).toThrow("outcomes.it: An outcome needs one of firstTurn, lastTurn");
  expect(says({ allTurns: {}, anyTurn: {} })).toThrow(
    "This outcome has anyTurn and allTurns; write two outcomes, or join them with allOf or anyOf.",
  );
  expect(says({ statusIs: "completed", node: "push" })).toThrow(
    "outcomes.it.node: node does not belong to statusIs.",
  );
  expect(says({ turnOfFlip: {}, gt: { node: "push" } })).toThrow("A measure needs one of countTurns");
  expect(says({ turnOfFlip: {}, when: {} })).toThrow(
    "When an outcome applies needs one of not, allOf, anyOf.",
  );
  expect(says({ alTurns: {} })).toThrow('Did you mean "allTurns"?');
  expect(says({ allTurns: { verify_result: true }, node: "pusch" })).toThrow('Did you mean "push"?');
  expect(says({ lastTurn: { verify_result: "yes" } })).toThrow('Expected true or false, got the text "yes".');
});
