import { allTurns, END, question, Scenario, type ScenarioDefinition } from "elenchus";
import { rehearse } from "elenchus/analysis";
import { cpuTime, report, shown } from "./measure.ts";

const GOAL = 2_000;

/**
 * A tree of questions, two below each: a right answer leads to one, a wrong one to the other, an unreadable one back to the question
 * above. The last ones are asked up to three times. All nodes can be reached within 20 turns.
 */
function build(nodes: number): ScenarioDefinition {
  const scenario: Scenario = new Scenario("large");
  const asked = question({
    question: "Is it so?",
    rawAnswer: "yes",
    template: { fields: { yes: { type: "boolean", description: "whether it is so", truth: true } } },
  });
  for (let node = 0; node < nodes; node++) scenario.addNode(`n${node}`, { question: asked });
  for (let node = 0; node < nodes; node++) {
    const [id, first, second] = [`n${node}`, 2 * node + 1, 2 * node + 2];
    if (first < nodes) {
      scenario.addEdge(id, `n${first}`, { when: { verify_result: true } });
      if (second < nodes) scenario.addEdge(id, `n${second}`, { when: { verify_result: false } });
      scenario.addEdge(id, node === 0 ? END : `n${Math.floor((node - 1) / 2)}`);
    } else {
      const again = [{ verify_result: null }, { [`node_visits.${id}`]: { lt: 3 } }];
      scenario.addEdge(id, id, { when: again as never });
      scenario.addEdge(id, END);
    }
  }
  scenario.addOutcome("all_right", allTurns({ verify_result: true }));
  return scenario.setEntry("n0").validate();
}

export async function benchRehearsal(): Promise<void> {
  console.log("rehearsal (loops, a verdict with three values at every node; CPU time)");
  for (const turnLimit of [20, 200]) {
    let previous: number | undefined;
    for (const nodes of [250, 500, 1_000]) {
      const definition = build(nodes);
      const start = cpuTime();
      const { paths, states } = await rehearse(definition, { turnLimit, list: 3, maxStates: 100_000 });
      const time = cpuTime() - start;
      const growth = previous === undefined ? "" : `, ×${(time / previous).toFixed(1)} for ×2`;
      const goal = nodes === 1_000 ? { text: `≤ ${GOAL} ms`, met: time <= GOAL } : undefined;
      report(`${nodes} nodes, ${turnLimit} turns${growth}`, shown(time, "ms"), goal);
      const digits = paths.count === null ? "not counted" : `10^${String(paths.count).length - 1} paths`;
      report("", `${states} states, ${digits}`);
      previous = time;
    }
  }
}
