import { allTurns, END, question, Scenario, type ScenarioDefinition } from "elenchus";
import { rehearse } from "elenchus/analysis";
import { cpuTime, report, shown } from "./measure.ts";

const GOAL = 2_000;

/** A long graph of loops: a node that is asked up to three times, one that leads back to it, one that skips the next three. */
function build(nodes: number): ScenarioDefinition {
  const scenario: Scenario = new Scenario("large");
  const asked = question({
    question: "Is it so?",
    rawAnswer: "yes",
    template: { fields: { yes: { type: "boolean", description: "whether it is so", truth: true } } },
  });
  for (let node = 0; node < nodes; node++) scenario.addNode(`n${node}`, { question: asked });
  for (let node = 0; node < nodes; node++) {
    const id = `n${node}`;
    if (node % 3 === 0)
      scenario.addEdge(id, id, {
        when: [{ verify_result: null }, { [`node_visits.${id}`]: { lt: 3 } }] as never,
      });
    const elsewhere = node % 3 === 1 ? node - 1 : node + 4;
    if (node % 3 > 0 && elsewhere < nodes)
      scenario.addEdge(id, `n${elsewhere}`, { when: { verify_result: false } });
    scenario.addEdge(id, node + 1 < nodes ? `n${node + 1}` : END);
  }
  scenario.addOutcome("all_right", allTurns({ verify_result: true }));
  return scenario.setEntry("n0").validate();
}

export async function benchRehearsal(): Promise<void> {
  console.log("rehearsal (loops, a verdict with three values at every node; CPU time)");
  for (const turnLimit of [20, 1_200]) {
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
