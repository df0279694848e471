import { allTurns, END, question, Scenario, type ScenarioDefinition } from "elenchus";
import { planRun, rehearse } from "elenchus/analysis";
import { cpuTime, report, shown } from "./measure.ts";

const GOAL = 2_000;

const ASKED = question({
  question: "Is it so?",
  rawAnswer: "yes",
  template: { fields: { yes: { type: "boolean", description: "whether it is so", truth: true } } },
});

/**
 * A tree of questions, two below each: a right answer leads to one, a wrong one to the other, an unreadable one back to the question
 * above. The last ones are asked up to three times. All nodes can be reached within 20 turns.
 */
function build(nodes: number): ScenarioDefinition {
  const scenario: Scenario = new Scenario("large");
  for (let node = 0; node < nodes; node++) scenario.addNode(`n${node}`, { question: ASKED });
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

/** A chain in which every question is asked a second time if the first reply is not right: the longest conversations that there are. */
function buildChain(nodes: number): ScenarioDefinition {
  const scenario: Scenario = new Scenario("long");
  for (let node = 0; node < nodes; node++) scenario.addNode(`n${node}`, { question: ASKED });
  for (let node = 0; node < nodes; node++) {
    const [id, next] = [`n${node}`, node + 1 < nodes ? `n${node + 1}` : END];
    scenario.addEdge(id, next, { when: { verify_result: true } });
    scenario.addEdge(id, id, { when: { [`node_visits.${id}`]: { lt: 2 } } as never });
    scenario.addEdge(id, next);
  }
  scenario.addOutcome("all_right", allTurns({ verify_result: true }));
  return scenario.setEntry("n0").validate();
}

/** Prints the time for graphs of growing size, and by how much it grows. */
async function growth(
  name: string,
  goal: number | undefined,
  work: (nodes: number) => Promise<string>,
): Promise<void> {
  let previous: number | undefined;
  for (const nodes of [250, 500, 1_000]) {
    const start = cpuTime();
    const note = await work(nodes);
    const time = cpuTime() - start;
    const factor = previous === undefined ? "" : `, ×${(time / previous).toFixed(1)} for ×2`;
    const met =
      nodes === 1_000 && goal !== undefined ? { text: `≤ ${goal} ms`, met: time <= goal } : undefined;
    report(`${name}, ${nodes} nodes${factor}`, shown(time, "ms"), met);
    if (note !== "") report("", note);
    previous = time;
  }
}

export async function benchRehearsal(): Promise<void> {
  console.log("rehearsal (loops, a verdict with three values at every node; CPU time)");
  const rehearsed = async (definition: ScenarioDefinition, turnLimit: number): Promise<string> => {
    const { paths, states } = await rehearse(definition, { turnLimit, list: 3, maxStates: 100_000 });
    const digits = paths.count === null ? "not counted" : `10^${String(paths.count).length - 1} paths`;
    return `${states} states, ${digits}`;
  };
  for (const turnLimit of [20, 200])
    await growth(`a tree, ${turnLimit} turns`, GOAL, (nodes) => rehearsed(build(nodes), turnLimit));
  // Here the shortest conversation through each node has as many turns as there are nodes.
  await growth("a chain, 1,200 turns", undefined, (nodes) => rehearsed(buildChain(nodes), 1_200));
  console.log("plan (the same chain)");
  for (const turnLimit of [100, 1_200])
    await growth(`${turnLimit} turns`, turnLimit === 100 ? GOAL : undefined, async (nodes) => {
      const subjects = "openai/gpt-5-mini";
      await planRun({ scenarios: buildChain(nodes), subjects, judge: subjects, turnLimit });
      return "";
    });
}
