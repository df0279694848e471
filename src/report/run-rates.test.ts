import { expect, test } from "vitest";
import { statusIs } from "../core/outcomes/outcome-helpers.ts";
import type { ScenarioDefinition } from "../core/scenario/definition.ts";
import { question } from "../core/scenario/question.ts";
import { Scenario } from "../core/scenario/scenario.ts";
import { memoryStore } from "../journal/store/memory-store.ts";
import type { RunSummary } from "../journal/store/store.ts";
import { runScenarios } from "../run/run-scenarios.ts";
import { runRates } from "./run-rates.ts";

function scenarioWith(name: string, ...outcomes: readonly string[]): ScenarioDefinition {
  const scenario: Scenario = new Scenario(name);
  scenario.addNode("ask", { question: question({ question: "Who?", rawAnswer: "" }) }).setEntry("ask");
  for (const outcome of outcomes) scenario.addOutcome(outcome, statusIs("completed"));
  return scenario.validate();
}

test("outcomes stand in the order of their authors, whatever their names", async () => {
  const store = memoryStore();
  const scenarios = [scenarioWith("one", "zebra", "ant"), scenarioWith("two", "ant", "middle")];
  await runScenarios({ scenarios, subjects: () => "I.", store, run: "r" }).results;
  const summary = store.run("r") as RunSummary;
  const names = (rates: ReturnType<typeof runRates>): readonly string[] =>
    rates.outcomes.map(({ outcome }) => outcome);
  expect(names(runRates(store, summary))).toEqual(["zebra", "ant", "middle"]);
  const part = store.results("r").filter(({ scenario }) => scenario === "two");
  expect(names(runRates(store, summary, part))).toEqual(["ant", "middle"]);
});
