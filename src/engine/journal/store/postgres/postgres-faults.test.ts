import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { Client } from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { chainOf, memoryModel, yesJudge } from "../../../../../test/engine/held.ts";
import { type PostgresServer, startPostgres } from "../../../../../test/postgres-server.ts";
import {
  cellOf,
  conversationStart,
  runStart,
  turnEvents,
} from "../../../../apps/contracts/store-contract-samples.ts";
import { runScenarios } from "../../../run/run-scenarios.ts";
import { openStore } from "../open-store.ts";
import type { Store, StoreOptions } from "../store.ts";
import { StoreError, storeError } from "../store-error.ts";
import { postgresAddress, shownStore } from "./postgres-address.ts";

let server: PostgresServer;
let schemas = 0;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.close());

const newAddress = (): string => server.url(`faults_${++schemas}`);

async function open(address: string, options: StoreOptions = {}): Promise<Store> {
  const store = await openStore(address, options);
  onTestFinished(() => store.close());
  return store;
}

/** Does something on the server, as an administrator. */
async function administer(sql: string, address?: string): Promise<void> {
  const client = new Client(server.url());
  await client.connect();
  const schema = address === undefined ? undefined : new URL(address).searchParams.get("schema");
  if (schema !== undefined) await client.query(`SET search_path = ${schema}`);
  await client.query(sql);
  await client.end();
}

/** The error of an address that cannot be opened. Whatever is in it, a password is not. */
async function problem(address: string, options: StoreOptions = {}): Promise<StoreError> {
  const error = await openStore(address, options).then(
    async (store) => {
      await store.close();
      throw new Error("it opens");
    },
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof StoreError)) throw error;
  const { password } = new URL(address);
  const cause = error.cause instanceof Error ? `${error.cause.message} ${error.cause.stack}` : "";
  const said = [error.message, error.path, error.stack, cause, JSON.stringify(error)].join(" ");
  if (password !== "") expect(said).not.toContain(password);
  return error;
}

test("a server, role or database that is not there is named in one sentence, without the password", async () => {
  const wrong = server.url().replace(server.password, "tr0ub4dor&3-x");
  const denied = await problem(wrong);
  expect(denied.code).toBe("denied");
  expect(denied.message).toBe(
    `The store postgres://127.0.0.1:${server.port}/postgres cannot be used: its server refuses this role, password or database. Check all three in the address; a password may also stand in PGPASSWORD.`,
  );
  expect(await problem(server.url().replace(/\/postgres$/, "/nowhere"))).toMatchObject({ code: "denied" });
  const closed = await problem("postgres://ada:tr0ub4dor&3-x@127.0.0.1:9/elenchus");
  expect(closed.code).toBe("unreachable");
  expect(closed.message).toContain("The store postgres://127.0.0.1:9/elenchus cannot be used: its server");
  expect(await problem(newAddress(), { readOnly: true })).toMatchObject({ code: "missing" });
});

test("an address that cannot be read is not shown", () => {
  for (const address of [
    "postgres://ada:s3cr3t/ure@host:x/db",
    "postgres://h/db?schema=a;b",
    "postgres://h/d#x",
  ])
    try {
      postgresAddress(address);
      throw new Error("it is read");
    } catch (error) {
      expect(String(error)).toMatch(/^StoreError: The address of the store cannot be read/);
      expect(String(error)).not.toContain("s3cr3t");
      expect(shownStore(address)).toBe("postgres://…");
    }
  expect(shownStore("postgres://ada:s3cr3t@host/db?schema=mine&sslmode=require")).toBe(
    "postgres://host/db?schema=mine",
  );
  expect(shownStore("runs/my.db")).toBe("runs/my.db");
  expect(postgresAddress("postgres://host/db?sslmode=require").connection).toContain("sslmode=verify-full");
  expect(postgresAddress("postgres://host/db?sslmode=no-verify").connection).toContain("sslmode=no-verify");
  expect(storeError(new Error("self-signed certificate"), "postgres://host/db").message).toContain(
    "NODE_EXTRA_CA_CERTS",
  );
});

test("another format is refused", async () => {
  const address = newAddress();
  await (await openStore(address)).close();
  await administer("UPDATE meta SET value = '99'", address);
  expect(await problem(address)).toMatchObject({ code: "newer_format" });
});

test("tables of another program are left alone", async () => {
  const address = newAddress();
  const { schema } = postgresAddress(address);
  await administer(`CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.event (mine TEXT)`);
  expect(await problem(address)).toMatchObject({ code: "not_a_store" });
});

