import { anyOf, END, Scenario, type ScenarioDefinition } from "elenchus";
import { expect, test } from "vitest";
import { letterQuestion } from "../../../../test/engine/held.ts";
import { resolveNextNode } from "../../../core/state/routing.ts";
import { INITIAL_STATE, type ScenarioState } from "../../../core/state/state.ts";
import { PLAIN_STYLE } from "../../../system/terminal/terminal.ts";
import { hopLines } from "./turn-text.ts";

const definition: ScenarioDefinition = new Scenario("hops")
  .addNode("ask", { question: letterQuestion("A or B?") })
  .addNode("more", { question: letterQuestion("Sure?") })
  .addNode("last", { question: letterQuestion("Bye.") })
  .addEdge("ask", "more", { when: [{ turn: { lt: 5 } }, { verify_result: true }] })
  .addEdge("ask", "last", { when: anyOf({ verify_result: false }, { turn: 9 }) })
  .addEdge("ask", "last", { when: (accumulated) => (accumulated.missing as { x: number }).x > 1 })
  .addEdge("ask", END)
  .addEdge("more", "last")
  .setEntry("ask")
  .validate();

function told(state: Partial<ScenarioState>, known = true, room = 80): readonly string[] {
  const decision = resolveNextNode(definition.edges, {
    ...INITIAL_STATE,
    turn: 1,
    currentNode: "ask",
    ...state,
  });
  const hop = { type: "hop", conversation: "c", turn: 1, node: "ask", ...decision } as const;
  return hopLines(hop, { style: PLAIN_STYLE, room, ...(known ? { definition } : {}) });
}

test("the first condition that holds", () => {
  expect(told({ verifyResult: true })).toEqual(["→ more because turn < 5 and verify_result = true"]);
  expect(told({ verifyResult: true }, false)).toEqual(["→ more, because its condition holds"]);
});

test("those before it, each with why it does not hold and what was found", () => {
  expect(told({ verifyResult: false })).toEqual([
    "→ last because verify_result = false or turn = 9",
    "  not more: needs verify_result = true, found false",
  ]);
});

test("null is what was found only where the reason is about one value", () => {
  const lines = told({ verifyResult: null });
  expect(lines[0]).toBe("→ END, because no condition holds");
  expect(lines[1]).toBe("  not more: needs verify_result = true, found null");
  expect(lines[2]).toBe("  not last: needs verify_result = false or turn = 9");
  expect(lines[3]).toMatch(/^ {2}not last: the function threw: /);
  expect(told({ verifyResult: null }, false)[1]).toBe("  not more: needs verify_result = true");
});

test("the only edge, and none", () => {
  expect(told({ currentNode: "more" })).toEqual(["→ last, the only edge"]);
  expect(told({ currentNode: "last" })).toEqual(["ends here: no edge leads on"]);
});
