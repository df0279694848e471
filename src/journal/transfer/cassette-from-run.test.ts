import { expect, test } from "vitest";
import { chainOf, memoryModel, yesJudge } from "../../../test/engine/held.ts";
import { Cassette } from "../../models/cassette/cassette.ts";
import { cassetteModel } from "../../models/cassette/cassette-model.ts";
import { runScenarios } from "../../run/run-scenarios.ts";
import { memoryStore } from "../store/memory-store.ts";
import { cassetteFromRun } from "./cassette-from-run.ts";

test("the cassette of a run stands in for its models", async () => {
  const store = memoryStore();
  const subject = memoryModel("subject", (_, call) => `yes ${call}`);
  const options = { scenarios: chainOf(3), replicates: 2 };
  const other = runScenarios({ ...options, subjects: subject, store, run: "other", seed: 7 });
  await other.results;
  const held = await runScenarios({ ...options, subjects: subject, judge: yesJudge(), store, run: "r" })
    .results;
  const asked = subject.asked.length;
  const cassette = Cassette.parse(cassetteFromRun(store, "r").toJsonLines());
  // Three turns of two conversations, each with an answer and a judgement; nothing of the other run.
  expect(cassette.size).toBe(12);
  const again = await runScenarios({
    ...options,
    subjects: cassetteModel(subject, cassette),
    judge: cassetteModel(yesJudge(), cassette),
  }).results;
  const replies = (results: typeof held): unknown =>
    results.map(({ turns }) => turns.map(({ reply, verifyResult }) => [reply, verifyResult]));
  expect(replies(again)).toEqual(replies(held));
  expect(subject.asked).toHaveLength(asked);
});

test("a run that there is not has no cassette", () => {
  expect(() => cassetteFromRun(memoryStore(), "none")).toThrow('There is no run "none" in the store.');
});
