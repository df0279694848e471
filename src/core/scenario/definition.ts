import { memoize } from "../lazy.ts";
import type { Outcome } from "../outcomes/outcome-check.ts";
import type { RateDeclaration } from "../outcomes/rate.ts";
import type { Issue } from "../schema/issue.ts";
import type { StateUpdate } from "../state/advance-state.ts";
import type { When } from "../state/condition.ts";
import type { NodeEntry } from "../state/node-entry.ts";
import type { TurnRecord } from "../state/state.ts";
import type { Rubric } from "../templates/rubric.ts";
import type { Template } from "../templates/template.ts";
import type { JsonObject } from "../values/json.ts";
import type { DatasetOption } from "./dataset.ts";
import type { LintSettings } from "./lint-rule.ts";
import type { ModelOverride } from "./model-override.ts";
import type { SimulatedUser } from "./simulated-user.ts";
import type { Variants } from "./variants.ts";

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
  /** The system prompt of its conversations; that of an agent goes first, and before that of the run. */
  readonly systemPrompt?: string;
  /** What was said before the first turn: shown to the subject, never judged, never counted. */
  readonly history?: History;
  readonly nodes: Readonly<Record<string, ScenarioNode>>;
  /** The ids of the nodes in the order they were added. */
  readonly nodeIds: readonly string[];
  readonly edges: readonly ScenarioEdge[];
  readonly entryNode: string;
  readonly outcomes: readonly Outcome[];
  /** What reports compute from outcomes, by name. No part of the hash: conversations do not depend on it. */
  readonly rates?: Readonly<Record<string, RateDeclaration>>;
  /** What `elenchus check` does not report about it. No part of the hash. */
  readonly lint?: LintSettings;
  /** Its rows: it is run once for each of them. */
  readonly dataset?: DatasetOption;
  /** Its factors: it is run once for each combination of their levels. */
  readonly variants?: Variants;
  /** Warnings: the scenario can run, but may not do what its author meant. */
  readonly warnings: readonly Issue[];
  readonly metadata: JsonObject;
  /** What a conversation is about: the values of its row and of its variant. Only runs set it. */
  readonly given?: GivenValues;
  /** The scenario without these values; what is prepared for it serves all rows. */
  readonly unbound?: ScenarioDefinition;
  /** SHA-256 of the content: the same for the same scenario, however its keys are ordered. */
  readonly hash: string;
}

/** The values of a row and of a variant, for `{{ row.… }}` and `{{ variant.… }}`. */
export interface GivenValues {
  readonly row?: JsonObject;
  readonly variant?: JsonObject;
}

/** The nodes that the compiler knows of a definition. */
export type NodesOf<Definition extends ScenarioDefinition> =
  Definition extends ScenarioDefinition<infer Nodes, string> ? Nodes : never;

/** The names of the outcomes that the compiler knows of a definition. */
export type OutcomesOf<Definition extends ScenarioDefinition> =
  Definition extends ScenarioDefinition<NodeEntry, infer Outcomes> ? Outcomes : never;

/** A question with its answer, shown to the subject before the node's own question. */
export interface FewShotExample {
  readonly question: string;
  readonly answer: string;
}

/** What a node asks, and how the reply is verified. */
export interface Question<Parsed = unknown> {
  /** The text that the subject sees. */
  readonly question: string;
  /** The reference answer; never shown to the subject. */
  readonly rawAnswer: string;
  /** Without a template the node only speaks, and its `verify_result` is null. */
  readonly template?: Template<Parsed>;
  readonly fewShot?: readonly FewShotExample[];
  readonly keywords?: readonly string[];
  readonly rubric?: Rubric;
  readonly metadata?: JsonObject;
}

/**
 * A question for `addNode`.
 *
 * @example
 * question({ question: "What is the capital of Australia?", rawAnswer: "Canberra" })
 */
export function question<Parsed = unknown>(parts: Question<Parsed>): Question<Parsed> {
  return parts;
}

