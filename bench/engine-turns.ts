import { runScenarios } from "elenchus";
import type { Model } from "elenchus/models";
import { chain, instant } from "./chain.ts";
import { cpuTime, report, shown } from "./measure.ts";

const CONVERSATIONS = 4_000;
const TURNS = 5;
const GOAL_US = 50;

export async function benchEngineTurns(): Promise<void> {
  console.log("engine (instant model and judge in memory, every event read, CPU time)");
  // Nothing waits here, so more conversations at a time gain nothing.
  await measure(16, GOAL_US);
  await measure(256);
  const bare = (await bareCalls(subject, judge)) * 1000;
  report("  the calls alone, without an engine", shown(bare, "µs"));
}

const subject = instant("subject", "I would say yes.");
const judge = instant("judge", '{"fields":{"right":true}}');

async function measure(concurrency: number, goal?: number): Promise<void> {
  const definition = chain(TURNS);
  const times: number[] = [];
  for (let round = 0; round < 6; round++) {
    const start = cpuTime();
    const run = runScenarios({
      allowUnread: true,
      scenarios: definition,
      subjects: subject,
      judge,
      replicates: CONVERSATIONS,
      keepResults: false,
      concurrency,
    });
    let read = 0;
    for await (const event of run)
      if (event.type === "turn-end" && event.result.verifyResult === true) read++;
    times.push(cpuTime() - start);
    if (read !== CONVERSATIONS * TURNS) throw new Error(`only ${read} turns were read`);
  }
  const perTurn = (Math.min(...times) / CONVERSATIONS / TURNS) * 1000;
  const met = goal === undefined ? undefined : { text: `≤ ${goal} µs`, met: perTurn <= goal };
  report(`cost per turn, ${concurrency} conversations at a time`, shown(perTurn, "µs"), met);
}

async function bareCalls(subject: Model, judge: Model): Promise<number> {
  const context = {
    signal: new AbortController().signal,
    purpose: "subject",
    scenario: "",
    conversation: "",
    node: "",
    turn: 1,
    replicate: 1,
    seed: 0,
  } as const;
  const calls = 20_000;
  const start = performance.now();
  for (let call = 0; call < calls; call++) {
    await subject.reply({ messages: [] }, context);
    await judge.reply({ messages: [] }, context);
  }
  return (performance.now() - start) / calls;
}
