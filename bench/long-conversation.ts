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
    await costOf(make(SHORT), SHORT);
    const short = await costOf(make(SHORT), SHORT);
    const long = await costOf(make(LONG), LONG);
    const time = long.time / LONG / (short.time / SHORT);
    const bytes = long.bytes / LONG / (short.bytes / SHORT);
    report(name, shown((long.time / LONG) * 1000, "µs/turn"));
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

async function costOf(
  definition: ScenarioDefinition,
  turns: number,
): Promise<{ readonly time: number; readonly bytes: number }> {
  let best = Number.POSITIVE_INFINITY;
  let bytes = 0;
  for (let round = 0; round < 3; round++) {
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
    best = Math.min(best, cpuTime() - start);
    bytes = events.reduce((sum, event) => sum + JSON.stringify(event).length, 0);
  }
  return { time: best, bytes };
}
