import { Agent, request } from "node:http";
import { httpModel, runScenarios } from "elenchus";
import { chain } from "./chain.ts";
import { report, shown } from "./measure.ts";
import { serve } from "./served.ts";

const TURNS = 5;
const DELAY = 20;
const GOAL = 1.5;

export async function benchManyConversations(): Promise<void> {
  console.log(`many conversations (${TURNS} turns, the model takes ${DELAY} ms over HTTP, no judge)`);
  const served = await serve(DELAY);
  const definition = chain(TURNS);
  for (const [concurrency, conversations] of [
    [500, 1000],
    [50, 1000],
    [5, 100],
  ] as const) {
    const ideal = (conversations * TURNS * DELAY) / concurrency;
    const held = async (): Promise<number> => {
      const subject = httpModel({ url: served.url, name: "subject" });
      const start = performance.now();
      const run = runScenarios({
        scenarios: definition,
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
    };
    const bare = (): Promise<number> => bareRequests(served.url, conversations * TURNS, concurrency);
    // A few thousand requests are over before the code is compiled.
    const rounds = concurrency === 500 ? 6 : 2;
    const [wall, without] = [await quickest(held, rounds), await quickest(bare, rounds)];
    const ratio = wall / ideal;
    report(`${conversations} at concurrency ${concurrency}`, shown(wall, "ms"));
    report("  against the ideal", `×${ratio.toFixed(2)}`, { text: `≤ ×${GOAL}`, met: ratio <= GOAL });
    report("  the same requests by node:http, without an engine", `×${(without / ideal).toFixed(2)}`);
  }
  served.stop();
}

async function quickest(measure: () => Promise<number>, rounds: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) least = Math.min(least, await measure());
  return least;
}

/** The same requests by the client that Node has. */
async function bareRequests(url: string, requests: number, concurrency: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency });
  const payload = JSON.stringify({ messages: [{ role: "user", content: "Question?" }] });
  const headers = { "content-type": "application/json", "content-length": payload.length };
  const one = (): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const asked = request(url, { method: "POST", agent, headers }, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (data) => {
          text += data;
        });
        response.on("end", () => resolve(JSON.parse(text)));
      });
      asked.on("error", reject).end(payload);
    });
  let left = requests;
  const start = performance.now();
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (left-- > 0) await one();
    }),
  );
  const wall = performance.now() - start;
  agent.destroy();
  return wall;
}
