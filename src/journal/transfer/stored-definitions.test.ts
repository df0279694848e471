import { expect, test } from "vitest";
import { chainOf, memoryModel } from "../../../test/engine/held.ts";
import { END, question } from "../../core/scenario/definition.ts";
import { Scenario } from "../../core/scenario/scenario.ts";
import { runScenarios } from "../../run/run-scenarios.ts";
import { memoryStore } from "../store/memory-store.ts";
import { exportRun } from "./export-run.ts";
import { importRun } from "./import-run.ts";
import { storedDefinitions } from "./stored-definitions.ts";

const outside = 3;

function withFunction(name: string): ReturnType<Scenario["validate"]> {
  return new Scenario(name)
    .addNode("ask", { question: question({ question: "Who?", rawAnswer: "" }) })
    .addEdge("ask", "ask", { when: (_accumulated, _parsed, state) => state.turn < outside })
    .addEdge("ask", END)
    .setEntry("ask")
    .validate();
}

test("a run keeps the scenarios that it was held with, also through a file", async () => {
  const store = memoryStore();
  const scenarios = [chainOf(3, "three"), chainOf(2, "two")];
  await runScenarios({ scenarios, subjects: memoryModel("m", () => "yes"), store, run: "r" }).results;
  const kept = storedDefinitions(store, "r");
  expect([...kept.keys()]).toEqual(["three", "two"]);
  expect(kept.get("three")?.hash).toBe(scenarios[0]?.hash);

  const other = memoryStore();
  await importRun(other, exportRun(store, "r"));
  expect(storedDefinitions(other, "r")).toEqual(kept);
});

test("a function that cannot stand alone can be read, though it could not be run", async () => {
  const store = memoryStore();
  await runScenarios({
    scenarios: withFunction("closure"),
    subjects: memoryModel("m", () => "I."),
    store,
    run: "r",
  }).results;
  const edge = storedDefinitions(store, "r").get("closure")?.edges[0];
  expect(edge?.when).toContain("state.turn < outside");
});
