import type { ScenarioDefinition } from "./definition.ts";

/** A definition with other parts, as a run needs them. Its hash stays: what identifies a scenario is what its author wrote. */
export function copyDefinition(
  definition: ScenarioDefinition,
  parts: Partial<Pick<ScenarioDefinition, "nodes" | "edges" | "outcomes">>,
): ScenarioDefinition {
  const { name, description, nodes, nodeIds, edges, entryNode, outcomes, warnings, metadata } = definition;
  return Object.freeze({
    name,
    description,
    nodes,
    nodeIds,
    edges,
    entryNode,
    outcomes,
    warnings,
    metadata,
    ...parts,
    get hash(): string {
      return definition.hash;
    },
  });
}
