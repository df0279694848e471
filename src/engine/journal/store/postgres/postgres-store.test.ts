import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { Client } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { chainOf, memoryModel, yesJudge } from "../../../../../test/engine/held.ts";
import { sharedPostgres } from "../../../../../test/postgres-server.ts";
import {
  cellOf,
  conversationEnd,
  conversationStart,
  recordedCall,
  runStart,
  turnEvents,
} from "../../../../apps/contracts/store-contract-samples.ts";
import { runScenarios } from "../../../run/run-scenarios.ts";
import { foldConversation } from "../../fold/conversation.ts";
import { CellCounts, conversationCounts } from "../../fold/tally.ts";
import type { RunEvent } from "../../run-event.ts";
import { memoryStore } from "../memory-store.ts";
import { openStore } from "../open-store.ts";
import type { Store, StoreOptions } from "../store.ts";
import { SERVER_FORMAT } from "./server-schema.ts";

async function open(url: string, options: StoreOptions = {}): Promise<Store> {
  const store = await openStore(url, options);
  onTestFinished(() => store.close());
  return store;
}

/** Does something with the tables of a store, as an administrator. */
async function administer<Result>(url: string, use: (client: Client) => Promise<Result>): Promise<Result> {
  const { searchParams, href } = new URL(url);
  const client = new Client(href.replace(/\?.*$/, ""));
  await client.connect();
  try {
    await client.query(`SET search_path = ${searchParams.get("schema")}`);
    return await use(client);
  } finally {
    await client.end();
  }
}

const never = new AbortController().signal;

function conversation(name: string, index: number, turns = 2): readonly RunEvent[] {
  const reply = `${name}: ${"I would say yes, and again yes. ".repeat(4)}`;
  return [
    conversationStart(name, cellOf(index)),
    ...Array.from({ length: turns }, (_, turn) =>
      turnEvents({ conversation: name, turn: turn + 1, reply, verdict: turn % 2 === 0, at: 1100 + turn }),
    ).flat(),
    conversationEnd(name, cellOf(index), { status: "completed", turns }),
  ];
}

test("several processes write conversations of one run, and one goes on where another stopped", async () => {
  const url = await sharedPostgres();
  const [lead, left, right] = [await open(url), await open(url), await open(url)];
  const journal = lead.begin(runStart("r"));
  await journal.durable();
  for (const store of [left, right]) await store.pull?.([]);
  const journals = [left, right].map((store) => store.reopen("r", { isShared: true }));
  const all = Array.from({ length: 6 }, (_, index) => conversation(`c${index}`, index));
  await Promise.all(
    journals.map(async (own, side) => {
      for (const events of all.filter((_, index) => index % 2 === side))
        for (const event of events) {
          own.append(event);
          await own.durable();
        }
    }),
  );
  const started = conversation("moved", 6, 3);
  for (const event of started.slice(0, 6)) journals[0]?.append(event);
  await journals[0]?.durable();
  for (const event of started.slice(6)) journals[1]?.append(event);
  await journals[1]?.durable();
  await lead.pull?.(["r"]);
  expect([...lead.events("r", "moved")]).toEqual(started);
  for (const [index, events] of all.entries()) expect([...lead.events("r", `c${index}`)]).toEqual(events);
  const recounted = new CellCounts();
  for (const { conversation: name } of lead.conversations("r")) {
    const folded = foldConversation(lead.events("r", name));
    recounted.add(folded.cell, conversationCounts(folded));
  }
  expect(lead.tallies("r")).toEqual(recounted.tallies());
  expect(lead.run("r")).toMatchObject({ statuses: { completed: 7 }, endedAt: null });
  journal.append({ type: "run-end", at: 9000 } as RunEvent);
  await journal.durable();
  // What was read is not read again, and what is added comes after it.
  journals[1]?.append({ type: "warning", conversation: "c1", turn: 2, code: "late", message: "", at: 9500 });
  await journals[1]?.durable();
  const reading = await open(url, { readOnly: true });
  for (const store of [lead, reading]) {
    await store.pull?.();
    expect([...store.events("r", "c1")].map(({ at }) => at)).toEqual([
      ...(all[1] ?? []).map(({ at }) => at),
      9500,
    ]);
    expect(store.run("r")?.endedAt).toBe(9000);
  }
  // A run that is resumed is open again, and one that is deleted is gone.
  await lead.reopen("r").durable();
  await reading.pull?.();
  expect(reading.run("r")?.endedAt).toBeNull();
  lead.delete("r");
  lead.begin({ ...runStart("r"), seed: 8 });
  await lead.pull?.();
  await reading.pull?.();
  expect(reading.run("r")?.start.seed).toBe(8);
  expect([...reading.conversations("r")]).toEqual([]);
});

