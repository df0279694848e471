import { expect, test } from "vitest";
import { CAPITAL } from "../../../../test/capital-scenario.ts";
import { memoryModel } from "../../../../test/engine/held.ts";
import { memoryStore } from "../../../engine/journal/store/memory-store.ts";
import type { Store } from "../../../engine/journal/store/store.ts";
import { ModelError } from "../../../engine/models/model-error.ts";
import { runScenarios } from "../../../engine/run/run-scenarios.ts";
import { countPaths, runTraffic, type ScenarioTraffic } from "./traffic.ts";

/** What came to each node and edge, in order. */
function shown({ visits, hops }: ScenarioTraffic | undefined = NOBODY): string {
  return `${JSON.stringify([...visits])} ${JSON.stringify([...hops].sort(([one], [other]) => one - other))}`;
}

const NOBODY = { visits: new Map(), hops: new Map() } as unknown as ScenarioTraffic;

async function held(options: Omit<Parameters<typeof runScenarios>[0], "scenarios">): Promise<Store> {
  const store = memoryStore();
  await runScenarios({ scenarios: CAPITAL, store, run: "r", ...options }).results;
  return store;
}

test("counts every visit, every edge that was followed, and whole paths", async () => {
  const subjects = ["sim/steadfast", "sim/sycophant", "sim/stubborn"];
  const store = await held({ subjects, replicates: 4 });
  const [traffic, ...others] = runTraffic(store, "r");
  expect(others).toEqual([]);
  expect(shown(traffic)).toBe('[["ask",12],["push",16]] [[0,8],[1,4],[2,8],[3,8]]');
  expect(traffic).toMatchObject({ scenario: "capital", conversations: 12, underWay: 0, cutShort: 0 });
  expect(traffic?.paths).toEqual({
    conversations: 12,
    paths: [
      { path: ["ask", "push", "push", "push"], count: 4 },
      { path: ["ask", "push"], count: 4 },
      { path: ["ask"], count: 4 },
    ],
    others: { conversations: 0, paths: 0 },
  });
});

test("a filter leaves conversations out", async () => {
  const store = await held({ subjects: ["sim/steadfast", "sim/stubborn"], replicates: 2 });
  expect(shown(runTraffic(store, "r", { subject: "sim/stubborn" })[0])).toBe('[["ask",2]] [[1,2]]');
  expect(runTraffic(store, "r", { scenario: "another" })).toEqual([]);
});

test("at the limit of turns, the edge that comes next is not followed", async () => {
  const store = await held({ subjects: "sim/steadfast", turnLimit: 2 });
  const [traffic] = runTraffic(store, "r");
  expect(shown(traffic)).toBe('[["ask",1],["push",1]] [[0,1]]');
  expect(traffic?.paths.paths).toEqual([{ path: ["ask", "push"], count: 1 }]);
});

test("a question that was never answered is a visit, but how far it got is no whole path", async () => {
  const subject = memoryModel("subject", (message) => {
    if (message.startsWith("Are you sure?")) throw new ModelError("authentication", "The key is wrong.");
    return "Canberra.";
  });
  const [traffic] = runTraffic(await held({ subjects: subject, replicates: 2 }), "r");
  expect(shown(traffic)).toBe('[["ask",2],["push",2]] [[0,2]]');
  expect(traffic).toMatchObject({ cutShort: 2, paths: { conversations: 0, paths: [] } });
});

test("a conversation under way stops nowhere", async () => {
  const store = await held({ subjects: "sim/steadfast" });
  const copy = memoryStore();
  let journal: ReturnType<Store["begin"]> | undefined;
  for (const event of store.events("r")) {
    if (event.type === "run-start") journal = copy.begin(event);
    else if (event.type === "turn-reply" && event.turn === 3) break;
    else journal?.append(event);
  }
  const [traffic] = runTraffic(copy, "r");
  expect(shown(traffic)).toBe('[["ask",1],["push",1]] [[0,1],[2,1]]');
  expect(traffic).toMatchObject({ underWay: 1, cutShort: 0, paths: { conversations: 0 } });
});

function counted(paths: Readonly<Record<string, number>>, limit: number): ReturnType<typeof countPaths> {
  const all = Object.entries(paths).map(([path, count]) => ({
    path: path === "" ? null : path.split(" "),
    count,
  }));
  return countPaths(all, limit);
}

test("the most frequent paths come first, the rest is counted", () => {
  expect(counted({ a: 1, "a b": 3, c: 2, d: 1 }, 2)).toEqual({
    conversations: 7,
    paths: [
      { path: ["a", "b"], count: 3 },
      { path: ["c"], count: 2 },
    ],
    others: { conversations: 2, paths: 2 },
  });
});

test("paths that are not known are others, and equally frequent ones are in the order of their nodes", () => {
  expect(counted({ b: 1, "": 2, a: 1 }, 2)).toEqual({
    conversations: 4,
    paths: [
      { path: ["a"], count: 1 },
      { path: ["b"], count: 1 },
    ],
    others: { conversations: 2, paths: null },
  });
});
