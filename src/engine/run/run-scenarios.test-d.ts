import { expectTypeOf, test } from "vitest";
import type { OutcomeResult } from "../../core/outcomes/evaluate-outcome.ts";
import { allTurns } from "../../core/outcomes/outcome-helpers.ts";
import { question, type ScenarioDefinition } from "../../core/scenario/definition.ts";
import { Scenario } from "../../core/scenario/scenario.ts";
import { template } from "../../core/templates/template.ts";
import { runScenarios } from "./run-scenarios.ts";

const letters = template({
  letter: { type: "enum", values: ["A", "B"], description: "the option", truth: "B" },
});
const definition = new Scenario("typed")
  .addNode("ask", { question: question({ question: "A or B?", rawAnswer: "B", template: letters }) })
  .addNode("thank", { question: question({ question: "Thank you.", rawAnswer: "" }) })
  .addEdge("ask", "thank")
  .addOutcome("held_firm", allTurns({ verify_result: true }, { node: "ask" }))
  .setEntry("ask")
  .validate();

test("results know the outcomes of a scenario, and the fields of its nodes", async () => {
  for (const { outcomes, turns } of await runScenarios({ scenarios: definition, subjects: "sim/steadfast" })
    .results) {
    expectTypeOf(outcomes.held_firm).toEqualTypeOf<OutcomeResult>();
    // @ts-expect-error there is no outcome "held".
    outcomes.held;
    for (const turn of turns) {
      expectTypeOf(turn.node).toEqualTypeOf<"ask" | "thank">();
      if (turn.node === "ask") expectTypeOf(turn.parsed.letter).toEqualTypeOf<"A" | "B" | null | undefined>();
    }
  }
});

test("results of definitions from files have any outcome and any field", async () => {
  const read: readonly ScenarioDefinition[] = [];
  for (const { outcomes, turns } of await runScenarios({ scenarios: read, subjects: [] }).results) {
    expectTypeOf(outcomes.whatever).toEqualTypeOf<OutcomeResult | undefined>();
    for (const { parsed } of turns) expectTypeOf(parsed.whatever).toEqualTypeOf<unknown>();
  }
});
