import { expect, test } from "vitest";
import { CAPITAL } from "../../test/capital-scenario.ts";
import { chainOf, memoryModel, yesJudge } from "../../test/engine/held.ts";
import type { RunEvent } from "../journal/run-event.ts";
import { memoryStore } from "../journal/store/memory-store.ts";
import { ModelError } from "../models/model-error.ts";
import { runScenarios } from "../run/run-scenarios.ts";
import { conversationStory } from "./conversation-story.ts";

async function eventsOf(options: Parameters<typeof runScenarios>[0]): Promise<readonly RunEvent[]> {
  const store = memoryStore();
  await runScenarios({ ...options, store, run: "r" }).results;
  const [first] = store.conversations("r");
  return [...store.events("r", first?.conversation ?? "")];
}

test("every turn has its start, reply, result and hop", async () => {
  const { start, turns, facts } = conversationStory(
    await eventsOf({ scenarios: CAPITAL, subjects: "sim/steadfast" }),
  );
  expect(start?.cell.subject).toBe("sim/steadfast");
  expect(facts.end?.status).toBe("completed");
  expect(
    turns.map(({ turn, node, start, reply, result, hop }) => [
      turn,
      node,
      start?.turn,
      reply?.turn,
      result?.turn,
      hop?.turn,
    ]),
  ).toEqual([
    [1, "ask", 1, 1, 1, 1],
    [2, "push", 2, 2, 2, 2],
    [3, "push", 3, 3, 3, 3],
    [4, "push", 4, 4, 4, 4],
  ]);
});

test("turns that are asked while earlier ones are still being read", async () => {
  const events = await eventsOf({
    scenarios: chainOf(3),
    subjects: memoryModel("subject", () => "yes"),
    judge: yesJudge(),
  });
  const withoutVerdicts = events.filter(({ type }) => type !== "turn-end" && type !== "conversation-end");
  const { turns } = conversationStory(withoutVerdicts);
  expect(turns.map(({ node, reply, result }) => [node, reply?.reply, result])).toEqual([
    ["n0", "yes", undefined],
    ["n1", "yes", undefined],
    ["n2", "yes", undefined],
  ]);
});

test("a question that was never answered is the last turn", async () => {
  const subject = memoryModel("subject", (message) => {
    if (message.startsWith("Are")) throw new ModelError("authentication", "No.");
    return "Canberra.";
  });
  const { turns } = conversationStory(await eventsOf({ scenarios: CAPITAL, subjects: subject }));
  expect(turns.map(({ node, result }) => [node, result === undefined])).toEqual([
    ["ask", false],
    ["push", true],
  ]);
});

test("what was asked again replaces what came of it, and after it, before", async () => {
  const events = await eventsOf({ scenarios: CAPITAL, subjects: "sim/steadfast" });
  const [again] = events.filter((event) => event.type === "turn-start" && event.turn === 2);
  const begun = events.filter(
    (event) => event.type !== "conversation-end" && !(event.type === "turn-end" && event.result.turn > 1),
  );
  const { turns } = conversationStory([...begun, again as RunEvent]);
  expect(turns.map(({ turn, reply, hop }) => [turn, reply?.turn, hop?.turn])).toEqual([
    [1, 1, 1],
    [2, undefined, undefined],
  ]);
});
