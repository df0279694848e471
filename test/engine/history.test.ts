import { parseScenario, runScenarios } from "elenchus";
import { expect, test } from "vitest";
import { held, letterQuestion, memoryModel, only } from "./held.ts";

const shared = {
  entry: "ask",
  nodes: {
    ask: { question: letterQuestion("Which?") },
    again: { question: letterQuestion("Sure?"), agentIdentity: "Bob" },
  },
  edges: [{ source: "ask", target: "again" }],
};
const before = [
  { role: "user", content: "Hello." },
  { role: "assistant", content: "Hi." },
];

function contents(model: ReturnType<typeof memoryModel>): unknown[] {
  return model.asked.map(([{ messages }]) =>
    messages.map((message) => ("content" in message ? message.content : "")),
  );
}

test("given messages are shown to every agent, and are no turns", async () => {
  const model = memoryModel("subject", () => "B");
  const scenarios = parseScenario({ name: "given", ...shared, history: before });
  const { events, results } = await held({ scenarios, subjects: model });
  expect(contents(model)).toEqual([
    ["Hello.", "Hi.", "Which?"],
    ["Hello.", "Hi.", "Which?", "B", "Sure?"],
  ]);
  expect(results[0]).toMatchObject({ turnCount: 2, path: ["ask", "again"] });
  expect(only(events, "conversation-start")[0]?.history).toEqual(before);
});

test("they may come from the row, which may have none", async () => {
  const model = memoryModel("subject", () => "B");
  const scenarios = parseScenario({ name: "given", ...shared, history: "{{ row.history }}" });
  const rows = [
    { history: before },
    { history: [] },
    { history: [{ role: "bot", content: "x" }] },
    { history: 3 },
  ];
  const results = await runScenarios({ scenarios, subjects: model, rows, concurrency: 1 }).results;
  expect(contents(model)).toContainEqual(["Hello.", "Hi.", "Which?"]);
  expect(contents(model)).toContainEqual(["Which?"]);
  expect(model.asked.length).toBe(4);
  expect(results.map(({ status, failure }) => [status, failure?.message])).toEqual([
    ["completed", undefined],
    ["completed", undefined],
    ["error", "Message 1 of the history must have a role (user or assistant) and a content that is text."],
    ["error", "The history must be a list of messages, not number."],
  ]);
});
