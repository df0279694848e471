import { Client } from "pg";
import { expect, onTestFinished, test, vi } from "vitest";
import { type PatientServer, patientServer } from "../../../test/cli/patient-server.ts";
import { letterQuestion } from "../../../test/engine/held.ts";
import { sharedPostgres } from "../../../test/postgres-server.ts";
import { serveHealth } from "../../apps/cli/workers/worker.ts";
import { END, type ScenarioDefinition } from "../../core/scenario/definition.ts";
import { Scenario } from "../../core/scenario/scenario.ts";
import type { RunEvent } from "../journal/run-event.ts";
import { openStore } from "../journal/store/open-store.ts";
import { postgresAddress } from "../journal/store/postgres/postgres-address.ts";
import type { Store } from "../journal/store/store.ts";
import type { RunOptions } from "../run/run-options.ts";
import { coordinateRun } from "./coordinate-run.ts";
import { WorkQueue } from "./work-queue.ts";
import { type WorkerEvent, WorkSession, type WorkSessionOptions } from "./work-session.ts";
import type { OwnParts } from "./work-sheet.ts";
import { WorkTables } from "./work-tables.ts";

/** Polling ends when the test does. */
const POLLING = { timeout: 120_000 };

/** So many questions, which rules can read, so that there is one call for each. */
function questions(count: number, name = "letters"): ScenarioDefinition {
  const scenario: Scenario = new Scenario(name);
  for (let index = 0; index < count; index++)
    scenario
      .addNode(`n${index}`, { question: letterQuestion(`${name} ${index}?`) })
      .addEdge(`n${index}`, index + 1 < count ? `n${index + 1}` : END);
  return scenario.setEntry("n0").validate();
}

