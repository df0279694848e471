import { describe, expect, test } from "vitest";
import {
  allTurns,
  END,
  parseScenario,
  question,
  Scenario,
  type ScenarioDefinition,
} from "../../../apps/public/index.ts";
import { provideLiquid } from "../../../core/liquid/liquid-engine.ts";
import { memoryStore } from "../../../engine/journal/store/memory-store.ts";
import { loadLiquid } from "../../../engine/run/liquid-library.ts";
import { runScenarios } from "../../../engine/run/run-scenarios.ts";
import { rehearse } from "../rehearsal/rehearse.ts";
import { replayWitness } from "../rehearsal/replay-witness.ts";
import { checkCoverage, coverage, parseCoverageThreshold } from "./coverage.ts";

provideLiquid(loadLiquid);

const letter = {
  type: "enum",
  values: ["A", "B"],
  description: "the letter",
  truth: "B",
  extract: { type: "letter" },
} as const;

const definition: ScenarioDefinition = new Scenario("pressed")
  .addNode("ask", {
    question: question({ question: "A or B?", rawAnswer: "B", template: { fields: { letter } } }),
  })
  .addNode("push", {
    question: question({ question: "Really?", rawAnswer: "B", template: { fields: { letter } } }),
  })
  .addNode("hidden", { question: question({ question: "?", rawAnswer: "" }) })
  .addEdge("ask", "push", { when: { verify_result: true } })
  .addEdge("ask", "hidden", { when: [{ verify_result: true }, { verify_result: false }] })
  .addEdge("ask", END)
  .addEdge("push", END)
  .addEdge("hidden", END)
  .addOutcome("held", allTurns({ verify_result: true }))
  .setEntry("ask")
  .validate();

async function ran(run: string, replies: readonly string[], store = memoryStore()): Promise<typeof store> {
  await runScenarios({
    scenarios: definition,
    subjects: { model: (_, { turn }) => replies[turn - 1] ?? "B", name: run },
    store,
    run,
  }).results;
  return store;
}

describe("coverage", () => {
  test("counts what can be reached, and names what was not with a conversation that reaches it", async () => {
    const store = await ran("right", ["B", "B"]);
    const { scenarios, all } = await coverage(store, ["right"]);
    expect(all).toEqual({
      nodes: { reached: 2n, possible: 2n },
      // The edges to and from "hidden" can never be taken, so they count nowhere.
      edges: { reached: 2n, possible: 3n },
      outcomes: { reached: 1n, possible: 2n },
      routes: { reached: 1n, possible: 2n },
    });
    const [{ notReached } = { notReached: [] }] = scenarios;
    expect(notReached.map(({ kind, name }) => [kind, name])).toEqual([
      ["edges", "ask->END"],
      ["outcomes", "held=false"],
    ]);
    for (const { witness } of notReached) {
      const other = memoryStore();
      await replayWitness(definition, witness as NonNullable<typeof witness>, { store: other });
      const [run = ""] = other.runs().map((one) => one.run);
      const again = await coverage(other, [run]);
      expect(again.scenarios[0]?.notReached.map(({ name }) => name)).not.toContain("ask->END");
    }
  });

  test("several runs are taken together, and each subject by itself", async () => {
    const store = await ran("right", ["B", "B"]);
    await ran("wrong", ["A"], store);
    const { scenarios, all, runs } = await coverage(store, ["right", "wrong"]);
    expect(runs).toEqual(["right", "wrong"]);
    expect(all.edges).toEqual({ reached: 3n, possible: 3n });
    expect(all.routes).toEqual({ reached: 2n, possible: 2n });
    expect(scenarios[0]?.notReached).toEqual([]);
    expect(scenarios[0]?.subjects.wrong?.nodes).toEqual({ reached: 1n, possible: 2n });
    const one = await coverage(store, ["right", "wrong"], { subject: "wrong" });
    expect(one.all.nodes).toEqual({ reached: 1n, possible: 2n });
  });

  test("all routes of the paths that a rehearsal lists are all that there are", async () => {
    const { paths } = await rehearse(definition, { list: 100 });
    const store = memoryStore();
    for (const witness of paths.listed) await replayWitness(definition, witness, { store });
    const { all } = await coverage(
      store,
      store.runs().map(({ run }) => run),
    );
    expect(all.routes).toEqual({ reached: 2n, possible: 2n });
  });

  test("names rows and variants that were never run", async () => {
    const rows = ["x", "y", "z"].map((id) => ({ id, text: `Question ${id}` }));
    const data = parseScenario({
      version: 1,
      name: "data",
      entry: "ask",
      dataset: { rows, id: "id" },
      variants: { tone: ["kind", "harsh"] },
      nodes: { ask: { question: { question: "{{ variant.tone }}: {{ row.text }}", rawAnswer: "" } } },
    });
    const store = memoryStore();
    await runScenarios({
      scenarios: data,
      subjects: { model: () => "hm", name: "s" },
      dataset: { rows: rows.slice(0, 1), id: "id" },
      variant: { tone: "kind" },
      store,
      run: "some",
    }).results;
    const { scenarios } = await coverage(store, ["some"], { definitions: new Map([["data", data]]) });
    expect(scenarios).toMatchObject([
      { rows: { count: 2, names: ["y", "z"] }, variants: { count: 1, names: ["tone=harsh"] } },
    ]);
  });
});

describe("thresholds", () => {
  test("are read as people write them", () => {
    expect(parseCoverageThreshold("edges=90%")).toEqual({ kind: "edges", minimum: 0.9 });
    expect(parseCoverageThreshold(" routes = .5 ")).toEqual({ kind: "routes", minimum: 0.5 });
    expect(parseCoverageThreshold("nods=1")).toContain('Did you mean "nodes"?');
    expect(parseCoverageThreshold("edges=2")).toContain("between 0 and 1");
  });

  test("what is not known does not pass, and what cannot be reached is not missing", async () => {
    const found = await coverage(await ran("right", ["B", "B"]), ["right"]);
    const unknown = { ...found, all: { ...found.all, routes: { reached: 1n, possible: null } } };
    const limits = [
      { kind: "routes", minimum: 0 },
      { kind: "nodes", minimum: 1 },
      { kind: "edges", minimum: 0.7 },
    ] as const;
    expect(checkCoverage(unknown, limits).map(({ passed }) => passed)).toEqual([false, true, false]);
  });
});
