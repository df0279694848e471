import { expect, onTestFinished, test } from "vitest";
import { sharedPostgres } from "../../../test/postgres-server.ts";
import { runStart } from "../../apps/contracts/store-contract-samples.ts";
import { ServerStore } from "../journal/store/postgres/server-store.ts";
import { SharedBudget } from "./shared-budget.ts";
import { WORK_FORMAT } from "./work-sheet.ts";
import { type WorkerReport, WorkTables } from "./work-tables.ts";

interface Process {
  readonly store: ServerStore;
  readonly writer: number;
  readonly tables: WorkTables;
}

/** What a worker has of a store: the journal, and what workers share. */
async function processOf(address: string): Promise<Process> {
  const store = await ServerStore.open(address);
  const tables = await WorkTables.open(address);
  onTestFinished(async () => {
    await tables.close();
    await store.close();
  });
  return { store, writer: store.writer, tables };
}

const SHEET = { format: WORK_FORMAT, options: {}, tools: [], code: [], coded: [] };
const GROUP = { cells: [{ index: 0, scenario: "s", subject: "m", judge: "rules", replicate: 1 }] };

async function workOn(
  address: string,
  limits: { readonly usd?: number; readonly calls?: number } = {},
): Promise<Process> {
  const first = await processOf(address);
  await first.store.begin(runStart("r")).durable();
  await first.tables.openRun("r", { sheet: SHEET, budget: limits, limitMs: null });
  await first.tables.addJobs("r", [{ job: "a", group: GROUP }], false);
  return first;
}

test("a process whose job was taken over can write nothing more, and one that gave it back can", async () => {
  const address = await sharedPostgres();
  const first = await workOn(address);
  const second = await processOf(address);
  expect(await first.tables.claim("r", "a", first.writer)).toMatchObject({
    isNew: true,
    isTakenOver: false,
  });
  await first.tables.release("r", "a", first.writer);
  expect(await second.tables.claim("r", "a", second.writer)).toMatchObject({
    isNew: false,
    isTakenOver: false,
  });
  const warn = async ({ store }: Process, message: string): Promise<void> => {
    const journal = store.reopen("r", { isShared: true });
    journal.append({ type: "warning", code: "x", message, at: 1 });
    await journal.durable();
  };
  await warn(first, "still here");
  expect(await first.tables.claim("r", "a", first.writer)).toMatchObject({ isTakenOver: true });
  await expect(warn(second, "too late")).rejects.toMatchObject({ code: "taken_over" });
  const third = await processOf(address);
  const messages = [...third.store.events("r", null)].flatMap((event) =>
    "message" in event ? [event.message] : [],
  );
  expect(messages).toEqual(["still here"]);
});

test("a job is done once, and is then not there to be claimed", async () => {
  const { tables, writer } = await workOn(await sharedPostgres());
  await tables.claim("r", "a", writer);
  expect(await tables.progress("r")).toEqual({ open: 1, claimed: 1, state: "running" });
  await tables.finish("r", "a", { writer, conversations: ["a"], isFlushed: false });
  await tables.finish("r", "a", { writer, conversations: [], isFlushed: true });
  expect(await tables.claim("r", "a", writer)).toBeUndefined();
  expect(await tables.doneAfter("r", 0)).toMatchObject([{ job: "a", conversations: ["a"] }]);
  await tables.addJobs("r", [{ job: "a", group: GROUP }], true);
  expect(await tables.claim("r", "a", writer)).toMatchObject({ isNew: false, group: GROUP });
});

test("time is up for all by the clock of the server, and a stop stays a stop", async () => {
  const { tables } = await workOn(await sharedPostgres());
  await tables.openRun("r", { sheet: SHEET, limitMs: 0 });
  expect([...(await tables.states(["r"]))]).toEqual([["r", "timeout"]]);
  await tables.openRun("r", { sheet: SHEET, limitMs: 3_600_000 });
  expect(await tables.setState("r", "aborting")).toBe(true);
  expect(await tables.setState("r", "stopping")).toBe(false);
  expect((await tables.run("r"))?.state).toBe("aborting");
  expect(await tables.setState("r", "over")).toBe(true);
  expect(await tables.setState("r", "stopping")).toBe(false);
});

test("workers of an account are counted as long as they say something", async () => {
  const address = await sharedPostgres();
  const [one, other] = [await processOf(address), await processOf(address)];
  const report = (accounts: readonly string[]): WorkerReport => ({
    name: "w",
    version: "1",
    format: WORK_FORMAT,
    concurrency: 1,
    running: 0,
    finished: 0,
    errors: 0,
    perMinute: 0,
    runs: [],
    accounts,
    problems: {},
    isDraining: false,
  });
  expect([...(await one.tables.report(one.writer, report(["openai"])))]).toEqual([["openai", 1]]);
  const shared = await other.tables.report(other.writer, report(["openai", "google"]));
  expect([...shared]).toEqual([
    ["openai", 2],
    ["google", 1],
  ]);
  await one.tables.leave(one.writer);
  expect((await other.tables.workers()).map(({ id }) => id)).toEqual([other.writer]);
});

test("several processes never spend more calls than the budget has, and give back what they did not use", async () => {
  const address = await sharedPostgres();
  const first = await workOn(address, { calls: 50 });
  const second = await processOf(address);
  const budgets = [first, second].map(
    ({ tables }) =>
      new SharedBudget({
        limits: { calls: 50 },
        spend: (spend) => tables.spend("r", spend),
        fail: (error) => {
          throw error;
        },
      }),
  );
  const ask = async (index: number): Promise<boolean> => {
    const budget = budgets[index % 2] as SharedBudget;
    const ticket = await budget.admit({ name: "m" });
    if (ticket === null) return false;
    budget.charge(ticket, { usd: 0, tokens: 0 });
    return true;
  };
  const permitted = await Promise.all(Array.from({ length: 80 }, (_, index) => ask(index)));
  expect(permitted.filter((isPermitted) => isPermitted)).toHaveLength(50);
  expect(budgets[0]?.reason()).toContain("The budget of 50 calls is exhausted");
  await Promise.all(budgets.map((budget) => budget.close()));
});

test("what calls will probably cost is reserved until it is known", async () => {
  const { tables } = await workOn(await sharedPostgres(), { usd: 1 });
  const budget = new SharedBudget({
    limits: { usd: 1 },
    spend: (spend) => tables.spend("r", spend),
    fail: (error) => {
      throw error;
    },
  });
  const estimate = { usd: 0.4, tokens: 10 };
  const tickets = await Promise.all([1, 2, 3, 4].map(() => budget.admit({ name: "m" }, estimate)));
  // 0.4, 0.8 and 1.2: the third is permitted while less than all is reserved.
  expect(tickets.map((ticket) => ticket !== null)).toEqual([true, true, true, false]);
  for (const ticket of tickets) if (ticket !== null) budget.charge(ticket, { usd: 0.1, tokens: 10 });
  // Three have cost 0.3, and the mean of 0.1 is now expected.
  const more = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(() => budget.admit({ name: "m" }, estimate)));
  expect(more.filter((ticket) => ticket !== null)).toHaveLength(7);
  await budget.close();
});
