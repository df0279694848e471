import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "elenchus";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type Assignment, CALLS } from "./benchmark.ts";
import { failed, finished, prepareChildren, type StartChild } from "./child.ts";
import { type CountingServer, startCountingServer } from "./counting-server.ts";
import { type WholeRun, wholeRun } from "./whole-run.ts";

let folder: string;
let startChild: StartChild;
let server: CountingServer;
let alone: Readonly<Record<string, { readonly told: string; readonly whole: WholeRun }>>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "elenchus-two-"));
  startChild = await prepareChildren();
  server = await startCountingServer();
  alone = Object.fromEntries(
    await Promise.all(
      ["rivers", "hills"].map(async (scenario) => {
        const file = join(folder, `alone-${scenario}.db`);
        const { told } = finished(await startChild({ file, run: "r", url: server.url, scenario }).ended);
        return [scenario, { told, whole: await wholeRun(file, "r") }] as const;
      }),
    ),
  );
  await server.close();
});
afterAll(() => rm(folder, { recursive: true }));

beforeEach(async () => {
  server = await startCountingServer();
});
afterEach(() => server.close());

/** Lets processes loose on one file, and checks what each of them leaves. */
async function together(
  file: string,
  assignments: readonly (Pick<Required<Assignment>, "run" | "scenario"> & Pick<Assignment, "fresh">)[],
): Promise<readonly { readonly calls: number; readonly cached: number }[]> {
  const children = assignments.map((one) => startChild({ file, url: server.url, ...one }));
  const ended = await Promise.all(children.map((child) => child.ended));
  for (const [index, { run, scenario }] of assignments.entries()) {
    const one = ended[index] as (typeof ended)[number];
    expect(one.stderr).toBe("");
    expect(finished(one).told).toBe(alone[scenario]?.told);
    expect(await wholeRun(file, run)).toEqual(alone[scenario]?.whole);
  }
  return ended.map((one) => {
    const { calls } = finished(one);
    return { calls: sum(calls.map(([made]) => made)), cached: sum(calls.map(([, cached]) => cached)) };
  });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

test("different runs into a file that neither of them finds there", async () => {
  const counts = await together(join(folder, "different.db"), [
    { run: "one", scenario: "rivers" },
    { run: "two", scenario: "hills" },
  ]);
  expect(counts).toEqual([
    { calls: CALLS, cached: 0 },
    { calls: CALLS, cached: 0 },
  ]);
  expect(server.seen).toHaveLength(2 * CALLS);
});

test("the same scenario: each uses what the other knows already, and says so", async () => {
  const file = join(folder, "same.db");
  const counts = await together(file, [
    { run: "one", scenario: "rivers" },
    { run: "two", scenario: "rivers" },
  ]);
  for (const { calls, cached } of counts) expect(calls + cached).toBe(CALLS);
  expect(server.seen).toHaveLength(sum(counts.map(({ calls }) => calls)));
  const seen = server.seen.length;
  expect(await together(file, [{ run: "three", scenario: "rivers" }])).toEqual([{ calls: 0, cached: CALLS }]);
  expect(server.seen).toHaveLength(seen);
  const store = await openStore(file);
  expect(store.calls.size).toBe(CALLS);
  await store.close();
});

test("four processes, and a reader that looks on", async () => {
  const file = join(folder, "four.db");
  await together(file, [{ run: "first", scenario: "hills" }]);
  const reader = await openStore(file, { readOnly: true });
  let requests = 0;
  const looks: number[] = [];
  server.onRequest = () => {
    if (++requests % 20 !== 0) return;
    looks.push(reader.runs().reduce((count, { run }) => count + [...reader.events(run)].length, 0));
  };
  const runs = ["one", "two", "three", "four"];
  await together(
    file,
    runs.map((run, index) => ({ run, scenario: index % 2 === 0 ? "rivers" : "hills" })),
  );
  expect(looks.length).toBeGreaterThan(1);
  expect(looks).toEqual(looks.toSorted((one, other) => one - other));
  expect(
    reader
      .runs()
      .map(({ run }) => run)
      .toSorted(),
  ).toEqual(["first", ...runs].toSorted());
  await reader.close();
});

test("one is killed, and the other does not notice", async () => {
  const file = join(folder, "killed.db");
  const victim = startChild({ file, run: "victim", scenario: "hills", url: server.url });
  let requests = 0;
  server.onRequest = ({ child }) => {
    if (child === victim.name && ++requests === CALLS / 2) victim.kill();
  };
  await together(file, [{ run: "survivor", scenario: "rivers" }]);
  expect((await victim.ended).signal).toBe("SIGKILL");
  await together(file, [{ run: "victim", scenario: "hills" }]);
});

test("one deletes and compacts while the other writes", async () => {
  const file = join(folder, "compacted.db");
  await together(file, [
    { run: "old", scenario: "hills" },
    { run: "older", scenario: "rivers" },
  ]);
  const keeper = await openStore(file);
  const chores = [
    () => keeper.delete("old"),
    () => keeper.compact(),
    () => keeper.delete("older"),
    () => keeper.compact({ callsBefore: Date.now() }),
    () => keeper.tag("new", ["kept"]),
    () => keeper.compact(),
  ];
  let requests = 0;
  server.onRequest = () => {
    if (++requests % 15 === 0) chores.shift()?.();
  };
  await together(file, [{ run: "new", scenario: "rivers", fresh: true }]);
  expect(chores).toEqual([]);
  expect(keeper.runs().map(({ run, tags }) => [run, tags])).toEqual([["new", ["kept"]]]);
  keeper.compact();
  await keeper.close();
  expect(await wholeRun(file, "new")).toEqual(alone.rivers?.whole);
});

test("two processes that take up the same run: one does, the other says who does", async () => {
  const assignment = { file: join(folder, "resumed.db"), run: "r", url: server.url, scenario: "rivers" };
  const first = startChild(assignment);
  server.onRequest = () => {
    if (server.seen.length === 30) first.kill();
  };
  await first.ended;
  server.onRequest = () => {};
  const both = await Promise.all([startChild(assignment).ended, startChild(assignment).ended]);
  const told = both.flatMap((one) => {
    if (one.code === 0) return [finished(one).told];
    expect(failed(one)).toMatchObject({ name: "StoreError", code: "in_use" });
    return [];
  });
  // The second may come when the first is done already.
  expect(told.length).toBeGreaterThan(0);
  expect(new Set(told)).toEqual(new Set([alone.rivers?.told]));
  expect(finished(await startChild(assignment).ended).told).toBe(alone.rivers?.told);
  expect(await wholeRun(assignment.file, "r")).toEqual(alone.rivers?.whole);
});
