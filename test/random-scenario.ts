import { END, question, Scenario, type ScenarioDefinition, truthFrom } from "elenchus";
import * as fc from "fast-check";

/** What a random scenario is made of; small numbers choose among the forms of its parts. */
export interface ScenarioSpec {
  readonly nodes: readonly {
    readonly fields: number;
    readonly trait: number;
    readonly agent: number;
    readonly update: number;
    readonly truth: number;
  }[];
  readonly edges: readonly {
    readonly source: number;
    readonly target: number;
    readonly when: number;
    readonly handover: number;
  }[];
}

/** Any graph of a few nodes, with judged fields, rules, traits, agents, handovers, state updates and all kinds of conditions. */
export const scenarioSpec: fc.Arbitrary<ScenarioSpec> = fc.record({
  nodes: fc.array(
    fc.record({
      fields: fc.nat(4),
      trait: fc.nat(3),
      agent: fc.nat(3),
      update: fc.nat(3),
      truth: fc.nat(4),
    }),
    { minLength: 1, maxLength: 5 },
  ),
  edges: fc.array(
    fc.record({ source: fc.nat(4), target: fc.nat(5), when: fc.nat(14), handover: fc.nat(9) }),
    { maxLength: 10 },
  ),
});

/** Builds the scenario; every node leads on to the next, so that all are reachable. */
export function buildScenario({ nodes, edges }: ScenarioSpec): ScenarioDefinition {
  const scenario: Scenario = new Scenario("random");
  const id = (index: number): string => `n${index % nodes.length}`;
  for (const [index, node] of nodes.entries()) addNode(scenario, index, node);
  for (const { source, target, when, handover } of edges) {
    const to = target % (nodes.length + 1) === nodes.length ? END : id(target);
    const condition = conditionOf(when, id(source), id(target + 1));
    if (condition !== undefined)
      scenario.addEdge(id(source), to, { when: condition as never, ...handoverOf(handover) });
  }
  for (const index of nodes.keys())
    scenario.addEdge(`n${index}`, index + 1 < nodes.length ? `n${index + 1}` : END);
  return scenario.setEntry("n0").validate();
}

function addNode(scenario: Scenario, index: number, spec: ScenarioSpec["nodes"][number]): void {
  const judged = { type: "boolean", description: "whether it agrees", truth: true } as const;
  const ruled = {
    type: "enum",
    values: ["A", "B"],
    description: "the letter",
    truth: "B",
    extract: { type: "letter" },
  } as const;
  const past = {
    type: "boolean",
    description: "whether it kept its view",
    truth: truthFrom("node_results.n0.verify_result", { cases: { true: true }, otherwise: false }),
  } as const;
  const fields = [
    {},
    { agrees: judged },
    { letter: ruled },
    { agrees: judged, letter: ruled },
    { agrees: spec.truth === 0 ? past : judged, kept: judged },
  ][spec.fields] as Readonly<Record<string, typeof judged>>;
  const trait = { type: "llm", kind: "boolean", name: "polite", description: "is it polite?" } as const;
  const counted = (accumulated: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => ({
    ...accumulated,
    n: ((accumulated.n as number | undefined) ?? 0) + 1,
  });
  scenario.addNode(`n${index}`, {
    question: question({
      question: `Question ${index}?`,
      rawAnswer: "B",
      ...(Object.keys(fields).length === 0 ? {} : { template: { fields } }),
      ...(spec.truth === 1 ? { fewShot: [{ question: "Example?", answer: "A" }] } : {}),
    }),
    ...(spec.trait === 0 ? { rubric: { traits: [trait] } } : {}),
    ...(spec.agent === 1 ? { agentIdentity: "ann" } : {}),
    ...(spec.agent === 2 ? { agentIdentity: { name: "bob", systemPrompt: "You are Bob." } } : {}),
    ...(spec.update === 0 ? { stateUpdate: counted } : {}),
  });
}

function conditionOf(form: number, source: string, other: string): unknown {
  return [
    { verify_result: true },
    { verify_result: false },
    { verify_result: null },
    { turn: { gte: 4 } },
    { [`node_visits.${source}`]: { gte: 2 } },
    { [`node_results.${other}.verify_result`]: true },
    { "accumulated.n": { gte: 2 } },
    [{ verify_result: true }, { turn: { lt: 6 } }],
    (accumulated: { n?: number }) => (accumulated.n ?? 0) % 2 === 1,
    (_: unknown, parsed: { agrees?: boolean }) => parsed.agrees === true,
    { [`node_visits.${other}`]: { lt: 2 } },
  ][form];
}

function handoverOf(form: number): object {
  return (
    [
      { handover: "transcript_prepend" },
      { handover: "transcript_append" },
      { handover: "transcript_materialize" },
      {
        handover: (turns: readonly { verifyResult: unknown }[], text: string) =>
          `${turns.map((turn) => String(turn.verifyResult)).join()} ${text}`,
      },
    ][form] ?? {}
  );
}