test("a role that may only read reads, and is told what it cannot do", async () => {
  const address = newAddress();
  const writing = await open(address);
  const journal = writing.begin(runStart("one"));
  journal.append(conversationStart("c0", cellOf(0)));
  await journal.durable();
  const { schema } = postgresAddress(address);
  await administer(
    `CREATE ROLE reader LOGIN PASSWORD 'only-looks-9x'; GRANT USAGE ON SCHEMA ${schema} TO reader;
     GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO reader`,
  );
  const reader = address.replace(`postgres:${server.password}`, "reader:only-looks-9x");
  const store = await open(reader, { readOnly: true });
  expect(store.runs().map(({ run }) => run)).toEqual(["one"]);
  expect([...store.conversations("one")].length).toBe(1);
  expect(store.runs()).toHaveLength(1);
  expect(() => store.tag("one", ["x"])).toThrow("it may not be written");
  const refused = await problem(reader);
  expect(refused.code).toBe("read_only");
  expect(refused.message).toContain("it may not be written");
});

test("a server that is full says so, and what was durable before is there", async () => {
  const address = newAddress();
  const store = await openStore(address);
  const journal = store.begin(runStart("one"));
  journal.append(conversationStart("c0", cellOf(0)));
  await journal.durable();
  await administer(
    `CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$;
     CREATE TRIGGER full_disk BEFORE INSERT ON event EXECUTE FUNCTION full_disk()`,
    address,
  );
  const turn = turnEvents({ conversation: "c0", turn: 1, reply: "Hm.", verdict: true, at: 1100 });
  for (const event of turn) journal.append(event);
  const first = await Promise.resolve(journal.durable()).catch((error: unknown) => error);
  expect(first).toMatchObject({ code: "full" });
  expect(String(first)).toContain("Make room and resume the run: what was written before is safe");
  await expect(journal.durable()).rejects.toMatchObject({ code: "full" });
  expect([...(await open(address)).events("one", "c0")].length).toBe(1);
  await store.close();
  await administer("DROP TRIGGER full_disk ON event", address);
  const again = await open(address);
  const resumed = again.reopen("one");
  for (const event of turn) resumed.append(event);
  await resumed.durable();
  expect([...again.events("one", "c0")].length).toBe(6);
});

test("a run goes on after the server was restarted in the middle of it, and asks nothing twice", async () => {
  const store = await open(newAddress());
  let restarted: Promise<void> | undefined;
  const subject = memoryModel("m", async (message, call) => {
    if (call === 20)
      restarted = (async () => {
        await server.stop();
        await server.start();
      })();
    // Some answers come while it is gone, some wait for it.
    if (call % 7 === 0) await restarted;
    return `yes ${message}`;
  });
  await runScenarios({
    scenarios: chainOf(5),
    subjects: subject,
    judge: yesJudge(),
    allowUnread: true,
    replicates: 16,
    concurrency: 8,
    store,
    run: "r",
  }).results;
  expect(store.run("r")?.statuses).toEqual({ completed: 16 });
  expect(subject.asked.length).toBe(80);
  expect(store.results("r")[0]?.turns.passed).toBe(80);
  const events = [...store.events("r")].filter(({ type }) => type === "turn-end");
  expect(events.length).toBe(80);
});

/** A way to the server that can be cut. */
async function cuttable(): Promise<{
  readonly address: (schema: string) => string;
  /** Ready to cut the connection that next sends a text; `cut` resolves when that has happened. */
  readonly cutAfter: (text: string) => Promise<{ readonly cut: Promise<unknown> }>;
}> {
  const thread = new Worker(new URL("../../../../../test/cuttable-way.ts", import.meta.url), {
    workerData: { port: server.port },
  });
  onTestFinished(async () => void (await thread.terminate()));
  const [port] = (await once(thread, "message")) as [number];
  return {
    address: (schema) => server.url(schema).replace(`:${server.port}/`, `:${port}/`),
    cutAfter: async (text) => {
      const isReady = once(thread, "message");
      thread.postMessage(text);
      await isReady;
      return { cut: once(thread, "message") };
    },
  };
}

test.each(["COMMIT", "BEGIN"])(
  "a connection that is cut at %s loses nothing, and writes nothing twice",
  async (at) => {
    const way = await cuttable();
    const store = await open(way.address(`cut_${at.toLowerCase()}`));
    const journal = store.begin(runStart("one"));
    journal.append(conversationStart("c0", cellOf(0)));
    await journal.durable();
    const { cut } = await way.cutAfter(at);
    for (const event of turnEvents({ conversation: "c0", turn: 1, reply: "Hm.", verdict: true, at: 1100 }))
      journal.append(event);
    await journal.durable();
    await cut;
    const { cut: again } = await way.cutAfter(at);
    store.begin(runStart("two"));
    await journal.durable();
    await again;
    const reading = await open(way.address(`cut_${at.toLowerCase()}`));
    expect([...reading.events("one", "c0")].length).toBe(6);
    expect(reading.runs().length).toBe(2);
  },
);
