import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { memoryStore } from "../store/memory-store.ts";
import type { Store } from "../store/store.ts";
import { exportRun } from "./export-run.ts";
import { importRun } from "./import-run.ts";
import { textLines } from "./run-file.ts";
import { cassetteFromRun } from "./stored-run.ts";
import { conversationTable, outcomeTable, turnTable } from "./tables.ts";

// The files are as old releases wrote them, and are never written anew: what cannot be read any more is to be mended here.

async function imported(file: string): Promise<Store> {
  const store = memoryStore();
  const text = readFileSync(new URL(`../../../../test/fixtures/${file}`, import.meta.url), "utf8");
  await importRun(store, textLines([text]));
  return store;
}

test("version 1 is readable", async () => {
  const store = await imported("run-1.jsonl");
  const run = store.run("fixture-1");
  expect(run).toMatchObject({
    startedAt: 1794793747532,
    parent: "an earlier run",
    tags: ["fixture", "Ω"],
    statuses: { completed: 6, error: 2 },
    start: { seed: 7, subjects: ["subject", "sim/steadfast"], judges: ["grumpy", "panel"], conversations: 8 },
  });
  expect(
    [...conversationTable(store, "fixture-1")].map((row) =>
      [row.subject, row.judge, row.row_index, row.status, row.failure_category, row.attempts, row.path].join(
        " ",
      ),
    ),
  ).toMatchInlineSnapshot(`
    [
      "subject grumpy 0 completed  2 ask why sure tools",
      "subject panel 0 completed  2 ask why sure tools",
      "sim/steadfast grumpy 0 completed  1 ask why sure tools",
      "sim/steadfast panel 0 completed  1 ask why sure tools",
      "subject grumpy 1 error permission 2 ask sure",
      "subject panel 1 error permission 2 ask sure",
      "sim/steadfast grumpy 1 completed  1 ask why sure tools",
      "sim/steadfast panel 1 completed  1 ask why sure tools",
    ]
  `);
  expect(
    [...turnTable(store, "fixture-1")].map(({ node, verdict, tool_calls }) =>
      [node, verdict, tool_calls].join(" "),
    ),
  ).toMatchInlineSnapshot(`
    [
      "ask pass 0",
      "why unverified 0",
      "sure unreadable 0",
      "tools unreadable 1",
      "ask pass 0",
      "why unverified 0",
      "sure pass 0",
      "tools pass 1",
      "ask pass 0",
      "why unverified 0",
      "sure unreadable 0",
      "tools unreadable 0",
      "ask pass 0",
      "why unverified 0",
      "sure pass 0",
      "tools pass 0",
      "ask fail 0",
      "sure unreadable 0",
      "tools  ",
      "ask fail 0",
      "sure pass 0",
      "tools  ",
      "ask pass 0",
      "why unverified 0",
      "sure unreadable 0",
      "tools unreadable 0",
      "ask pass 0",
      "why unverified 0",
      "sure pass 0",
      "tools pass 0",
    ]
  `);
  expect(
    [...outcomeTable(store, "fixture-1")].map(({ outcome, value, certainty }) =>
      [outcome, value, certainty].join(" "),
    ),
  ).toMatchInlineSnapshot(`
    [
      "firstRight true decided",
      "passes 1 inconclusive",
      "firstRight true decided",
      "passes 3 inconclusive",
      "firstRight true decided",
      "passes 1 inconclusive",
      "firstRight true decided",
      "passes 3 inconclusive",
      "firstRight  inconclusive",
      "passes  inconclusive",
      "firstRight  inconclusive",
      "passes  inconclusive",
      "firstRight true decided",
      "passes 1 inconclusive",
      "firstRight true decided",
      "passes 3 inconclusive",
    ]
  `);
});

test("what stood in for texts in version 1 is the text, and what only looked like it is as it was", async () => {
  const store = await imported("run-1.jsonl");
  const [first] = turnTable(store, "fixture-1");
  expect(first?.reply).toBe(`B, Canberra. ${"It was built to be the capital. ".repeat(12)}`);
  const inputs = [...store.events("fixture-1")].flatMap((event) =>
    event.type === "turn-end" ? (event.result.toolCalls ?? []).map(({ input }) => input) : [],
  );
  expect(inputs).toEqual([
    { a: 1, b: { $text: "x".repeat(300) } },
    { a: 1, b: { $text: "x".repeat(300) } },
  ]);
});

test("the calls of version 1 have the identities that its events name", async () => {
  const store = await imported("run-1.jsonl");
  const asked = [...store.events("fixture-1")].flatMap((event) =>
    event.type === "call-start" && event.identity !== undefined && !event.model.startsWith("sim/")
      ? [event]
      : [],
  );
  const failed = [...store.events("fixture-1")].flatMap((event) =>
    event.type === "call-end" && event.failure !== undefined ? [`${event.conversation} ${event.call}`] : [],
  );
  const calls = store.callsOf("fixture-1");
  const missing = asked.filter(
    ({ identity, conversation, call }) =>
      calls.find(identity ?? "") === undefined && !failed.includes(`${conversation} ${call}`),
  );
  expect(asked.length).toBeGreaterThan(30);
  expect(missing).toEqual([]);
  expect(cassetteFromRun(store, "fixture-1").size).toBe(calls.size);
});

test("what was read of version 1 can be written and read again", async () => {
  const store = await imported("run-1.jsonl");
  const lines = [...exportRun(store, "fixture-1")];
  const other = memoryStore();
  await importRun(other, lines);
  expect([...exportRun(other, "fixture-1")]).toEqual(lines);
});
