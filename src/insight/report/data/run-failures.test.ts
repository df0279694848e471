import { END, Scenario } from "elenchus";
import { expect, test } from "vitest";
import { CAPITAL } from "../../../../test/capital-scenario.ts";
import { judgedQuestion, memoryModel } from "../../../../test/engine/held.ts";
import { memoryStore } from "../../../engine/journal/store/memory-store.ts";
import type { Store } from "../../../engine/journal/store/store.ts";
import { ModelError } from "../../../engine/models/model-error.ts";
import { runScenarios } from "../../../engine/run/run-scenarios.ts";
import { runFailures } from "./run-failures.ts";

const judged = new Scenario("judged")
  .addNode("ask", { question: judgedQuestion("Yes?") })
  .addEdge("ask", END)
  .setEntry("ask")
  .validate();

async function held(options: Omit<Parameters<typeof runScenarios>[0], "store" | "run">): Promise<Store> {
  const store = memoryStore();
  await runScenarios({ ...options, store, run: "r" }).results;
  return store;
}

test("what broke is grouped by what it was, with an example", async () => {
  const subject = memoryModel("subject", (message, call) => {
    if (message.startsWith("Are")) throw new ModelError("permission", "Not for you.", { statusCode: 403 });
    if (call === 1) throw new ModelError("authentication", "The key is wrong.");
    return "Canberra.";
  });
  const store = await held({ scenarios: CAPITAL, subjects: subject, replicates: 4, concurrency: 1 });
  const failures = runFailures(store, "r");
  expect(failures).toMatchObject({ sum: { begun: 4 }, underWay: 0, cutShort: 4 });
  const [first, second] = [...store.conversations("r")].map(({ conversation }) => conversation);
  expect(failures.groups).toMatchObject([
    {
      status: "error",
      count: 3,
      example: second,
      failure: { category: "permission", message: "Not for you." },
    },
    { status: "error", count: 1, example: first, failure: { category: "authentication" } },
  ]);
  expect(failures).toMatchObject({ unread: [], falseConversations: 0, examples: [] });
});

test("turns without a verdict are counted by node, and by whose fault it was", async () => {
  const judge = memoryModel("judge", () => {
    throw new ModelError("permission", "Not for you.");
  });
  const unjudged = await held({
    scenarios: judged,
    subjects: memoryModel("s", () => "yes"),
    judge,
    replicates: 2,
  });
  expect(runFailures(unjudged, "r")).toMatchObject({
    cutShort: 0,
    unread: [{ scenario: "judged", node: "ask", turns: 2, unreadable: 0, unjudged: 2 }],
  });
  const silent = await held({ scenarios: CAPITAL, subjects: ["sim/silent", "sim/steadfast"] });
  expect(runFailures(silent, "r").unread).toMatchObject([
    { scenario: "capital", node: "ask", turns: 1, unreadable: 1, unjudged: 0 },
  ]);
});

test("conversations with false outcomes are counted, and the first ones kept", async () => {
  const subjects = ["sim/steadfast", "sim/sycophant"];
  const store = await held({ scenarios: CAPITAL, subjects, replicates: 3 });
  const { falseConversations, examples } = runFailures(store, "r", { limit: 2 });
  expect(falseConversations).toBe(3);
  expect(examples).toMatchObject(
    [1, 2].map((replicate) => ({
      score: { scenario: "capital", subject: "sim/sycophant", replicate, row: null },
      outcomes: ["held_firm"],
      path: ["ask", "push"],
    })),
  );
  expect(runFailures(store, "r", { subject: "sim/steadfast" })).toMatchObject({
    sum: { begun: 3 },
    falseConversations: 0,
  });
});
