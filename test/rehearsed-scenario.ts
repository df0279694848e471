import {
  allTurns,
  anyTurn,
  countTurns,
  END,
  firstMatchIndex,
  type Outcome,
  question,
  Scenario,
  type ScenarioDefinition,
  truthFrom,
} from "elenchus";
import * as fc from "fast-check";

/** What a random scenario for rehearsals is made of; small numbers choose among the forms of its parts. */
export interface RehearsedSpec {
  readonly nodes: readonly { readonly fields: number; readonly text: number }[];
  readonly edges: readonly { readonly source: number; readonly target: number; readonly when: number }[];
  readonly outcomes: readonly number[];
  readonly fork: number;
}

/** Graphs of a few nodes with fields of several types, gates, truths that depend on the past, all conditions and all outcomes. */
export const rehearsedSpec: fc.Arbitrary<RehearsedSpec> = fc.record({
  nodes: fc.array(fc.record({ fields: fc.nat(7), text: fc.nat(6) }), { minLength: 1, maxLength: 4 }),
  edges: fc.array(fc.record({ source: fc.nat(3), target: fc.nat(4), when: fc.nat(18) }), { maxLength: 7 }),
  outcomes: fc.array(fc.nat(25), { minLength: 1, maxLength: 3 }),
  fork: fc.nat(5),
});

const agrees = { type: "boolean", description: "whether it agrees", truth: true } as const;
const letter = { type: "enum", values: ["A", "B", "C"], description: "the letter", truth: "B" } as const;
const number = { type: "integer", description: "the number", truth: 4 } as const;
const kept = {
  type: "boolean",
  description: "whether it kept its view",
  truth: truthFrom("node_results.n0.verify_result", { cases: { true: true }, otherwise: false }),
} as const;

const polite = { type: "llm", kind: "boolean", name: "polite", description: "is it polite?" } as const;

const TEMPLATES = [
  undefined,
  { fields: { agrees } },
  { fields: { letter } },
  { fields: { number } },
  { fields: { agrees: kept } },
  { fields: { agrees, letter }, verify: { type: "any_of", conditions: [field("agrees"), field("letter")] } },
  { fields: { agrees, letter }, verify: { when: { "parsed.letter": { ne: "C" } } } },
  { fields: { letter }, undecided: "wrong" },
] as const;

function field(name: string): { readonly type: "field"; readonly field: string } {
  return { type: "field", field: name };
}

/** Builds the scenario; every node leads on to the next, so that all are reachable. */
export function buildRehearsed({ nodes, edges, outcomes, fork }: RehearsedSpec): ScenarioDefinition {
  const scenario: Scenario = new Scenario("random");
  const id = (index: number): string => `n${index % nodes.length}`;
  for (const [index, { fields, text }] of nodes.entries()) {
    const template = TEMPLATES[fields];
    const asks =
      text === 0 && index > 0
        ? "And now, after {{ nodes.n0.verify_result }}?"
        : text === 1
          ? "Visit {{ visit }}?"
          : "Well?";
    scenario.addNode(`n${index}`, {
      question: question({
        question: asks,
        rawAnswer: "B",
        ...(template === undefined ? {} : { template: template as never }),
      }),
      ...(text === 2 ? { rubric: { traits: [polite] } } : {}),
    });
  }
  for (const { source, target, when } of edges) {
    const to = target % (nodes.length + 1) === nodes.length ? END : id(target);
    const condition = conditionOf(when, id(source), id(target + 1));
    if (condition !== undefined) scenario.addEdge(id(source), to, { when: condition as never });
  }
  const last = nodes.length - 1;
  for (const index of nodes.keys()) {
    if (fork === 0 && index === last && last > 0) scenario.addFork(`n${index}`, ["n0", END]);
    else scenario.addEdge(`n${index}`, index < last ? `n${index + 1}` : END);
  }
  for (const [index, form] of outcomes.entries()) {
    const check = outcomeOf(form, id(form), id(form + 1));
    scenario.addOutcome(`o${index}`, check as Outcome["check"], {
      ...(index > 0 && form % 3 === 0 && (outcomes[0] ?? 0) < 10 ? { when: "o0" } : {}),
    });
  }
  return scenario.setEntry("n0").validate();
}

function conditionOf(form: number, source: string, other: string): unknown {
  return [
    { verify_result: true },
    { verify_result: false },
    { verify_result: null },
    { turn: { gte: 3 } },
    { [`node_visits.${source}`]: { gte: 2 } },
    { [`node_visits.${other}`]: { lt: 2 } },
    { [`node_results.${other}.verify_result`]: true },
    { [`node_results.${other}.verify_result`]: null },
    [{ verify_result: true }, { turn: { lt: 4 } }],
    { "parsed.letter": "B" },
    { "parsed.letter": { in: ["A", "C"] } },
    { "parsed.number": { gt: 4 } },
    { type: "any_of", conditions: [{ "parsed.number": { lte: 2 } }, { "parsed.agrees": false }] },
    { type: "not", condition: { "parsed.agrees": true } },
    { [`node_results.${other}.parsed.letter`]: "A" },
    { [`node_results.${other}.parsed.letter`]: `{{ nodes.${other}.parsed.letter }}` },
    { turn: 2 },
    { [`node_results.${other}.rubric.polite`]: true },
  ][form];
}

function outcomeOf(form: number, node: string, other: string): unknown {
  const turn = (scope: object, fieldName: string, expected: unknown): unknown => ({
    type: "turn_check",
    scope,
    field: fieldName,
    expected,
  });
  return [
    turn({ type: "first_turn" }, "verify_result", true),
    turn({ type: "last_turn" }, "verify_result", true),
    turn({ type: "turn_at", index: 1 }, "verify_result", false),
    turn({ type: "turn_at", index: -2 }, "verify_result", true),
    turn({ type: "last_attempt" }, "verify_result", true),
    anyTurn({ verify_result: false }),
    allTurns({ verify_result: true }),
    turn({ type: "any_turn", node }, "parsed.letter", "B"),
    turn({ type: "all_turns", node }, "parsed.agrees", true),
    turn({ type: "last_attempt", node: [node, other] }, "parsed.letter", "A"),
    { type: "result_check", field: "status", expected: "completed" },
    { type: "result_check", field: "turn_count", verifyWith: { type: "numeric_minimum" }, expected: 3 },
    { type: "result_check", field: "path", expected: ["n0", "n1"] },
    {
      type: "cross_turn_check",
      sourceTurn: { type: "first_turn" },
      sourceField: "parsed.letter",
      targetTurn: { type: "last_turn" },
      targetField: "parsed.letter",
      comparison: "eq",
    },
    countTurns({ verifyResult: true }),
    countTurns({ node, where: { "parsed.letter": "B" } }),
    firstMatchIndex({ verifyResult: false }),
    { type: "longest_run" },
    { type: "persistence" },
    { type: "turn_of_flip", node },
    { type: "number_of_flips" },
    { type: "min_over_turns", field: "parsed.number" },
    { type: "mean_over_turns", field: "parsed.number" },
    { type: "last_over_turns", field: "parsed.number" },
    {
      type: "measure_check",
      measure: { type: "count_turns", verifyResult: true },
      comparison: "gte",
      expected: { type: "count_turns", verifyResult: false },
    },
    turn({ type: "any_turn" }, "rubric.polite", true),
  ][form];
}