test("a run on a server is the run in memory, and a second one makes no calls", async () => {
  const options = (store: Store, asked: string[]) => ({
    scenarios: chainOf(4),
    subjects: memoryModel("m", (message) => {
      asked.push(message);
      return `yes ${message}`;
    }),
    judge: yesJudge(),
    allowUnread: true,
    replicates: 9,
    concurrency: 3,
    store,
    run: "r",
    seed: 5,
  });
  const url = await sharedPostgres();
  const store = await open(url);
  const memory = memoryStore();
  const asked: string[] = [];
  await runScenarios(options(store, asked)).results;
  await runScenarios(options(memory, [])).results;
  expect(store.results("r")).toEqual(memory.results("r"));
  expect([...store.conversations("r")].map(({ status, turnCount }) => [status, turnCount])).toEqual(
    [...memory.conversations("r")].map(({ status, turnCount }) => [status, turnCount]),
  );
  expect([...store.scores("r", { turns: true })]).toEqual([...memory.scores("r", { turns: true })]);
  const before = asked.length;
  const other = await open(url);
  await runScenarios({ ...options(other, asked), run: "again" }).results;
  expect(asked.length).toBe(before);
  expect(other.run("again")?.spending.cached).toBe(memory.run("r")?.spending.calls);
});

test("a call that another process makes is waited for, and made by one of them", async () => {
  const url = await sharedPostgres();
  const [one, other] = [await open(url), await open(url)];
  const call = recordedCall([{ role: "user", content: "Why?" }], "Because. ".repeat(20));
  const first = await one.calls.claim?.(call.identity, never);
  expect(first?.reply).toBeUndefined();
  const second = other.calls.claim?.(call.identity, never);
  one.calls.keep(call);
  if (first !== undefined && first.reply === undefined) first.release();
  expect(await second).toEqual({ reply: call.reply });
  expect(await other.calls.find(call.identity)).toEqual(call.reply);
});

test("a call that failed is made by the one that waited, and one that is given up waits no more", async () => {
  const url = await sharedPostgres();
  const [one, other, third] = [await open(url), await open(url), await open(url)];
  const first = await one.calls.claim?.("a", never);
  const stop = new AbortController();
  const given = third.calls.claim?.("a", stop.signal);
  stop.abort(new Error("enough"));
  await expect(given).rejects.toThrow("enough");
  const second = other.calls.claim?.("a", never);
  if (first !== undefined && first.reply === undefined) first.release();
  expect((await second)?.reply).toBeUndefined();
});

