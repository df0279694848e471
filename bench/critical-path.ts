import { runScenarios } from "elenchus";
import { resolveModel } from "elenchus/models";
import { chain } from "./chain.ts";
import { report, shown } from "./measure.ts";
import { serve } from "./served.ts";

const TURNS = 5;
const DELAY = 40;
const GOAL = 1.05;
const ROUNDS = 9;

export async function benchCriticalPath(): Promise<void> {
  console.log(
    `critical path (linear, ${TURNS} turns, openai-compatible/… over HTTP, answer and judge take ${DELAY} ms each)`,
  );
  const served = await serve(DELAY);
  const { environment, origin } = served;
  const subject = await resolveModel("openai-compatible/subject", { environment });
  const judge = await resolveModel("openai-compatible/judge", { environment });
  const definition = chain(TURNS);
  const one = async (): Promise<number> => {
    const body = JSON.stringify({ messages: [{ role: "user", content: "Question?" }] });
    const start = performance.now();
    await (await fetch(`${origin}/v1/chat/completions`, { method: "POST", body })).json();
    return performance.now() - start;
  };
  const conversation = async (): Promise<number> => {
    const start = performance.now();
    const [result] = await runScenarios({ scenarios: definition, subjects: subject, judge }).results;
    if (result?.turns.some(({ verifyResult }) => verifyResult !== true))
      throw new Error("not all turns were judged");
    return performance.now() - start;
  };
  const calls: number[] = [];
  const walls: number[] = [];
  await conversation();
  for (let round = 0; round < ROUNDS; round++) {
    calls.push(await one());
    walls.push(await conversation());
  }
  served.stop();
  const call = median(calls);
  const ideal = (TURNS + 1) * call;
  const ratio = median(walls) / ideal;
  report("one call", shown(call, "ms"));
  report("the conversation", shown(median(walls), "ms"));
  report(`against ${TURNS} answers + 1 judge`, `×${ratio.toFixed(3)}`, {
    text: `≤ ×${GOAL}`,
    met: ratio <= GOAL,
  });
  report("  one thing at a time would take", `×${((2 * TURNS * call) / ideal).toFixed(2)}`);
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[values.length >> 1] as number;
}
