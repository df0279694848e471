import { END, question, Scenario, type ScenarioState } from "elenchus";
import { INITIAL_STATE, resolveNextNode } from "elenchus/engine";
import { medianTime, report, shown } from "./measure.ts";

const DECISIONS = 200_000;
const GOAL = 1_000_000;

/** A node with ten conditional edges of several kinds, none of which matches: the longest way through. */
function build(): ReturnType<Scenario["validate"]> {
  const scenario: Scenario = new Scenario("ten edges");
  scenario.addNode("a", {
    question: question({
      question: "Which?",
      rawAnswer: "B",
      template: { fields: { letter: { type: "string", description: "the letter", truth: "B" } } },
    }),
  });
  for (let n = 0; n < 3; n++) scenario.addEdge("a", "a", { when: { "accumulated.n": { gte: 100 + n } } });
  for (let n = 0; n < 3; n++) scenario.addEdge("a", "a", { when: { turn: 50 + n } });
  for (const letter of ["X", "Y", "Z"]) scenario.addEdge("a", "a", { when: { "parsed.letter": letter } });
  scenario.addEdge("a", "a", { when: { verify_result: false } });
  scenario.addEdge("a", END);
  scenario.setEntry("a");
  return scenario.validate();
}

/** The same decision written by hand, without reasons. */
function byHand(state: ScenarioState): string {
  const n = state.accumulated.n as number;
  if (n >= 100 || n >= 101 || n >= 102) return "a";
  if (state.turn === 50 || state.turn === 51 || state.turn === 52) return "a";
  const letter = String(state.parsed.letter).toLowerCase().trim();
  if (letter === "x" || letter === "y" || letter === "z") return "a";
  return state.verifyResult === false ? "a" : END;
}

export function benchRouting(): void {
  console.log("routing (ten conditional edges, none matches, every reason recorded)");
  const { edges } = build();
  // Several states, so that nothing can be computed once and for all.
  const states = Array.from({ length: 64 }, (_, n): ScenarioState => {
    return {
      ...INITIAL_STATE,
      turn: n % 40,
      currentNode: "a",
      verifyResult: true,
      parsed: { letter: `b${n}` },
      accumulated: { n },
    };
  });
  let sink = 0;
  const run = (decide: (state: ScenarioState) => string | null): number =>
    medianTime(() => {
      for (let n = 0; n < DECISIONS; n++) sink += decide(states[n & 63] as ScenarioState)?.length ?? 0;
    });
  const time = run((state) => resolveNextNode(edges, state).target);
  const baseline = run(byHand);
  const perSecond = (DECISIONS / time) * 1000;
  report("decisions per second", shown(perSecond / 1e6, "M/s"), {
    text: `≥ ${GOAL / 1e6} M/s`,
    met: perSecond >= GOAL,
  });
  report("  against ifs written by hand, no reasons", `×${(time / baseline).toFixed(1)}`);
  if (sink === 0) throw new Error("nothing was decided");
}
