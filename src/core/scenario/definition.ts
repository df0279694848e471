import type { Outcome } from "../outcomes/outcome-check.ts";
import type { Issue } from "../schema/issue.ts";
import type { JsonObject } from "../values/json.ts";
import type { NodeEntry } from "./node-entry.ts";
import type { ScenarioEdge } from "./scenario-edge.ts";
import type { ScenarioNode } from "./scenario-node.ts";

declare const known: unique symbol;

/**
 * A validated scenario: deeply frozen plain data that nothing can change any more. The compiler remembers which nodes and
 * outcomes a chain has added, so that results are typed; a definition from a file has any.
 */
export interface ScenarioDefinition<Nodes extends NodeEntry = NodeEntry, Outcomes extends string = string> {
  /** For the compiler only: there is no such key at run time. */
  readonly [known]?: { readonly nodes: Nodes; readonly outcomes: Outcomes };
  readonly name: string;
  readonly description: string;
  readonly nodes: Readonly<Record<string, ScenarioNode>>;
  /** The ids of the nodes in the order they were added. */
  readonly nodeIds: readonly string[];
  readonly edges: readonly ScenarioEdge[];
  readonly entryNode: string;
  readonly outcomes: readonly Outcome[];
  /** What may not be as meant, although the scenario can run. */
  readonly warnings: readonly Issue[];
  readonly metadata: JsonObject;
  /** SHA-256 of the content: the same for the same scenario, however its keys are ordered. */
  readonly hash: string;
}

/** The nodes that the compiler knows of a definition. */
export type NodesOf<Definition extends ScenarioDefinition> =
  Definition extends ScenarioDefinition<infer Nodes, string> ? Nodes : never;

/** The names of the outcomes that the compiler knows of a definition. */
export type OutcomesOf<Definition extends ScenarioDefinition> =
  Definition extends ScenarioDefinition<NodeEntry, infer Outcomes> ? Outcomes : never;