test("a process that is killed holds neither its calls nor its run", async () => {
  const url = await sharedPostgres();
  const store = await open(url);
  const program = `
    const { openStore } = await import(${JSON.stringify(new URL("../open-store.ts", import.meta.url).href)});
    const store = await openStore(${JSON.stringify(url)});
    const journal = store.begin(${JSON.stringify(runStart("theirs"))});
    await journal.durable();
    await store.calls.claim("a", new AbortController().signal);
    console.log("claimed");
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  await store.pull?.();
  await expect(store.reopen("theirs").durable()).rejects.toThrow(
    `is being written by process ${child.pid} on `,
  );
  await store.close();
  const next = await open(url);
  const waiting = next.calls.claim?.("a", never);
  child.kill("SIGKILL");
  expect((await waiting)?.reply).toBeUndefined();
  await next.reopen("theirs").durable();
});

test("what another process compacts away is written again", async () => {
  const url = await sharedPostgres();
  const [writing, other] = [await open(url), await open(url)];
  const events = conversation("c0", 0);
  const call = recordedCall([{ role: "user", content: "Why? ".repeat(30) }], "Because. ".repeat(20));
  const begun = writing.begin(runStart("one"));
  for (const event of events) begun.append(event);
  writing.calls.keep(call);
  await begun.durable();
  await other.pull?.();
  other.delete("one");
  other.compact({ callsBefore: Date.now() + 60_000 });
  await other.close();
  const left = await administer(url, async (client) => (await client.query("SELECT 1 FROM part")).rows);
  expect(left).toEqual([]);
  // This process believes that the messages of the call are on the server.
  const again = writing.begin(runStart("two"));
  for (const event of events) again.append(event);
  writing.calls.keep(call);
  await again.durable();
  const reading = await open(url);
  expect([...reading.events("two", "c0")]).toEqual(events);
  expect(reading.calls.get(call.identity)).toEqual(call);
});

test("a run that is deleted while it is written is noticed", async () => {
  const url = await sharedPostgres();
  const [writing, other] = [await open(url), await open(url)];
  const journal = writing.begin(runStart("one"));
  journal.append(conversationStart("c0", cellOf(0)));
  await journal.durable();
  await other.pull?.();
  other.delete("one");
  await other.close();
  for (const event of turnEvents({ conversation: "c0", turn: 1, reply: "Hm.", verdict: true, at: 1100 }))
    journal.append(event);
  await expect(journal.durable()).rejects.toMatchObject({ code: "no_run" });
  await expect(journal.durable()).rejects.toMatchObject({ code: "no_run" });
});

test("texts that PostgreSQL cannot hold, and names of any length, come back as they were", async () => {
  const url = await sharedPostgres();
  const store = await open(url);
  const journal = store.begin(runStart("one"));
  const name = `c\0${"x".repeat(100)}`;
  const events = turnEvents({
    conversation: name,
    turn: 1,
    reply: `\0${"y".repeat(100)}`,
    verdict: true,
    at: 1,
  });
  // Not to be made shorter, as the server does with texts that repeat.
  const long = randomBytes(9000).toString("base64");
  const start = conversationStart(name, { ...cellOf(0), row: long, scenario: long });
  for (const event of [start, ...events]) journal.append(event);
  await journal.durable();
  expect([...(await open(url)).events("one", name)]).toEqual([start, ...events]);
});

test("stores in two schemas of one database do not wait for each other", async () => {
  const [one, other] = [await open(await sharedPostgres()), await open(await sharedPostgres())];
  for (const store of [one, other]) {
    store.begin(runStart("r"));
    expect((await store.calls.claim?.("a", never))?.reply).toBeUndefined();
  }
});

test("many processes make the tables at once", async () => {
  const url = await sharedPostgres();
  const stores = await Promise.all(Array.from({ length: 6 }, () => openStore(url)));
  for (const store of stores) await store.close();
  await administer(url, async (client) => {
    const { rows } = await client.query("SELECT value FROM meta WHERE key = 'format'");
    expect(rows).toEqual([{ value: String(SERVER_FORMAT) }]);
  });
});

test("a copy is kept for the next process, which reads only what was added", async () => {
  const url = await sharedPostgres();
  const writing = await open(url);
  const call = recordedCall([{ role: "user", content: "Why?" }], "Because.");
  const journal = writing.begin(runStart("one"));
  for (const event of conversation("c0", 0)) journal.append(event);
  writing.calls.keep(call);
  await writing.close();
  const rows = (): Promise<number> =>
    administer(url, async (client) => (await client.query("UPDATE event SET data = '{}'")).rowCount ?? 0);
  // What was read is not looked at again.
  expect(await rows()).toBeGreaterThan(0);
  const second = await open(url);
  expect([...second.events("one", "c0")]).toEqual(conversation("c0", 0));
  expect(second.calls.get(call.identity)).toEqual(call);
  const more = second.reopen("one");
  for (const event of conversation("c1", 1)) more.append(event);
  await second.close();
  const third = await open(url, { readOnly: true });
  expect([...third.conversations("one")].map(({ status }) => status)).toEqual(["completed", "completed"]);
  await third.close();
  // A store that is made anew is another one.
  await administer(url, (client) =>
    client.query(`DROP SCHEMA ${new URL(url).searchParams.get("schema")} CASCADE`),
  );
  expect((await open(url)).runs()).toEqual([]);
});
