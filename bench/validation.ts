import { END, question, Scenario, type ScenarioDefinition } from "elenchus";
import { medianTime, report, shown } from "./measure.ts";

const GOAL = 500;

/** A long graph in which every node has a condition and a fallback. */
function build(nodes: number): Scenario {
  const scenario: Scenario = new Scenario("large");
  const asked = question({
    question: "Is it so?",
    rawAnswer: "yes",
    template: { fields: { yes: { type: "boolean", description: "whether it is so", truth: true } } },
  });
  for (let node = 0; node < nodes; node++) scenario.addNode(`node-${node}`, { question: asked });
  for (let node = 0; node < nodes; node++) {
    scenario.addEdge(`node-${node}`, node + 1 < nodes ? `node-${node + 1}` : END);
    scenario.addEdge(`node-${node}`, `node-${(node * 7) % nodes}`, { when: { verify_result: false } });
  }
  scenario.setEntry("node-0");
  return scenario;
}

export function benchValidation(): void {
  console.log("validation (one conditional and one unconditional edge per node)");
  let previous: number | undefined;
  for (const nodes of [1_000, 10_000, 100_000]) {
    const scenario = build(nodes);
    let definition: ScenarioDefinition | undefined;
    const time = medianTime(() => {
      definition = scenario.validate();
    });
    const baseline = medianTime(() => JSON.stringify(definition?.nodes), { runs: 5 });
    const growth = previous === undefined ? "" : `, ×${(time / previous).toFixed(1)} for ×10 nodes`;
    const goal = nodes === 100_000 ? { text: `≤ ${GOAL} ms`, met: time <= GOAL } : undefined;
    report(`${nodes.toLocaleString("en")} nodes${growth}`, shown(time, "ms"), goal);
    report("  against JSON.stringify of the nodes", `×${(time / baseline).toFixed(1)}`);
    previous = time;
  }
  const definition = build(100_000).validate();
  report(
    "content hash of 100,000 nodes, when asked for",
    shown(
      medianTime(() => definition.hash, { runs: 1, warmUp: 0 }),
      "ms",
    ),
  );
}
