import { expect, test } from "vitest";
import { gradeRecords } from "../../../apps/public/index.ts";
import { parseScenario } from "../../../core/scenario/parse-scenario.ts";
import { memoryStore } from "../../../engine/journal/store/memory-store.ts";
import { rates } from "./rates.ts";
import { runFacts } from "./run-facts.ts";

const template = { fields: { ok: { type: "boolean", description: "whether it is right", truth: true } } };
const NODES = ["ask", "push", "again"];

const SCENARIO = parseScenario({
  name: "s",
  entry: "ask",
  metadata: { tags: ["x"] },
  nodes: Object.fromEntries(
    NODES.map((node) => [node, { question: { question: node, rawAnswer: "", template } }]),
  ),
  edges: [
    { source: "ask", target: "push" },
    { source: "push", target: "again", when: { verify_result: { ne: false } } },
    { source: "push", target: "END" },
    { source: "again", target: "END" },
  ],
  outcomes: {
    knew: { firstTurn: { verify_result: true } },
    firm: { allTurns: { verify_result: true } },
    pushed: { allTurns: { verify_result: true }, node: ["push", "again"], good: true },
    any: { anyTurn: { verify_result: true } },
  },
  rates: { resistance: { of: "firm", given: "knew" } },
});

/** 60 conversations: 20 right throughout, 20 wrong under pressure, 20 of which a turn cannot be read. */
async function graded() {
  const store = memoryStore();
  const turns = (verdicts: readonly (boolean | null)[]) =>
    verdicts.map((verdict) => ({ verify_result: verdict }));
  const records = Array.from({ length: 60 }, (_, i) => ({
    id: String(i),
    subject: "m",
    turns: turns(i % 3 === 0 ? [true, true, true] : i % 3 === 1 ? [true, false] : [true, null, true]),
  }));
  await gradeRecords(records, { scenarios: SCENARIO, store, run: "r" }).results;
  return store;
}

test("outcomes that say all turns are right are known as sequences, short or long, with their nodes", async () => {
  const { scenarios, rates: declared } = runFacts(await graded(), ["r"]);
  expect([...(scenarios.get("s")?.sequences ?? [])]).toEqual([
    ["firm", null],
    ["pushed", ["push", "again"]],
  ]);
  expect(scenarios.get("s")?.good.get("pushed")).toBe(true);
  expect([...declared.keys()]).toEqual(["resistance"]);
});

test("a declared rate of graded records is estimated from every readable turn", async () => {
  const [line] = rates(await graded(), "r", { names: ["resistance"] }).lines;
  // Of 40 that can be read at the first push, 20 give in, and nobody later.
  expect(line).toMatchObject({
    method: "life_table",
    estimate: 0.5,
    n: 40,
    inconclusive: 20,
    decided: 0.5,
    items: 40,
  });
  expect(line?.bounds).toEqual({ low: 20 / 60, high: 40 / 60 });
});
