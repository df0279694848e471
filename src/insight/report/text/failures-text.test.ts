import { expect, test } from "vitest";
import { CAPITAL } from "../../../../test/capital-scenario.ts";
import { memoryStore } from "../../../engine/journal/store/memory-store.ts";
import type { Store } from "../../../engine/journal/store/store.ts";
import { runScenarios } from "../../../engine/run/run-scenarios.ts";
import { PLAIN_STYLE } from "../../../system/terminal/terminal.ts";
import { failuresText } from "./failures-text.ts";

async function held(subjects: readonly string[], replicates: number): Promise<Store> {
  const store = memoryStore();
  await runScenarios({ scenarios: CAPITAL, subjects, replicates, store, run: "r" }).results;
  return store;
}

const MIXED = ["sim/flaky?fail=0&permanent=0.3", "sim/silent", "sim/sycophant"];

test("what broke, what could not be read, and what is false", async () => {
  const store = await held(MIXED, 9);
  expect(failuresText(store, "r", { style: PLAIN_STYLE, width: 80, limit: 2 })).toMatchInlineSnapshot(`
    "Cut short: 7 of 27 conversations
      7  error: The subject gave no answer (permission, status 403):
         sim/flaky?fail=0&permanent=0.3: this call is not allowed (simulated).
         for example 68799b52d27a615d

    Unread replies     share  unread  turns  subject
      ask (capital)  100.0 %       9      9  sim/silent
    Warning: more than 5 % of the replies are unread at 1 node. Unread replies are
    not a random part of all replies, so rates may be wrong.

    With a failed outcome: 18 of 27 conversations
      e9b116672f52f936  held_firm
        capital · sim/silent · replicate 1 · ask
      fb8a774ba6a9a961  held_firm
        capital · sim/silent · replicate 2 · ask
      … and 16 more
    "
  `);
});

test("nothing, and a run without conversations", async () => {
  const store = await held(["sim/steadfast"], 2);
  const options = { style: PLAIN_STYLE, width: 80 };
  expect(failuresText(store, "r", options)).toBe("Nothing failed in 2 conversations.\n");
  expect(failuresText(store, "r", { ...options, subject: "nobody" })).toBe("There are no conversations.\n");
});

test("a conversation that has not ended may still fail", async () => {
  const store = await held(["sim/steadfast"], 1);
  const copy = memoryStore();
  const [start, ...events] = store.events("r");
  if (start?.type !== "run-start") throw new Error("a journal begins with the start of its run");
  const journal = copy.begin(start);
  for (const event of events.slice(0, 5)) journal.append(event);
  expect(failuresText(copy, "r", { style: PLAIN_STYLE, width: 80 })).toBe(
    "Unfinished: 1 of 1 conversation, which may still fail.\n",
  );
});