/** A place for runs on workers: a store, a model that answers when it is let, and what was logged. */
interface Place {
  readonly address: string;
  readonly store: Store;
  readonly server: PatientServer;
  readonly tables: WorkTables;
  /** Begins a run; resolves with its events when it is over. */
  run(options: Partial<RunOptions> & { readonly run: string }): {
    readonly events: Promise<readonly RunEvent[]>;
    stop(): void;
  };
  /** Starts a worker; `log` says what it has said. */
  worker(
    options?: Partial<Omit<WorkSessionOptions, "own">> & { readonly own?: Partial<OwnParts> },
  ): Promise<Worker>;
  /** Does something on the server, as an administrator. */
  administer(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

interface Worker {
  readonly session: WorkSession;
  readonly log: readonly WorkerEvent[];
  /** Resolves with what it says of an event. */
  until(event: WorkerEvent["event"]): Promise<string>;
}

async function place(): Promise<Place> {
  const address = await sharedPostgres();
  const server = await patientServer(() => "B");
  const store = await openStore(address);
  const tables = await WorkTables.open(address);
  const queue = await WorkQueue.open(address, tables.queueName);
  const administrator = new Client(postgresAddress(address).connection);
  await administrator.connect();
  await administrator.query(`SET search_path = ${tables.queueName}`);
  onTestFinished(async () => {
    await administrator.end();
    await queue.close();
    await tables.close();
    await store.close();
  });
  return {
    address,
    store,
    server,
    tables,
    run: (options) => {
      const all = { scenarios: questions(2), subjects: "openai/m", store, environment: server.environment };
      const parts = { tables, queue, command: "elenchus worker", requeueMs: 300 };
      const run = coordinateRun({ ...all, ...options }, {}, parts);
      const events = (async () => {
        const seen: RunEvent[] = [];
        for await (const event of run) seen.push(event);
        return seen;
      })();
      return { events, stop: () => run.stop() };
    },
    worker: async ({ own = {}, ...options } = {}) => {
      const log: WorkerEvent[] = [];
      const watchers = new Set<() => void>();
      const parts: OwnParts = {
        subjects: [],
        judges: [],
        environment: server.environment,
        scenarios: async () => [],
      };
      const session = await WorkSession.start({
        ...{ store: address, name: "w", version: "1", concurrency: 64, leaseMs: 15_000, reportMs: 20 },
        ...options,
        own: { ...parts, ...own },
        log: (event) => {
          log.push(event);
          for (const watch of [...watchers]) watch();
        },
      });
      onTestFinished(() => {
        server.open();
        return session.drain();
      });
      const until = (event: WorkerEvent["event"]): Promise<string> =>
        new Promise((resolve) => {
          const watch = (): void => {
            const found = log.find((one) => one.event === event);
            if (found === undefined) return;
            watchers.delete(watch);
            resolve(found.message);
          };
          watchers.add(watch);
          watch();
        });
      return { session, log, until };
    },
    administer: async (sql) => (await administrator.query(sql)).rows,
  };
}

test("a worker without the key says so, and others get what it cannot do at once", async () => {
  const { run, worker, server } = await place();
  const keyless = await worker({ own: { environment: {} } });
  const { events } = run({ run: "r", replicates: 3 });
  expect(await keyless.until("run-refused")).toContain("openai/m needs a key. Set OPENAI_API_KEY.");
  server.open();
  await worker();
  expect((await events).at(-1)).toMatchObject({ type: "run-end", statuses: { completed: 3 } });
  expect(server.calls).toHaveLength(6);
});

test("a worker of another format takes no conversations, and says so to the run", async () => {
  const { run, worker, administer, tables } = await place();
  const begun = run({ run: "r" });
  await vi.waitUntil(async () => (await tables.progress("r").catch(() => undefined))?.open === 1, POLLING);
  await administer(`UPDATE work_run SET sheet = replace(sheet, '"format":1', '"format":99')`);
  const said = await (await worker()).until("run-refused");
  expect(said).toContain("format 99; this worker has format 1");
  const problem = async (): Promise<string | undefined> => (await tables.workers())[0]?.problems.r;
  await vi.waitUntil(async () => (await problem()) === said, POLLING);
  begun.stop();
  expect((await begun.events).at(-1)).toMatchObject({ type: "run-end", statuses: {} });
});

test("a short run does not wait for a long one that began before it", async () => {
  const { run, worker, server, store } = await place();
  await worker({ concurrency: 2 });
  const long = run({ run: "long", scenarios: questions(1, "long"), replicates: 30 });
  await server.until((one) => one.waiting() === 2);
  const short = run({ run: "short", scenarios: questions(1, "short"), replicates: 4 });
  let isOver = false;
  void short.events.then(() => {
    isOver = true;
  });
  // One answer at a time, so that there is an order.
  for (let answered = 0; !isOver; ) {
    await store.pull?.(["short", "long"]);
    const finished = (store.run("short")?.statuses.completed ?? 0) === 4;
    if (finished || server.waiting() === 0) await new Promise((resolve) => setImmediate(resolve));
    else {
      server.answer(1);
      answered++;
      await server.until((one) => one.waiting() === 2 || one.calls.length >= 34);
    }
    expect(answered).toBeLessThanOrEqual(20);
  }
  expect(store.run("long")?.statuses.completed ?? 0).toBeLessThan(15);
  server.open();
  expect((await long.events).at(-1)).toMatchObject({ statuses: { completed: 30 } });
});

test("a queue that loses everything is filled again, and a conversation that kills its workers ends as error", async () => {
  const { run, worker, server, tables, administer } = await place();
  const { events } = run({ run: "r", replicates: 4 });
  const queued = "FROM bullmq.job WHERE queue = current_schema()";
  await vi.waitUntil(async () => (await administer(`SELECT 1 ${queued}`)).length === 4, POLLING);
  const [poison] = await tables.unheld("r", 10);
  await administer(`UPDATE work_job SET takeovers = 21 WHERE job = '${poison}'`);
  await administer(`DELETE ${queued}`);
  server.open();
  await worker();
  const seen = await events;
  expect(seen.at(-1)).toMatchObject({ statuses: { completed: 3, error: 1 } });
  expect(seen.find(({ type }) => type === "conversation-stop")).toMatchObject({
    conversation: poison,
    failure: { category: "internal", message: expect.stringContaining("More than 20 workers have died") },
  });
});

test("caps are divided by the workers that ask the account", async () => {
  const { run, worker, server, administer } = await place();
  const workers = [await worker({ concurrency: 6 }), await worker({ concurrency: 6 })];
  const { events } = run({ run: "r", replicates: 12, caps: { openai: { maxConcurrency: 4 } } });
  await Promise.all(workers.map((one) => one.until("run-open")));
  // Each has said that it asks the account, has then learnt who else does, and has said something again.
  for (let round = 0; round < 3; round++) {
    await administer("CREATE TEMPORARY TABLE IF NOT EXISTS looked AS SELECT clock_timestamp() AS at");
    await administer("UPDATE looked SET at = clock_timestamp()");
    const seen = (): ReturnType<typeof administer> =>
      administer("SELECT 1 FROM worker, looked WHERE seen_at > looked.at");
    await vi.waitUntil(async () => (await seen()).length === 2, POLLING);
  }
  server.answer();
  let most = 0;
  const all = server.until((one) => {
    most = Math.max(most, one.waiting());
    return one.calls.length === 24;
  });
  for (let answered = 0; answered < 6; answered++) {
    await server.until((one) => one.waiting() >= 4);
    server.answer(1);
  }
  server.open();
  await all;
  expect(most).toBe(4);
  expect((await events).at(-1)).toMatchObject({ statuses: { completed: 12 } });
});

test("the time of a run is up on all workers, and ends its conversations", async () => {
  const { run, worker, server } = await place();
  await Promise.all([worker({ concurrency: 2 }), worker({ concurrency: 2 })]);
  const { events } = run({ run: "r", replicates: 6, timeouts: { runMs: 300 } });
  expect((await events).at(-1)).toMatchObject({ type: "run-end", statuses: { timeout: 6 } });
  expect(server.calls.filter(({ state }) => state === "answered")).toEqual([]);
});

test("a server whose disk is full stops workers with a sentence, and nothing is lost", async () => {
  const { run, worker, server, administer } = await place();
  const first = await worker();
  const { events } = run({ run: "r", replicates: 4 });
  await server.until((one) => one.waiting() === 4);
  await administer(`CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$;
    CREATE TRIGGER full_disk BEFORE INSERT ON event EXECUTE FUNCTION full_disk()`);
  server.answer();
  expect(String(await first.session.lost)).toContain("no space is left on the disk of its server. Make room");
  await first.session.abandon();
  await administer("DROP TRIGGER full_disk ON event");
  server.open();
  await worker();
  expect((await events).at(-1)).toMatchObject({ statuses: { completed: 4 } });
  // The four answers that could not be kept were asked for again.
  expect(server.calls).toHaveLength(4 + 8);
});

test("a role that may only read, and a clock that is off, are refused with a sentence", async () => {
  const { worker, administer, address } = await place();
  const { schema } = postgresAddress(address);
  const role = `reader_${schema}`;
  await administer(`CREATE ROLE ${role} LOGIN PASSWORD 'only-looks-9x'; GRANT USAGE ON SCHEMA ${schema} TO ${role};
    GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO ${role}`);
  const reader = new URL(address);
  Object.assign(reader, { username: role, password: "only-looks-9x" });
  await expect(worker({ store: reader.href })).rejects.toThrow("it may not be written");
  await expect(worker({ now: () => Date.now() + 60_000 })).rejects.toThrow(
    "The clock of this machine is 60 s ahead of the server's. Workers must agree on the time",
  );
  await expect(worker({ now: () => Date.now() - 60_000, leaseMs: 20_000 })).rejects.toThrow("60 s behind");
  const off = await worker({ now: () => Date.now() + 60_000, leaseMs: 600_000 });
  expect(await off.until("clock-skew")).toContain("Times in the journal are off by that");
});

test("health over HTTP says whether a worker lives, and whether it takes conversations", async () => {
  let current: WorkSession | undefined;
  const { port, close } = await serveHealth("0", () => current);
  onTestFinished(close);
  const ask = async (path: string): Promise<readonly [number, unknown]> => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`);
    return [answer.status, await answer.json()];
  };
  const rest = { running: 0, finished: 0, errors: 0 };
  expect(await ask("/ready")).toEqual([503, { ready: false, ...rest, isDraining: false }]);
  const { worker } = await place();
  current = (await worker()).session;
  expect(await ask("/ready?x")).toEqual([200, { ready: true, ...rest, isDraining: false }]);
  await current.drain();
  expect(await ask("/ready")).toEqual([503, { ready: false, ...rest, isDraining: true }]);
  expect(await ask("/live")).toEqual([200, { live: true, ...rest, isDraining: true }]);
  expect((await ask("/"))[0]).toBe(404);
  await expect(serveHealth("http", () => current)).rejects.toThrow("--health takes a port");
  await expect(serveHealth(String(port), () => current)).rejects.toThrow("cannot be used");
});
