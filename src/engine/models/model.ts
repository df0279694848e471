import type { Question } from "../../core/scenario/definition.ts";
import type { ScenarioState } from "../../core/state/state.ts";
import type { JsonObject, JsonValue } from "../../core/values/json.ts";
import type { Message, ToolCall } from "./message.ts";

/** A tool as a model sees it. */
export interface ToolDefinition {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of the input. */
  readonly inputSchema: JsonObject;
}

/** A request to a model: everything of a call that shapes the reply, apart from the model itself. */
export interface ModelRequest {
  /** The system prompt. */
  readonly instructions?: string;
  readonly messages: readonly Message[];
  readonly tools?: readonly ToolDefinition[];
  /** JSON Schema that the reply must follow, where the model can promise it. */
  readonly schema?: JsonObject;
}

/** What a model may know of the call besides the request, and the signal that ends it. */
export interface CallContext {
  readonly signal: AbortSignal;
  readonly purpose: "subject" | "judge" | "simulator";
  readonly scenario: string;
  /** The same in every run. */
  readonly conversation: string;
  /** Fresh in each run, and each time the conversation is resumed: the key of an agent's memory. */
  readonly session?: string;
  /** The name of the run. */
  readonly run?: string;
  readonly node: string;
  /** From 1. */
  readonly turn: number;
  /** From 1. */
  readonly replicate: number;
  /** The id of the dataset's row; absent without one. */
  readonly row?: string;
  /** The level of each factor; absent without variants. */
  readonly variant?: Readonly<Record<string, string>>;
  /** The arm of a fork; absent outside of one. */
  readonly arm?: string;
  /** The random seed of the run; with scenario, row, variant, node, turn and replicate it gives repeatable random numbers. */
  readonly seed: number;
  /** A folder for files of the conversation, where a handover has put some. */
  readonly workspace?: string;
  /** Headers to send with a request over HTTP, such as the context of a trace. They change no answer. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Tokens of a call, as far as the provider reports them. */
export interface Usage {
  /** All input, cached input included. */
  readonly inputTokens: number;
  /** All output, reasoning included. */
  readonly outputTokens: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
}

/** Rate limits that a provider reports; times in milliseconds from now. */
export interface RateLimitHints {
  readonly limitRequests?: number;
  readonly remainingRequests?: number;
  readonly resetRequestsMs?: number;
  readonly remainingTokens?: number;
  readonly resetTokensMs?: number;
}

export const FINISH_REASONS = ["stop", "length", "tool_calls", "content_filter", "other"] as const;

/** Why a model stopped. */
export type FinishReason = (typeof FINISH_REASONS)[number];

/** What a model answered. */
export interface ModelReply {
  readonly text: string;
  /** The value of a structured reply, where a schema was given and the model follows one. */
  readonly object?: unknown;
  readonly toolCalls?: readonly ToolCall[];
  readonly finish: FinishReason;
  /** Missing if the provider did not say. */
  readonly usage?: Usage;
  readonly rateLimit?: RateLimitHints;
  /** See `AssistantMessage.native`. */
  readonly native?: JsonValue;
  /** True if the answer came from the cache, and so cost nothing. */
  readonly cached?: boolean;
}

/** What all models have in common. */
export interface ModelCard {
  /** As reports show it: `openai/gpt-5-mini`. */
  readonly name: string;
  /** Everything that shapes replies besides the request: provider, model, parameters. Never a secret. */
  readonly identity: JsonObject;
  /** Models with the same account share its limits: `openai`, `http://localhost:11434`. */
  readonly account: string;
  /** The name of the model in the price library; null if calls cost nothing; missing if the price is unknown. */
  readonly price?: { readonly provider: string; readonly model: string } | null;
  /** True if no time limit applies to answers. */
  readonly isPatient?: boolean;
  /** True if the code behind the name may change between runs: stored answers then serve only the run that asked. */
  readonly isVolatile?: boolean;
  /** True if it remembers what it was asked, instead of being sent the whole conversation each time. */
  readonly hasMemory?: boolean;
  /** The same model with more parameters; missing if it takes none. */
  withParameters?(parameters: JsonObject): Model;
  /** Frees connections, files and processes of the model. */
  close?(): Promise<void>;
}

/** The interface of every model: providers, agents, people. It throws `ModelError` if there is no answer. */
export interface Model extends ModelCard {
  reply(request: ModelRequest, context: CallContext): Promise<ModelReply>;
  /** The same model as the judge of its own replies; missing if it cannot be asked to read a text, as agents and persons cannot. */
  asJudge?(): Model;
}

/** What only a simulated model gets, apart from the request: the question with its right answers, and the state. */
export interface SimulationInput {
  readonly question: Question;
  /** The state before the turn. */
  readonly state: ScenarioState;
  /** Does pure work that may run source strings of the scenario, if it has some: the work may be done several times. */
  readonly evaluate?: <Result>(work: () => Result) => Result | Promise<Result>;
}

/** A model that plays a part and so must know the right answers. It has no `reply`, so that these never reach a real model. */
export interface SimulatedModel extends ModelCard {
  simulate(request: ModelRequest, context: CallContext, input: SimulationInput): Promise<ModelReply>;
}
