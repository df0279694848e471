import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore, runScenarios } from "elenchus";
import { resolveModel } from "elenchus/models";
import type { Store } from "elenchus/store";
import { Agent } from "undici";
import { chain } from "./chain.ts";
import { cpuTime, report, shown } from "./measure.ts";
import { type Served, serve } from "./served.ts";

const TURNS = 5;
const DELAY = 20;
const GOAL = 1.2;

export async function benchManyConversations(): Promise<void> {
  console.log(
    `many conversations (${TURNS} turns, openai-compatible/… over HTTP, the model takes ${DELAY} ms, no judge)`,
  );
  const served = await serve(DELAY);
  // One pool of connections for all rounds, as all models have.
  const bare: Bare = { agent: new Agent(), headers: await sentHeaders(served) };
  for (const [concurrency, conversations] of [
    [500, 1000],
    [50, 1000],
    [5, 100],
  ] as const) {
    const size = { concurrency, conversations };
    const ideal = (conversations * TURNS * DELAY) / concurrency;
    let [wall, cpu] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    let [bareWall, bareCpu] = [wall, cpu];
    // A few thousand requests are over before the code is compiled.
    for (let round = 0; round < (concurrency === 500 ? 8 : 2); round++) {
      let start = cpuTime();
      wall = Math.min(wall, await conversationsTime(served, size));
      cpu = Math.min(cpu, cpuTime() - start);
      start = cpuTime();
      bareWall = Math.min(bareWall, await requestsTime(served, size, bare));
      bareCpu = Math.min(bareCpu, cpuTime() - start);
    }
    const ratio = wall / bareWall;
    report(`${conversations} at concurrency ${concurrency}`, shown(wall, "ms"));
    report("  against the same conversations by bare undici", `×${ratio.toFixed(2)}`, {
      text: `≤ ×${GOAL}`,
      met: ratio <= GOAL,
    });
    const turns = conversations * TURNS;
    report(
      "  CPU of a turn, of a bare request",
      `${shown(cpu / turns, "ms")}, ${shown(bareCpu / turns, "ms")}`,
    );
    report("  against the ideal", `×${(wall / ideal).toFixed(2)}`);
    report("  bare undici against the ideal", `×${(bareWall / ideal).toFixed(2)}`);
    if (concurrency === 500) await benchWithStore(served, size, cpu / turns);
  }
  await bare.agent.close();
  served.stop();
}

/** The same with a store in a file: every event is durable before what follows from it, and every answer is kept. */
async function benchWithStore(served: Served, size: Size, without: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "elenchus-bench-many-"));
  let [wall, cpu] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < 4; round++) {
    const store = await openStore(join(folder, `${round}.db`));
    const start = cpuTime();
    wall = Math.min(wall, await conversationsTime(served, size, store));
    cpu = Math.min(cpu, cpuTime() - start);
    await store.close();
  }
  rmSync(folder, { recursive: true });
  const perTurn = cpu / (size.conversations * TURNS);
  report("  with a store: wall time", shown(wall, "ms"));
  report("  CPU of a turn, and without a store", `${shown(perTurn, "ms")}, ${shown(without, "ms")}`);
}

interface Size {
  readonly concurrency: number;
  readonly conversations: number;
}

async function conversationsTime(
  { environment }: Served,
  { concurrency, conversations }: Size,
  store?: Store,
): Promise<number> {
  const subject = await resolveModel("openai-compatible/subject", { environment });
  const start = performance.now();
  const run = runScenarios({
    allowUnread: true,
    scenarios: chain(TURNS),
    subjects: subject,
    replicates: conversations,
    concurrency,
    // The server takes all that it is sent; without a cap the first round trips would go by finding that out.
    caps: { [subject.account]: { maxConcurrency: concurrency } },
    keepResults: false,
    ...(store === undefined ? {} : { store }),
  });
  let turns = 0;
  for await (const event of run) if (event.type === "conversation-end") turns += event.turnCount;
  const wall = performance.now() - start;
  if (turns !== conversations * TURNS) throw new Error("a conversation is incomplete");
  return wall;
}

/** The same conversations by the client alone: what every program must do that asks these questions over HTTP. */
async function requestsTime(
  { origin }: Served,
  { concurrency, conversations }: Size,
  { agent, headers }: Bare,
): Promise<number> {
  let left = conversations;
  const start = performance.now();
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (left-- > 0) {
        const messages: { readonly role: string; readonly content: string }[] = [];
        for (let turn = 0; turn < TURNS; turn++) {
          messages.push({ role: "user", content: `Question ${turn}?` });
          const body = JSON.stringify({ model: "subject", messages });
          const request = { origin, path: "/v1/chat/completions", method: "POST", headers, body } as const;
          const response = await agent.request(request);
          const answer = (await response.body.json()) as Answer;
          messages.push({ role: "assistant", content: answer.choices[0].message.content });
        }
      }
    }),
  );
  return performance.now() - start;
}

/** What all bare requests share. */
interface Bare {
  readonly agent: Agent;
  readonly headers: Readonly<Record<string, string>>;
}

interface Answer {
  readonly choices: readonly [{ readonly message: { readonly content: string } }];
}

/** The headers with which a model sends its requests. */
async function sentHeaders({ environment }: Served): Promise<Readonly<Record<string, string>>> {
  let headers: Readonly<Record<string, string>> = {};
  const recording: typeof fetch = (input, init = {}) => {
    headers = Object.fromEntries(new Headers(init.headers));
    return fetch(input, init);
  };
  const subject = await resolveModel("openai-compatible/subject", { environment, fetch: recording });
  await runScenarios({ scenarios: chain(1), subjects: subject, allowUnread: true }).results;
  // Added by the client of every model.
  return { ...headers, "accept-encoding": "gzip, br, deflate" };
}
