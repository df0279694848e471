import type { Clock } from "../../core/environment.ts";
import type { DatasetOption } from "../../core/scenario/dataset.ts";
import type { ScenarioDefinition } from "../../core/scenario/definition.ts";
import type { Rubric } from "../../core/templates/rubric.ts";
import { type JsonObject, typeName } from "../../core/values/json.ts";
import type { Dataset } from "../datasets/dataset.ts";
import type { Reading } from "../grading/verify/conclude-reply.ts";
import type { Cell, ConversationStop, RunObserver, TurnUser } from "../journal/run-event.ts";
import type { Store } from "../journal/store/store.ts";
import type { Cassette } from "../models/cassette/cassette.ts";
import type { ReplyFunction } from "../models/function/function-model.ts";
import type { EmbedFunction } from "../models/providers/embedding-model.ts";
import type { AiSdkEmbeddingModel } from "../models/providers/language-model.ts";
import type { ResolveOptions } from "../models/resolve-model.ts";
import type { ToolServer } from "../models/tools/resolve-tool-servers.ts";
import type { BudgetLimits } from "./calls/budget.ts";
import type { AnyModel } from "./calls/call-cache.ts";
import type { AccountCaps, RetryPolicies } from "./calls/limits.ts";
import type { RecordedConversation } from "./recorded-conversation.ts";
import type { PlannedRecord } from "./records/given-record.ts";
import { isShard, MOST_SHARDS, type Shard } from "./shard.ts";
import type { ConversationRecord } from "./step/conversation-state.ts";

export type { Reading };

/** A model: its name (`provider/model`, `sim/steadfast`, `person`, the URL of an endpoint), a function, or the model itself. */
export type ModelOption = string | ReplyFunction | AnyModel;

/** A model under test. */
export type SubjectOption =
  | ModelOption
  | {
      readonly model: ModelOption;
      /** The name in reports; must differ between subjects. */
      readonly name?: string;
      /** Sent to the model with every request, such as `temperature`. A function gets them in its context. */
      readonly parameters?: JsonObject;
      /** The version of your agent: answers of a named version are cached across runs. */
      readonly version?: string;
      /** Starts every conversation of agents that have no system prompt of their own. */
      readonly systemPrompt?: string;
      /** False to ignore cached answers; true to cache those of a function or URL across runs (default: only if it has a `version`). */
      readonly cache?: boolean;
    };

/** What reads replies: `self` (each subject's own model, in a context of its own), `rules` (no model), a model, or a panel of models that decides by majority. */
export type JudgeOption =
  | ModelOption
  | {
      readonly model: ModelOption;
      /** The name in reports; must differ between judges. */
      readonly name?: string;
      /** Sent to the model with every request, such as `temperature`. */
      readonly parameters?: JsonObject;
      /** The version of your judge: answers of a named version are cached across runs. */
      readonly version?: string;
      /** False to ignore cached answers; true to cache those of a function or URL across runs (default: only if it has a `version`). */
      readonly cache?: boolean;
    }
  | { readonly panel: readonly JudgeOption[]; readonly name?: string };

/** An embedding model: its name, one of the AI SDK, or a function from a text to its vector. */
export type EmbedderOption = string | AiSdkEmbeddingModel | EmbedFunction;

/** Time limits in milliseconds; null for none. */
export interface Timeouts {
  /** For one attempt of one call (default 180,000). */
  readonly callMs?: number | null;
  /** For the reply of a turn, with all its tool calls and retries (default none). */
  readonly turnMs?: number | null;
  /** For a conversation (default none). */
  readonly conversationMs?: number | null;
  /** For the whole run (default none). */
  readonly runMs?: number | null;
}

