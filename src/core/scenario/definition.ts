import type { Outcome } from "../outcomes/outcome-check.ts";
import type { Issue } from "../schema/issue.ts";
import type { JsonObject } from "../values/json.ts";
import type { ScenarioEdge } from "./scenario-edge.ts";
import type { ScenarioNode } from "./scenario-node.ts";

/** A validated scenario: deeply frozen plain data that nothing can change any more. */
export interface ScenarioDefinition {
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
