import { runScenarios } from "elenchus";
import { resolveModel } from "elenchus/models";
import { Agent } from "undici";
import { chain } from "./chain.ts";
import { report, shown } from "./measure.ts";
import { type Served, serve } from "./served.ts";

const TURNS = 5;
const DELAY = 20;
const GOAL = 1.2;

export async function benchManyConversations(): Promise<void> {
  console.log(
    `many conversations (${TURNS} turns, openai-compatible/… over HTTP, the model takes ${DELAY} ms, no judge)`,
  );
  const served = await serve(DELAY);
  for (const [concurrency, conversations] of [
    [500, 1000],
    [50, 1000],
    [5, 100],
  ] as const) {
    const size = { concurrency, conversations };
    const ideal = (conversations * TURNS * DELAY) / concurrency;
    let [wall, cpu] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    let [bare, bareCpu] = [wall, cpu];
    // A few thousand requests are over before the code is compiled.
    for (let round = 0; round < (concurrency === 500 ? 8 : 2); round++) {
      let start = process.cpuUsage();
      wall = Math.min(wall, await conversationsTime(served, size));
      cpu = Math.min(cpu, cpuSince(start));
      start = process.cpuUsage();
      bare = Math.min(bare, await requestsTime(served, size));
      bareCpu = Math.min(bareCpu, cpuSince(start));
    }
    const ratio = wall / bare;
    report(`${conversations} at concurrency ${concurrency}`, shown(wall, "ms"));
    report("  against the same requests by bare undici", `×${ratio.toFixed(2)}`, {
      text: `≤ ×${GOAL}`,
      met: ratio <= GOAL,
    });
    const turns = conversations * TURNS;
    report(
      "  CPU of a turn, of a bare request",
      `${shown(cpu / turns, "ms")}, ${shown(bareCpu / turns, "ms")}`,
    );
    report("  against the ideal", `×${(wall / ideal).toFixed(2)}`);
    report("  bare undici against the ideal", `×${(bare / ideal).toFixed(2)}`);
  }
  served.stop();
}

function cpuSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

interface Size {
  readonly concurrency: number;
  readonly conversations: number;
}

async function conversationsTime(
  { environment }: Served,
  { concurrency, conversations }: Size,
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
  });
  let turns = 0;
  for await (const event of run) if (event.type === "conversation-end") turns += event.turnCount;
  const wall = performance.now() - start;
  if (turns !== conversations * TURNS) throw new Error("a conversation is incomplete");
  return wall;
}

/** As many requests without an engine. */
async function requestsTime({ origin }: Served, { concurrency, conversations }: Size): Promise<number> {
  const agent = new Agent();
  const body = JSON.stringify({ model: "subject", messages: [{ role: "user", content: "Question?" }] });
  const headers = { "content-type": "application/json" };
  let left = conversations * TURNS;
  const start = performance.now();
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (left-- > 0) {
        const request = { origin, path: "/v1/chat/completions", method: "POST", headers, body } as const;
        await (await agent.request(request)).body.json();
      }
    }),
  );
  const wall = performance.now() - start;
  await agent.close();
  return wall;
}