/** The options of a run. Only `scenarios` and `subjects` are required. */
export interface RunOptions {
  /** What is run. */
  readonly scenarios: ScenarioDefinition | readonly ScenarioDefinition[];
  /** The models under test. */
  readonly subjects: SubjectOption | readonly SubjectOption[];
  /** One judge, or several that read the same replies (default `self`). */
  readonly judge?: JudgeOption | readonly JudgeOption[];
  /** What compares meanings, for fields with `semantic_match`: an embedding model by name (`provider/model`) or of the AI SDK, or a function. */
  readonly embedder?: EmbedderOption;
  /** The model that plays simulated users; `sim/user` plays them without a model. */
  readonly simulator?: ModelOption;
  /** How often each conversation is run (default 1). */
  readonly replicates?: number;
  /** Rows for all scenarios that use one, in place of their own: a path, rows, either with options, or what `readDataset` gives. */
  readonly dataset?: DatasetOption | Dataset;
  /** The same for rows at hand. */
  readonly rows?: readonly JsonObject[];
  /** True to leave out rows that cannot be used; otherwise they are an error before the first call (default false). */
  readonly skipBadRows?: boolean;
  /** Only the rows with these ids. */
  readonly onlyRows?: readonly string[];
  /** Only so many rows, the first; beside `onlyRows`, of those. */
  readonly rowLimit?: number;
  /** Only conversations with these levels of these factors. */
  readonly variant?: Readonly<Record<string, string>>;
  /** Only the conversations of one of several parts; `mergeRuns` joins the parts. */
  readonly shard?: Shard;
  /** How many conversations run at the same time (default 256). */
  readonly concurrency?: number;
  /** After this many turns a conversation ends as `limit_reached` (default 20). */
  readonly turnLimit?: number;
  /** Time limits of calls, turns, conversations and the run. */
  readonly timeouts?: Timeouts;
  /**
   * How long, in milliseconds, conversations wait for a server that cannot be reached before they end in an error; 0 for not at
   * all (default 10 minutes, and one minute for a server that has never answered).
   */
  readonly patienceMs?: number;
  /** The most that all calls of the run may cost together; a conversation that cannot go on ends as `budget_exhausted`. */
  readonly budget?: BudgetLimits;
  /** The random seed of simulated models, retries and sandboxed functions (default 0). */
  readonly seed?: number;
  /** Traits that are judged on every turn of every scenario. */
  readonly rubric?: Rubric;
  /** One request to the judge for everything in a turn, or one for each trait (default `together`). */
  readonly judging?: "together" | "separate";
  /**
   * What reads fields that have an `extract` rule: the rule (`rules`); the rule, and the judge where the rule finds nothing or several
   * answers (`rules-then-judge`, the default); or only the judge (`judge`).
   */
  readonly reading?: Reading;
  /** True to run scenarios that need a judge without one; what no rule can read stays unread (default false: an error). */
  readonly allowUnread?: boolean;
  /** True to run scenarios that are marked as drafts: `metadata: { draft: true }` (default false: an error). */
  readonly allowDrafts?: boolean;
  /** True to ask the judge whether a reply declines to answer (default: if a scenario uses `refused`). */
  readonly detectRefusal?: boolean;
  /** How many earlier turns the judge is shown (default 3). */
  readonly earlierTurns?: number;
  /** MCP servers by name; their tools are offered to the subject. */
  readonly tools?: Readonly<Record<string, ToolServer>>;
  /** How often the subject is asked in one turn while it calls tools (default 10). */
  readonly toolSteps?: number;
  /** A folder for files that handovers write (default: a temporary one). */
  readonly workspace?: string;
  /** Caps by account; without a cap, the concurrency adapts to what the provider accepts. */
  readonly caps?: Readonly<Record<string, AccountCaps>>;
  /** How failed calls are retried, by category of failure. */
  readonly retries?: Partial<RetryPolicies>;
  /** Providers of your own, or other settings for those that exist. */
  readonly providers?: ResolveOptions["providers"];
  /** Where keys are read from (default `process.env`). */
  readonly environment?: ResolveOptions["environment"];
  /** Keeps the run and the answers to its calls: every event is durable before the next effect, and known answers are reused. */
  readonly store?: Store;
  /** True to ignore answers that the store has; new ones are kept for later runs (default false). */
  readonly fresh?: boolean;
  /** Imported runs whose answers may be used; without it they serve only to show and regrade these runs. */
  readonly useCalls?: readonly string[];
  /** True to ask a judge again where its answer in the store cannot be read (default false). */
  readonly retryUnreadable?: boolean;
  /**
   * Recorded calls that answer in place of all models except simulated ones. No key is needed, the store is not used as a cache,
   * and a call that was not recorded is an error that says what differs.
   */
  readonly replay?: Cassette;
  /** Cancels the run when aborted. */
  readonly signal?: AbortSignal;
  /** Sees every event as it happens; `openTelemetry()` of `elenchus/otel` is one. */
  readonly observer?: RunObserver;
  /** The name of the run (default: made from its configuration and the time). */
  readonly run?: string;
  /** False to drop each conversation once its events are out, so that a run of any size fits in memory (default true). */
  readonly keepResults?: boolean;
}

