import { describe, expect, test } from "vitest";
import { letterQuestion, memoryModel, yesJudge } from "../../../test/engine/held.ts";
import { parseScenario } from "../../core/scenario/parse-scenario.ts";
import type { JsonObject } from "../../core/values/json.ts";
import { memoryStore } from "../journal/store/memory-store.ts";
import type { Store } from "../journal/store/store.ts";
import { exportRun } from "../journal/transfer/export-run.ts";
import type { RunOptions } from "../run/run-options.ts";
import { runScenarios } from "../run/run-scenarios.ts";
import { mergeRuns } from "./merge-runs.ts";

/** Talks, then asks in two ways; six rows, two levels. */
const scenario = parseScenario({
  name: "probes",
  entry: "talk",
  dataset: {
    rows: Array.from({ length: 6 }, (_, index) => ({ id: `q${index}`, text: `Row ${index}` })),
    id: "id",
  },
  variants: { tone: { kind: { word: "please" }, rude: { word: "now" } } },
  nodes: Object.fromEntries(
    ["talk", "mcq", "free"].map((node) => [
      node,
      { question: letterQuestion(`${node} {{ row.text }} {{ variant.tone.word }}?`) },
    ]),
  ),
  edges: [{ source: "talk", fork: ["mcq", "free"] }],
  outcomes: { right: { lastTurn: { verify_result: true } } },
});

function options(more: Partial<RunOptions> = {}): RunOptions {
  const subject = (name: string): ReturnType<typeof memoryModel> =>
    memoryModel(name, (message) => `The answer is ${message.length % 3 === 0 ? "A" : "B"}.`);
  return {
    scenarios: scenario,
    subjects: [subject("one"), subject("two")],
    judge: [yesJudge("first"), yesJudge("second")],
    reading: "rules",
    replicates: 2,
    run: "r",
    ...more,
  };
}

async function stored(more: Partial<RunOptions> = {}): Promise<Store> {
  const store = memoryStore();
  await runScenarios({ ...options(more), store }).results;
  return store;
}

async function shards(of: number, more: Partial<RunOptions> = {}): Promise<{ store: Store; name: string }[]> {
  const indexes = Array.from({ length: of }, (_, index) => index + 1);
  return Promise.all(
    indexes.map(async (index) => ({
      store: await stored({ shard: { index, of }, ...more }),
      name: `${index}.db`,
    })),
  );
}

/** Everything of a run but times and which of two equal calls was made first. */
function contents(store: Store): readonly string[] {
  return [...exportRun(store, "r")].map((line) => line.replaceAll(/"(?:at|endedAt|latencyMs)":[\d.]+/g, "0"));
}

describe("merged shards", () => {
  test.each([1, 3, 7])("are equal to the run that was not divided: %i shards", async (of) => {
    const whole = await stored();
    const target = memoryStore();
    expect(await mergeRuns(target, await shards(of))).toEqual({ run: "r" });
    expect(contents(target)).toEqual(contents(whole));
    expect(target.results("r")).toEqual(whole.results("r"));
    expect(target.run("r")?.start.conversations).toBe(6 * 2 * 2 * 2 * 2);
  });

  test("need not come in order, nor in stores of their own", async () => {
    const store = memoryStore();
    for (const index of [3, 1, 2, 1])
      await runScenarios({
        ...options({ shard: { index, of: 3 }, run: `${index} ${store.runs().length}` }),
        store,
      }).results;
    const target = memoryStore();
    const { run } = await mergeRuns(target, [{ store, name: "all.db" }], { as: "r" });
    // What was asked before came from the store.
    const outcomes = (store: Store, name: string) => store.results(name).map(({ spending, ...rest }) => rest);
    expect(outcomes(target, run)).toEqual(outcomes(await stored(), "r"));
  });

  test("with nothing to do count, too", async () => {
    const few = {
      scenarios: parseScenario({ name: "one", entry: "a", nodes: { a: { question: letterQuestion("A?") } } }),
    };
    const target = memoryStore();
    await mergeRuns(target, await shards(9, { ...few, replicates: 1 }));
    expect(target.results("r")).toEqual((await stored({ ...few, replicates: 1 })).results("r"));
  });
});

describe("what is not all shards of one run is refused, and nothing is written:", () => {
  async function refusal(parts: readonly { store: Store; name: string }[]): Promise<unknown> {
    const target = memoryStore();
    const error = await mergeRuns(target, parts).catch((thrown: unknown) => thrown);
    expect(target.runs()).toEqual([]);
    expect(error).toMatchObject({ name: "RunError" });
    return (error as Error).message;
  }

  test("a missing shard", async () => {
    const [first, , third] = await shards(4);
    expect(await refusal([first, third].filter((part) => part !== undefined))).toBe(
      "2 shards are missing: 2/4, 4/4. Name the stores of all shards.",
    );
  });

  test("a shard that is there twice", async () => {
    const [first, second] = await shards(2);
    expect(await refusal([first, second, first].filter((part) => part !== undefined))).toBe(
      "Shard 1/2 is there twice, also in 1.db.",
    );
  });

  test("shards of different numbers of shards", async () => {
    const [first] = await shards(2);
    const [, second] = await shards(3);
    expect(await refusal([first, second].filter((part) => part !== undefined))).toContain(
      "are of different numbers of shards",
    );
  });

  test("other settings", async () => {
    const [first] = await shards(2);
    const [, second] = await shards(2, { replicates: 3 });
    expect(await refusal([first, second].filter((part) => part !== undefined))).toContain(
      "The number of replicates was 2 and is 3.",
    );
  });

  test("other rows", async () => {
    const [first] = await shards(2);
    const [, second] = await shards(2, { rows: [{ id: "other", text: "Another" }] });
    const [third] = await shards(2, {
      rows: [
        { id: "other", text: "Another" },
        { id: "q2", text: "Row 2" },
      ],
    });
    expect(await refusal([first, second].filter((part) => part !== undefined))).toContain(
      "are of different runs",
    );
    expect(await refusal([third, second].filter((part) => part !== undefined))).toContain(
      "they do not have the same rows or levels",
    );
    const rows = (text: string): JsonObject[] => [
      { id: "q1", text },
      { id: "q2", text: "Row 2" },
    ];
    const [fourth] = await shards(2, { dataset: { rows: rows("Row 1"), id: "id" } });
    const [, fifth] = await shards(2, { dataset: { rows: rows("Changed"), id: "id" } });
    expect(await refusal([fourth, fifth].filter((part) => part !== undefined))).toContain(
      "are of different runs: rows of probes have changed in between.",
    );
  });

  test("a run that is no shard", async () => {
    expect(await refusal([{ store: await stored(), name: "whole.db" }])).toBe(
      "There is no shard of a run in whole.db. Make one: elenchus run --shard 1/5",
    );
  });

  test("a name that is taken", async () => {
    const target = await stored();
    await expect(mergeRuns(target, await shards(2))).rejects.toThrow(
      'There is a run "r" in the store already.',
    );
    expect(target.runs()).toHaveLength(1);
  });
});
