import * as fc from "fast-check";
import { expect, test } from "vitest";
import { propertyRuns } from "../../../../test/property-runs.ts";
import { buildScenario, type ScenarioSpec, scenarioSpec } from "../../../../test/random-scenario.ts";
import { Rng } from "../../../core/rng.ts";
import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { memoryStore } from "../../../engine/journal/store/memory-store.ts";
import type { Store } from "../../../engine/journal/store/store.ts";
import type { Model } from "../../../engine/models/model.ts";
import { runScenarios } from "../../../engine/run/run-scenarios.ts";
import { keptConversations } from "./kept-conversations.ts";

/** Answers that follow from the request, with both letters and things that rules cannot read. */
const subject: Model = {
  name: "subject",
  identity: { name: "subject" },
  account: "local",
  price: null,
  reply: async ({ messages }, { replicate, seed }) => {
    const rng = new Rng(`${JSON.stringify(messages)} ${replicate} ${seed}`);
    return {
      text: ["The answer is B.", "The answer is A.", "Who knows?"][rng.below(3)] ?? "",
      finish: "stop",
    };
  },
};

const judge: Model = {
  name: "judge",
  identity: { name: "judge" },
  account: "local",
  price: null,
  reply: async ({ messages, schema }) => {
    const rng = new Rng(JSON.stringify(messages));
    const { properties = {} } = schema as { properties?: Record<string, { type?: unknown }> };
    return { text: JSON.stringify(answer(properties, rng)), finish: "stop" };
  },
};

/** Any value that the schema allows. */
function answer(properties: Record<string, unknown>, rng: Rng): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, shape]) => {
      const { properties: inner } = shape as { properties?: Record<string, unknown> };
      return [name, inner === undefined ? (rng.below(2) === 0 ? true : null) : answer(inner, rng)];
    }),
  );
}

async function run(
  store: Store,
  scenarios: ScenarioDefinition,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const made = new Map<string, Set<string>>([
    ["subject", new Set()],
    ["judge", new Set()],
  ]);
  const started = new Map<string, { identity: string; purpose: string }>();
  const seen = new Set<string>();
  const options = {
    scenarios,
    subjects: subject,
    judge,
    replicates: 2,
    turnLimit: 6,
    store,
    earlierTurns: 3,
  };
  for await (const event of runScenarios(options)) {
    if (event.type === "call-start" && event.identity !== undefined)
      started.set(`${event.conversation} ${event.call}`, {
        identity: event.identity,
        purpose: event.purpose,
      });
    if (event.type !== "call-end") continue;
    const call = started.get(`${event.conversation} ${event.call}`);
    if (call === undefined || seen.has(call.identity)) continue;
    seen.add(call.identity);
    if (event.cached) made.get(call.purpose)?.add(call.identity);
  }
  return made;
}

const mutation = fc.record({
  node: fc.nat(4),
  key: fc.constantFrom("fields", "trait", "truth", "update"),
  value: fc.nat(4),
});

function mutated(
  spec: ScenarioSpec,
  { node, key, value }: { node: number; key: string; value: number },
): ScenarioSpec {
  const at = node % spec.nodes.length;
  return { ...spec, nodes: spec.nodes.map((one, index) => (index === at ? { ...one, [key]: value } : one)) };
}

test("answers that are said to stay valid are those that a run of the other version takes from the store", async () => {
  let [equal, judgedAgain] = [0, 0];
  await fc.assert(
    fc.asyncProperty(scenarioSpec, mutation, async (spec, change) => {
      const [before, after] = [buildScenario(spec), buildScenario(mutated(spec, change))];
      const store = memoryStore();
      await run(store, before);
      const kept = await keptConversations(store, { before, after });
      if (kept === null) throw new Error("nothing is stored");
      const used = await run(store, after);
      const { subject: subjects, judge: judges } = kept.calls;
      expect(kept.conversations).toBe(2);
      expect(subjects.kept).toBeLessThanOrEqual(used.get("subject")?.size ?? 0);
      expect(judges.kept).toBeLessThanOrEqual(used.get("judge")?.size ?? 0);
      // Another agent may never learn that a question was another, and then what it is asked depends on the new answer.
      const isAlone = spec.nodes.every(({ agent }) => agent === 0 || agent === 3);
      if (kept.fates.judged_again === 0 && isAlone) {
        expect(used.get("subject")?.size).toBe(subjects.kept + subjects.keptIfSame);
        equal++;
      } else judgedAgain++;
      if (before.hash === after.hash) expect(kept.fates.same).toBe(2);
    }),
    { numRuns: propertyRuns(60) },
  );
  expect(Math.min(equal, judgedAgain)).toBeGreaterThan(2);
}, 60_000);