/** What the user says, or what stops the conversation. */
export type UserTurn =
  | Pick<TurnUser, "text" | "reveals" | "done" | "repaired" | "spending">
  | { readonly stop: Pick<ConversationStop, "status" | "failure" | "spending"> };

/** What only the command line, regrading and tests set. Not part of the public API. */
export interface RunInternals {
  readonly clock?: Clock;
  /** Resumes the run named by `run`. */
  readonly resume?: { readonly retryErrors: boolean; readonly retryUnreadable: boolean };
  /** The run whose replies are graded again. */
  readonly parent?: string;
  /** The command that started the run, kept in its journal so that `resume` can repeat it. Must hold no secret. */
  readonly origin?: JsonObject | undefined;
  readonly recorded?: RecordedReplies;
  /** The conversations there are, in place of all combinations of scenarios, rows, subjects and replicates. */
  readonly given?: GivenSource;
}

/** Where a conversation stands that exists already. */
type GivenCell = Omit<Cell, "index" | "judge" | "rowIndex" | "parent">;

/** A conversation that exists already. */
export interface GivenConversation {
  readonly cell: GivenCell;
  /** Its replies; without it they are those that `recorded` has. */
  readonly record?: PlannedRecord;
}

/** What is known of given conversations before the first of them. */
export interface GivenSurvey {
  readonly count: number;
  readonly subjects: readonly string[];
  readonly replicates: number;
  /** False if all that judges could read has been read by others. */
  readonly needsReading: boolean;
}

/** Conversations that exist already. They are read as they are needed, after a first look at all of them. */
export interface GivenSource {
  survey(): Promise<GivenSurvey>;
  conversations(): AsyncIterable<GivenConversation> | Iterable<GivenConversation>;
}

/** The replies of an earlier run, to be graded again. */
export interface RecordedReplies {
  readonly of: (cell: Omit<Cell, "judge" | "parent">) => RecordedConversation;
  /** True to ask the subject once a conversation takes another edge. */
  readonly reruns: boolean;
  /** Called with what was recorded of a conversation once it has been graded again. */
  readonly onEnd: (recorded: RecordedConversation, record: ConversationRecord, cell: Cell) => void;
}

/** Throws a `TypeError` that names the first option with a wrong value. */
export function validateOptions(options: RunOptions): void {
  const { scenarios, subjects } = options;
  expect("scenarios", list(scenarios).length > 0, "at least one scenario", scenarios);
  expect("subjects", list(subjects).length > 0, "at least one subject", subjects);
  expect("rows", options.rows?.length !== 0, "at least one row, or none of the option", options.rows);
  for (const name of ["replicates", "concurrency", "turnLimit", "toolSteps"] as const)
    expect(name, isWhole(options[name] ?? 1, 1), "an integer from 1 and up", options[name]);
  expect(
    "earlierTurns",
    isWhole(options.earlierTurns ?? 0, 0),
    "an integer from 0 and up",
    options.earlierTurns,
  );
  const { shard } = options;
  const shards = `an index from 1 to the number of shards, which is at most ${MOST_SHARDS}`;
  expect("shard", shard === undefined || isShard(shard), shards, shard);
  const { patienceMs = 0 } = options;
  expect("patienceMs", patienceMs >= 0, "milliseconds from 0 and up", patienceMs);
  expect("seed", Number.isSafeInteger(options.seed ?? 0), "an integer", options.seed);
  for (const [name, limit] of Object.entries(options.timeouts ?? {}))
    expect(`timeouts.${name}`, limit === null || limit > 0, "milliseconds above 0, or null", limit);
  for (const [name, limit] of Object.entries(options.budget ?? {}))
    expect(`budget.${name}`, Number.isFinite(limit) && limit >= 0, "a number from 0 and up", limit);
}

/** One item or several, as a list. */
export function list<Item>(items: Item | readonly Item[]): readonly Item[] {
  return Array.isArray(items) ? items : [items as Item];
}

function isWhole(value: number, least: number): boolean {
  return Number.isSafeInteger(value) && value >= least;
}

function expect(name: string, holds: boolean, expected: string, given: unknown): void {
  if (holds) return;
  const shown = typeof given === "object" ? typeName(given) : `\`${String(given)}\` (${typeof given})`;
  throw new TypeError(`Expected \`${name}\` to be ${expected}, got ${shown}`);
}
