import type { StateUpdate } from "../state/advance-state.ts";
import type { Rubric } from "../templates/rubric.ts";
import type { JsonObject } from "../values/json.ts";
import type { Question } from "./question.ts";

/** A model by name (`provider/model`), or by name with parameters. */
export type ModelReference = string | { readonly model: string; readonly parameters?: JsonObject };

/** Other models than the run's, for one node. */
export interface ModelOverride {
  /** The model that answers. */
  readonly subject?: ModelReference;
  /** The model that reads and grades the reply. */
  readonly judge?: ModelReference;
}

/** Takes tools away from the subject at one node: a whole server's, or a single one. */
export interface ToolFilter {
  readonly remove: readonly { readonly server: string; readonly tool?: string }[];
}

/** Who speaks at a node, where a scenario has several agents. */
export type AgentIdentity = string | { readonly name: string; readonly systemPrompt?: string };

/** What `addNode` takes besides the id. */
export interface NodeOptions<Parsed = unknown> {
  readonly question: Question<Parsed>;
  readonly modelOverride?: ModelOverride | null;
  readonly toolFilter?: ToolFilter | null;
  /** Computes the new `accumulated` after a visit: a function, or the source text of one. */
  readonly stateUpdate?: StateUpdate<NoInfer<Parsed>> | string | null;
  readonly agentIdentity?: AgentIdentity | null;
  readonly rubric?: Rubric | null;
  readonly metadata?: JsonObject;
}

/** A node of a definition. */
export interface ScenarioNode {
  readonly question: Question;
  readonly modelOverride?: ModelOverride;
  readonly toolFilter?: ToolFilter;
  readonly stateUpdate?: StateUpdate | string;
  readonly agentIdentity?: AgentIdentity;
  readonly rubric?: Rubric;
  readonly metadata?: JsonObject;
}
