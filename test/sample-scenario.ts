import type { ScenarioDefinition, ScenarioEdge } from "../src/apps/public/index.ts";

/** A definition for drawings, of questions by id and edges; not validated, so that anything can be drawn. */
export function sampleScenario(
  questions: readonly (readonly [string, string])[],
  edges: readonly ScenarioEdge[],
): ScenarioDefinition {
  const nodeIds = questions.map(([id]) => id);
  const nodes = Object.fromEntries(
    questions.map(([id, question]) => [id, { question: { question, rawAnswer: "" } }]),
  );
  const rest = { description: "", outcomes: [], warnings: [], metadata: {}, hash: "" };
  return { name: "sample", nodes, nodeIds, edges, entryNode: nodeIds[0] ?? "", ...rest };
}
