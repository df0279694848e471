import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Rng } from "../../src/core/rng.ts";
import { account, type Stage } from "./account.ts";
import { CALLS, CONVERSATIONS } from "./benchmark.ts";
import { type Child, type Ended, finished, prepareChildren, type StartChild } from "./child.ts";
import { type CountingServer, startCountingServer } from "./counting-server.ts";
import { durableCalls } from "./durable-calls.ts";
import { type WholeRun, wholeRun } from "./whole-run.ts";

/** How often processes are killed, altogether. `npm run kills` does a hundred. */
const KILLS = Number(process.env.ELENCHUS_FAULTS_KILLS ?? 12);
const SEED = process.env.ELENCHUS_FAULTS_SEED ?? "elenchus";

/** The most kills that one run has to bear. */
const MOST_IN_A_RUN = 7;

let folder: string;
let startChild: StartChild;
let uninterrupted: { readonly told: string; readonly whole: WholeRun };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "elenchus-kill-"));
  startChild = await prepareChildren();
  const server = await startCountingServer();
  const file = join(folder, "uninterrupted.db");
  const { told } = finished(await startChild({ file, run: "r", url: server.url }).ended);
  expect(server.seen).toHaveLength(CALLS);
  await server.close();
  uninterrupted = { told, whole: await wholeRun(file, "r") };
  expect(uninterrupted.whole).toMatchObject({ statuses: { completed: CONVERSATIONS }, hasEnded: true });
});
afterAll(() => rm(folder, { recursive: true }));

/** When a process is killed: some milliseconds after it says that it opens the file, or after its n-th request. */
type Moment = { readonly delayMs: number } & ({ readonly after: "opening" } | { readonly after: number });

/** A third of the moments are around the beginning and the end, where most can go wrong. */
function moment(chance: Rng, callsLeft: number): Moment {
  const draw = chance.next();
  if (draw < 0.17 || callsLeft === 0) return { after: "opening", delayMs: chance.below(80) };
  if (draw < 0.33) return { after: callsLeft, delayMs: chance.below(20) };
  return { after: 1 + chance.below(callsLeft), delayMs: chance.below(4) };
}

/** Lets a process run until the moment, and kills it. */
function killedAt(
  { after, delayMs }: Moment,
  {
    file,
    server,
    fresh,
  }: { readonly file: string; readonly server: CountingServer; readonly fresh: boolean },
): Promise<{ readonly child: Child; readonly ended: Ended; readonly answered: Stage["answered"] }> {
  let answered: Stage["answered"] = new Set();
  const killNow = (): void => {
    answered = new Set(server.seen.filter(({ isAnswered }) => isAnswered));
    child.kill();
  };
  const kill = (): unknown => (delayMs === 0 ? killNow() : setTimeout(killNow, delayMs));
  const child = startChild(
    { file, run: "r", url: server.url, fresh },
    {
      onSaid: ({ said }) => {
        if (said === after) kill();
      },
    },
  );
  let requests = 0;
  server.onRequest = (request) => {
    if (request.child === child.name && ++requests === after) kill();
  };
  return child.ended.then((ended) => ({ child, ended, answered }));
}

interface Borne {
  readonly kills: number;
  readonly repeated: number;
  readonly inFlight: number;
  readonly lost: number;
}

/** Kills a run again and again, resumes it until it is finished, and checks everything. */
async function bear(name: string, most: number, fresh: boolean): Promise<Borne> {
  const chance = new Rng(`${SEED} ${name}`);
  const file = join(folder, `${name}.db`);
  const server = await startCountingServer();
  const stages: Stage[] = [];
  const moments: Moment[] = [];
  let last: Ended | undefined;
  while (last === undefined) {
    const left = CALLS - (stages.at(-1)?.durable.size ?? 0);
    const chosen: Moment =
      moments.length < most ? moment(chance, left) : { after: Number.POSITIVE_INFINITY, delayMs: 0 };
    const { child, ended, answered } = await killedAt(chosen, { file, server, fresh });
    stages.push({ child: child.name, durable: await durableCalls(file, "r", { fresh }), answered });
    if (ended.signal === "SIGKILL") moments.push(chosen);
    // Either it was to finish, or it was faster than the kill.
    else last = ended;
  }
  await server.close();
  const told = `${name}, seed ${SEED}, killed at ${JSON.stringify(moments)}`;
  const { problems, ...counts } = account(server.seen, stages);
  expect(problems, told).toEqual([]);
  expect(counts.repeated, told).toBeLessThanOrEqual(counts.inFlight);
  expect(server.seen.length - counts.repeated, told).toBe(CALLS);
  const result = finished(last);
  expect(result.told, told).toBe(uninterrupted.told);
  expect(
    result.calls.map(([calls, cached]) => (fresh ? calls : calls + cached)),
    told,
  ).toEqual(Array.from({ length: CONVERSATIONS }, () => CALLS / CONVERSATIONS));
  expect(await wholeRun(file, "r"), told).toEqual(uninterrupted.whole);
  return { kills: moments.length, ...counts };
}

describe.concurrent("processes that are killed", () => {
  test.for([
    ["journal", true],
    ["journal and known answers", false],
  ] as const)(
    "%s: resumed runs repeat nothing that was durable, and end as if nothing had been",
    {
      timeout: 60_000 + KILLS * 3000,
    },
    async ([name, fresh], { annotate }) => {
      const chance = new Rng(`${SEED} ${name}`);
      const total = { kills: 0, repeated: 0, inFlight: 0, lost: 0, runs: 0 };
      while (total.kills < KILLS / 2) {
        const most = Math.min(1 + chance.below(MOST_IN_A_RUN), Math.ceil(KILLS / 2) - total.kills);
        const borne = await bear(`${name} ${++total.runs}`, most, fresh);
        for (const key of ["kills", "repeated", "inFlight", "lost"] as const) total[key] += borne[key];
      }
      await annotate(JSON.stringify(total));
      expect(total.kills).toBeGreaterThanOrEqual(KILLS / 2);
      expect(total.inFlight).toBeGreaterThan(0);
    },
  );
});
