import { type Handover, runScenarios, type ScenarioDefinition } from "elenchus";
import { chain, instant, twoAgents } from "./chain.ts";
import { cpuTime, report, shown } from "./measure.ts";

const SHORT = 500;
const LONG = 2_000;
const GOAL = 1.5;

/** Writes the next question from the last reply alone. */
const lastReply: Handover = (turns, question) => `${turns.at(-1)?.reply}\n${question}`;

export async function benchLongConversation(): Promise<void> {
  console.log(
    `a long conversation (${LONG} turns against ${SHORT}, CPU time; 1 means that cost grows with the turns, 4 with their square)`,
  );
  const forms: readonly [string, (turns: number) => ScenarioDefinition][] = [
    [`${LONG} nodes, judged`, chain],
    ["plain history", () => twoAgents(undefined)],
    ["transcript_prepend", () => twoAgents("transcript_prepend")],
    ["transcript_append", () => twoAgents("transcript_append")],
    ["transcript_materialize", () => twoAgents("transcript_materialize")],
    ["a function", () => twoAgents(lastReply)],
  ];
  for (const [name, make] of forms) {
    const [short, long] = [make(SHORT), make(LONG)];
    const costs: { readonly short: Cost; readonly long: Cost }[] = [];
    // In turn, with as many turns on both sides: so the compiler and the garbage collector weigh on both alike.
    for (let round = 0; round < 6; round++)
      costs.push({ short: await costOf(short, SHORT, LONG / SHORT), long: await costOf(long, LONG, 1) });
    const warm = costs.slice(1);
    const best = (cost: (round: (typeof warm)[number]) => Cost): number =>
      Math.min(...warm.map((round) => cost(round).time));
    const time = best((round) => round.long) / best((round) => round.short);
    const bytes = (costs[0]?.long.bytes ?? 0) / (costs[0]?.short.bytes ?? 0);
    report(name, shown(best((round) => round.long) * 1000, "µs/turn"));
    report("  CPU time per turn, long against short", `×${time.toFixed(2)}`, {
      text: `≤ ×${GOAL}`,
      met: time <= GOAL,
    });
    report("  bytes per turn, long against short", `×${bytes.toFixed(2)}`, {
      text: `≤ ×${GOAL}`,
      met: bytes <= GOAL,
    });
  }
}

/** What one turn takes. */
interface Cost {
  readonly time: number;
  readonly bytes: number;
}

/** Runs a conversation of so many turns, so many times. */
async function costOf(definition: ScenarioDefinition, turns: number, times: number): Promise<Cost> {
  let [time, bytes] = [0, 0];
  for (let round = 0; round < times; round++) {
    const events: object[] = [];
    const start = cpuTime();
    const run = runScenarios({
      allowUnread: true,
      scenarios: definition,
      subjects: instant(
        "subject",
        "I would say yes, for the reasons that I gave before, and for some others.",
      ),
      judge: instant("judge", '{"fields":{"right":true}}'),
      turnLimit: turns,
    });
    for await (const event of run) events.push(event);
    time += cpuTime() - start;
    bytes += events.reduce((sum, event) => sum + JSON.stringify(event).length, 0);
  }
  return { time: time / turns / times, bytes: bytes / turns / times };
}
