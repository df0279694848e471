import { expect, test } from "vitest";
import { chainOf, memoryModel, yesJudge } from "../../../../test/engine/held.ts";
import { END, question } from "../../../core/scenario/definition.ts";
import { Scenario } from "../../../core/scenario/scenario.ts";
import { Cassette } from "../../models/cassette/cassette.ts";
import { cassetteModel } from "../../models/cassette/cassette-model.ts";
import { runScenarios } from "../../run/run-scenarios.ts";
import { memoryStore } from "../store/memory-store.ts";
import { exportRun } from "./export-run.ts";
import { importRun } from "./import-run.ts";
import { cassetteFromRun, storedDefinitions } from "./stored-run.ts";

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
  await runScenarios({
    allowUnread: true,
    scenarios,
    subjects: memoryModel("m", () => "yes"),
    store,
    run: "r",
  }).results;
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
    allowUnread: true,
    scenarios: withFunction("closure"),
    subjects: memoryModel("m", () => "I."),
    store,
    run: "r",
  }).results;
  const edge = storedDefinitions(store, "r").get("closure")?.edges[0];
  expect(edge?.when).toContain("state.turn < outside");
});

test("the cassette of a run stands in for its models", async () => {
  const store = memoryStore();
  const subject = memoryModel("subject", (_, call) => `yes ${call}`);
  const options = { scenarios: chainOf(3), replicates: 2 };
  const other = runScenarios({
    allowUnread: true,
    ...options,
    subjects: subject,
    store,
    run: "other",
    seed: 7,
  });
  await other.results;
  const held = await runScenarios({
    allowUnread: true,
    ...options,
    subjects: subject,
    judge: yesJudge(),
    store,
    run: "r",
  }).results;
  const asked = subject.asked.length;
  const cassette = Cassette.parse(cassetteFromRun(store, "r").toJsonLines());
  // Three turns of two conversations, each with an answer and a judgement; nothing of the other run.
  expect(cassette.size).toBe(12);
  const again = await runScenarios({
    allowUnread: true,
    ...options,
    subjects: cassetteModel(subject, cassette),
    judge: cassetteModel(yesJudge(), cassette),
  }).results;
  const replies = (results: typeof held): unknown =>
    results.map(({ turns }) => turns.map(({ reply, verifyResult }) => [reply, verifyResult]));
  expect(replies(again)).toEqual(replies(held));
  expect(subject.asked).toHaveLength(asked);
});