/** Takes tools away from the subject at one node: a whole server's, or a single one. */
export interface ToolFilter {
  readonly remove: readonly { readonly server: string; readonly tool?: string }[];
}

/** Who speaks at a node, where a scenario has several agents. */
export type AgentIdentity = string | { readonly name: string; readonly systemPrompt?: string };

/** What `addNode` takes besides the id: a question, or a simulated user who writes it. */
export type NodeOptions<Parsed = unknown> = NodeParts<Parsed> &
  (
    | { readonly question: Question<Parsed>; readonly user?: null }
    | {
        /** A model writes the question, as a user, within a contract that code checks. */
        readonly user: SimulatedUser;
        /** How the reply is verified. */
        readonly question?: Omit<Question<Parsed>, "question" | "rawAnswer"> & {
          readonly rawAnswer?: string;
        };
      }
  );

/** What every node may have. */
export interface NodeParts<Parsed = unknown> {
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
  readonly user?: SimulatedUser;
  readonly modelOverride?: ModelOverride;
  readonly toolFilter?: ToolFilter;
  readonly stateUpdate?: StateUpdate | string;
  readonly agentIdentity?: AgentIdentity;
  readonly rubric?: Rubric;
  readonly metadata?: JsonObject;
}

/** A definition with other parts, as a run needs them. The hash stays that of the scenario as its author wrote it. */
export function copyDefinition(
  definition: ScenarioDefinition,
  parts: Partial<Pick<ScenarioDefinition, "nodes" | "edges" | "outcomes" | "dataset" | "given" | "unbound">>,
): ScenarioDefinition {
  // Its hash is computed on first use, also of a copy.
  const { given: _, unbound: __, ...kept } = Object.getOwnPropertyDescriptors(definition);
  const copy = Object.defineProperties({}, { ...kept, ...Object.getOwnPropertyDescriptors(parts) });
  return Object.freeze(copy) as ScenarioDefinition;
}

/** A scenario for conversations about a row and a variant. */
export function bindScenario(definition: ScenarioDefinition, given: GivenValues): ScenarioDefinition {
  const parts = memoize(plain, definition, () => ({ ...definition }));
  return Object.freeze({ ...parts, given, unbound: definition });
}

/** Definitions with their hashes as values: one that computes its hash takes many times as long to copy, and each row has a copy. */
const plain = new WeakMap<ScenarioDefinition, ScenarioDefinition>();

/** The target of an edge that ends the conversation. */
export const END = "__end__";

/** Another way to write `END` in files. */
export const END_IN_FILES = "END";

/** The handovers that write a transcript: into the question, before or after its text, or into a file. */
export const TRANSCRIPTS = ["transcript_prepend", "transcript_append", "transcript_materialize"] as const;

/** What the next agent sees of the conversation so far. */
export type Handover =
  | (typeof TRANSCRIPTS)[number]
  | HandoverFunction
  // The source text of a handover function; written this way, editors still offer the names above.
  | (string & {});

/** True for a handover that writes a transcript, false for one that is code. */
export function isTranscript(handover: Handover): handover is (typeof TRANSCRIPTS)[number] {
  return (TRANSCRIPTS as readonly unknown[]).includes(handover);
}

/** A message that a handover function writes. */
export interface HandoverMessage {
  readonly role: "user" | "assistant";
  readonly content: string;
}

/** Writes the text of the question for the next agent, or the messages that it is sent, the question last. */
export type HandoverFunction = (
  turns: readonly TurnRecord[],
  questionText: string,
) => string | readonly HandoverMessage[];

/** Messages before the first turn, or a text that stands for a column of the row: `"{{ row.history }}"`. */
export type History = readonly HandoverMessage[] | string;

/** An edge of a definition; without `when` it is the fallback of its source. */
export interface ScenarioEdge {
  readonly source: string;
  readonly target: string;
  /**
   * The arms of a fork: the conversation continues with each of them, from the same turns. A fork is as many edges side by side, one to
   * each arm.
   */
  readonly fork?: readonly string[];
  readonly when?: NonNullable<When>;
  readonly handover?: Handover;
}
