import type { Clock } from "../../core/environment.ts";
import type { ScenarioDefinition } from "../../core/scenario/definition.ts";
import type { JsonObject } from "../../core/values/json.ts";
import type { JudgeTally } from "../journal/judge-health.ts";
import type {
  Cell,
  ConversationSettings,
  ForkPoint,
  RunEventBody,
  RunObserver,
} from "../journal/run-event.ts";
import type { ToolServers } from "../models/tools/tool-servers.ts";
import type { AnyModel, SharedCalls } from "./calls/call-cache.ts";
import type { Caller } from "./calls/caller.ts";
import type { PlannedRecord } from "./records/given-record.ts";
import type { KnownReplies } from "./records/known-replies.ts";
import type { Timeouts } from "./run-options.ts";
import type { ConversationState } from "./step/conversation-state.ts";

/** A subject whose model is resolved. */
export interface Subject {
  readonly name: string;
  readonly model: AnyModel;
  readonly systemPrompt?: string;
  /** False to ignore cached answers. */
  readonly cache?: boolean;
  /** Its own model, if that can read replies. */
  readonly judge?: Judge;
}

/** The models that read replies; without models, only extraction rules do. */
export interface Judge {
  readonly name: string;
  readonly models: readonly AnyModel[];
  /** False to ignore cached answers. */
  readonly cache?: boolean;
}

/** The models that nodes have in place of those of the run, by `overrideKey`. */
export interface NodeModels {
  readonly subjects: ReadonlyMap<unknown, Subject>;
  readonly judges: ReadonlyMap<unknown, Judge>;
}

/** Everything that the conversations of a run share. */
export interface RunContext {
  readonly caller: Pick<Caller, "call" | "useTool">;
  readonly clock: Clock;
  readonly seed: number;
  readonly timeouts: Timeouts;
  readonly subjects: ReadonlyMap<string, Subject>;
  readonly judges: ReadonlyMap<string, Judge>;
  /** The models of `modelOverride`. */
  readonly overrides: NodeModels;
  /** Compares meanings; null if the run has none. */
  readonly embedder: AnyModel | null;
  /** The vectors of truths that it gave: every conversation of the run needs them again. */
  readonly truthVectors: Map<string, readonly number[]>;
  /** Plays users; null if the run has none. */
  readonly simulator: AnyModel | null;
  /** The simulators that nodes name. */
  readonly simulators: ReadonlyMap<string, AnyModel>;
  readonly earlierTurns: number;
  /** True to ask a judge again whose stored answer cannot be read. */
  readonly retriesUnreadable: boolean;
  /** Counts what judges do. */
  readonly judging: JudgeTally;
  readonly tools: ToolServers | null;
  readonly toolSteps: number;
  readonly workspace: (conversation: string) => Promise<string>;
  /** Headers that an observer gives to requests of a turn. */
  readonly headersOf?: RunObserver["headersOf"] | undefined;
  readonly emit: (event: RunEventBody) => void;
  readonly durable: () => Promise<void> | undefined;
  /** Makes the run fail: its store cannot be used, or there is a bug in the engine. */
  readonly fail: (error: unknown) => void;
}

/** How a conversation of a scenario with source strings runs them. Its random numbers follow from its cell. */
export interface ConversationSources {
  /** Does pure work that may run source strings: see `Sandbox`. */
  evaluate<Result>(work: () => Result, signal?: AbortSignal): Result | Promise<Result>;
  /** Why its source strings are switched off; undefined if they are not. */
  readonly offReason: string | undefined;
  /** The same for an arm of a fork. */
  forArm(cell: SeedCell): ConversationSources;
}

/** What of a cell the random numbers of functions depend on: not subject and judge, so that these are compared under the same conditions. */
export type SeedCell = Pick<Cell, "scenario" | "replicate"> & {
  readonly [Key in "row" | "variant" | "arm"]?: Cell[Key] | null;
};

/** Everything that is fixed about a conversation before it starts. */
export interface ConversationPlan {
  readonly conversation: string;
  readonly cell: Cell;
  readonly definition: ScenarioDefinition;
  readonly settings: ConversationSettings;
  /** The hash of what the scenario uses of its row. */
  readonly itemHash?: string;
  /** The short values of its row, which stand in the journal. */
  readonly rowValues?: JsonObject;
  /** What an arm of a fork continues. */
  readonly from?: { readonly state: ConversationState; readonly fork: ForkPoint };
  readonly shared?: SharedCalls | undefined;
  readonly sources?: ConversationSources;
  /** A conversation that exists already, and its arms. */
  readonly record?: PlannedRecord | undefined;
  /** The replies that there are already; the subject is not asked for them. */
  readonly replies?: KnownReplies;
}

/** What asking the subject and the judge needs to know about a conversation. */
export interface ConversationContext {
  readonly plan: ConversationPlan;
  readonly run: RunContext;
  /** Aborted when the conversation is cancelled or times out. */
  readonly signal: AbortSignal;
  readonly state: ConversationState;
  /** See `CallContext.session`. */
  readonly session: string;
  /** Subjects with a memory that have not heard all turns, because some were answered from the store or a record. */
  readonly unheard: Set<AnyModel>;
  /** True to ask subjects with a memory again, whatever the store has. */
  readonly isBegunAgain: boolean;
  /** How many turns this process has written to the transcript file of the conversation. */
  transcribed: number;
  /** Resolves when this many turns are finished, or the conversation is over. */
  turnsFinished(turnCount: number): Promise<void>;
}
