import type { ScenarioDefinition } from "../core/scenario/definition.ts";
import type { Rubric } from "../core/templates/rubric.ts";
import type { Clock } from "../core/values/environment.ts";
import { type JsonObject, typeName } from "../core/values/json.ts";
import type { Store } from "../journal/store/store.ts";
import type { Cassette } from "../models/cassette/cassette.ts";
import type { ReplyFunction } from "../models/function/function-model.ts";
import type { ResolveOptions } from "../models/resolve-model.ts";
import type { ToolServer } from "../models/tools/resolve-tool-servers.ts";
import type { BudgetLimits } from "./calls/budget.ts";
import type { AnyModel } from "./calls/call-cache.ts";
import type { AccountCaps, RetryPolicies } from "./calls/limits.ts";

/** A model: its name (`provider/model`, `sim/steadfast`, `person`, the URL of an endpoint), a function, or the model itself. */
export type ModelOption = string | ReplyFunction | AnyModel;

/** A model under test. */
export type SubjectOption =
  | ModelOption
  | {
      readonly model: ModelOption;
      /** As reports show it; must differ between subjects. */
      readonly name?: string;
      readonly parameters?: JsonObject;
      /** Leads every conversation of agents that have no system prompt of their own. */
      readonly systemPrompt?: string;
      /** False to ask for every answer anew, whatever the store knows (default true). */
      readonly cache?: boolean;
    };

/** Who reads replies: `rules` (no model at all), a model, or a panel of models that decides by majority. */
export type JudgeOption =
  | ModelOption
  | {
      readonly model: ModelOption;
      readonly name?: string;
      readonly parameters?: JsonObject;
      /** False to ask for every answer anew, whatever the store knows (default true). */
      readonly cache?: boolean;
    }
  | { readonly panel: readonly JudgeOption[]; readonly name?: string };

/** Time limits in milliseconds; null for none. */
export interface Timeouts {
  /** For one attempt of one call (default 180,000). */
  readonly callMs?: number | null;
  /** For an answer with all its tools and retries. */
  readonly turnMs?: number | null;
  readonly conversationMs?: number | null;
  readonly runMs?: number | null;
}

/** What a run is made of. Only `scenarios` and `subjects` must be given. */
export interface RunOptions {
  readonly scenarios: ScenarioDefinition | readonly ScenarioDefinition[];
  readonly subjects: SubjectOption | readonly SubjectOption[];
  /** One, or several that read the same replies (default `rules`). */
  readonly judge?: JudgeOption | readonly JudgeOption[];
  /** How often each conversation is held (default 1). */
  readonly replicates?: number;
  /** Values for `{{row.…}}` in questions, references and truths; each row is a conversation of its own. */
  readonly rows?: readonly JsonObject[];
  /** How many conversations are held at the same time (default 256). */
  readonly concurrency?: number;
  /** After this many turns a conversation ends as `limit_reached` (default 20). */
  readonly turnLimit?: number;
  readonly timeouts?: Timeouts;
  readonly budget?: BudgetLimits;
  /** What chance depends on (default 0). */
  readonly seed?: number;
  /** Traits that are judged on every turn of every scenario. */
  readonly rubric?: Rubric;
  /** One request to the judge for all of a turn, or one for each trait (default `together`). */
  readonly judging?: "together" | "separate";
  /** Who reads fields that have an `extract` rule: the rule, or the judge where it is a model (default `rules`). */
  readonly reading?: "rules" | "judge";
  /** True to ask the judge whether a reply declines to answer (default: if a scenario looks at `refused`). */
  readonly detectRefusal?: boolean;
  /** How many earlier turns the judge is shown (default 3). */
  readonly earlierTurns?: number;
  /** MCP servers by name; their tools are offered to the subject. */
  readonly tools?: Readonly<Record<string, ToolServer>>;
  /** How often the subject is asked in one turn while it wants tools (default 10). */
  readonly toolSteps?: number;
  /** A folder for files that handovers write; a temporary one if it is not given. */
  readonly workspace?: string;
  /** Caps by account; what is not capped adapts to what the provider takes. */
  readonly caps?: Readonly<Record<string, AccountCaps>>;
  readonly retries?: Partial<RetryPolicies>;
  readonly providers?: ResolveOptions["providers"];
  readonly environment?: ResolveOptions["environment"];
  /** Where the run is written down: each event before anything that follows from it is done. Known answers come from it. */
  readonly store?: Store;
  /** Takes up the run of this name where its journal ends; see `resumeRun`. */
  readonly resume?: { readonly retryErrors?: boolean };
  /** The run that this one verifies again. */
  readonly parent?: string;
  /** How the run was asked for, kept in its journal for whoever takes it up again; shapes nothing, and must hold no secret. */
  readonly origin?: JsonObject;
  /** True to ask for all answers anew; they are kept for later runs (default false). */
  readonly fresh?: boolean;
  /**
   * Recorded calls that answer in place of all models but simulated ones: no key is needed, the store answers nothing, and a
   * call that was not recorded is an error which says what differs.
   */
  readonly replay?: Cassette;
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
  /** The name of the run (default: made from its configuration and the time). */
  readonly run?: string;
  /** False to forget conversations once their events are out, so that a run of any size fits in memory (default true). */
  readonly keepResults?: boolean;
}

/** Complains about what is not a number that an option can take, in one grammar. */
export function checkOptions(options: RunOptions): void {
  const { scenarios, subjects } = options;
  expect("scenarios", list(scenarios).length > 0, "at least one scenario", scenarios);
  expect("subjects", list(subjects).length > 0, "at least one subject", subjects);
  for (const name of ["replicates", "concurrency", "turnLimit", "toolSteps"] as const)
    expect(name, isWhole(options[name] ?? 1, 1), "an integer from 1 and up", options[name]);
  expect(
    "earlierTurns",
    isWhole(options.earlierTurns ?? 0, 0),
    "an integer from 0 and up",
    options.earlierTurns,
  );
  expect("seed", Number.isSafeInteger(options.seed ?? 0), "an integer", options.seed);
  for (const [name, limit] of Object.entries(options.timeouts ?? {}))
    expect(`timeouts.${name}`, limit === null || limit > 0, "milliseconds above 0, or null", limit);
  for (const [name, limit] of Object.entries(options.budget ?? {}))
    expect(`budget.${name}`, Number.isFinite(limit) && limit >= 0, "a number from 0 and up", limit);
}

/** One or several, as a list. */
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
