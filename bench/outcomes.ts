import {
  allOf,
  allTurns,
  anyTurn,
  type ConversationResult,
  countTurns,
  measureIs,
  numberOfFlips,
} from "elenchus";
import { evaluateOutcome } from "elenchus/engine";
import { medianTime, report, shown } from "./measure.ts";

function conversation(turnCount: number): ConversationResult {
  const turns = Array.from({ length: turnCount }, (_, n) => ({
    node: n % 2 === 0 ? "ask" : "push",
    verifyResult: n % 5 !== 4,
    reply: `reply ${n}`,
    questionText: "q",
    parsed: { n },
  }));
  return { status: "completed", path: turns.map(({ node }) => node), turnCount, turns };
}

export function benchOutcomes(): void {
  console.log("outcomes (two scans over all turns, two measures, one composition)");
  const check = allOf(
    anyTurn({ verify_result: false }, { node: "push" }),
    allTurns({ "parsed.n": { gte: 0 } }),
    measureIs(countTurns({ verifyResult: true }), "gte", 1),
    measureIs(numberOfFlips(), "gt", 0),
  );
  const times = [1_000, 10_000].map((turns) => {
    const result = conversation(turns);
    const time = medianTime(() => evaluateOutcome(check, result), { runs: 25, warmUp: 25 });
    const baseline = medianTime(() => result.turns.every((turn) => turn.parsed !== undefined), {
      runs: 25,
      warmUp: 25,
    });
    report(`${turns.toLocaleString("en")} turns`, shown(time * 1000, "µs"));
    report("  against one empty scan", `×${(time / baseline).toFixed(0)}`);
    return time;
  });
  report("growth for ×10 turns", `×${((times[1] as number) / (times[0] as number)).toFixed(1)}`);
}
