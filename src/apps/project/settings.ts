import { DEFAULTS, SELF_JUDGE } from "../../core/defaults.ts";
import type { DatasetOption } from "../../core/scenario/dataset.ts";
import type { Rubric } from "../../core/templates/rubric.ts";
import type { JsonObject } from "../../core/values/json.ts";
import type { ProviderConfig } from "../../engine/models/providers/provider.ts";
import type { ToolServer } from "../../engine/models/tools/resolve-tool-servers.ts";
import type { BudgetLimits } from "../../engine/run/calls/budget.ts";
import type { AccountCaps, RetryPolicies, RetryPolicy } from "../../engine/run/calls/limits.ts";
import type {
  EmbedderOption,
  JudgeOption,
  ModelOption,
  Reading,
  SubjectOption,
  Timeouts,
} from "../../engine/run/run-options.ts";

/** All settings of a run, resolved. Paths are relative to the folder of the command. */
export interface Settings {
  /** Files, folders, patterns, packs. */
  readonly scenarios: readonly string[];
  /** Names of scenarios, or patterns with `*`; none means all. */
  readonly only: readonly string[];
  /** Tags of scenarios; none means all. */
  readonly tags: readonly string[];
  readonly subjects: readonly SubjectOption[];
  readonly judges: readonly JudgeOption[];
  /** What compares meanings. */
  readonly embedder?: EmbedderOption;
  /** Plays simulated users. */
  readonly simulator?: ModelOption;
  readonly replicates: number;
  /** Rows for all scenarios that use one, in place of their own. */
  readonly dataset?: DatasetOption;
  readonly rows?: readonly JsonObject[];
  /** True to leave out rows that cannot be used. */
  readonly skipBadRows: boolean;
  /** Only the rows with these ids. */
  readonly onlyRows?: readonly string[];
  /** Only so many rows, the first. */
  readonly rowLimit?: number;
  /** Only conversations with these levels of these factors. */
  readonly variant: Readonly<Record<string, string>>;
  readonly concurrency: number;
  readonly turnLimit: number;
  readonly seed: number;
  readonly budget: BudgetLimits;
  readonly timeouts: Timeouts;
  /** How long a server that cannot be reached is waited for, in milliseconds. */
  readonly patience?: number;
  readonly fresh: boolean;
  /** True to ask a judge again whose stored answer cannot be read. */
  readonly retryUnreadable: boolean;
  readonly rubric?: Rubric;
  readonly judging: "together" | "separate";
  readonly reading?: Reading;
  /** True to run without a judge what needs one. */
  readonly allowUnread: boolean;
  readonly detectRefusal?: boolean;
  readonly earlierTurns: number;
  readonly tools: Readonly<Record<string, ToolServer>>;
  readonly toolSteps: number;
  readonly caps: Readonly<Record<string, AccountCaps>>;
  readonly retries: Readonly<Partial<Record<keyof RetryPolicies, Partial<RetryPolicy>>>>;
  readonly providers: Readonly<Record<string, ProviderConfig>>;
  readonly store: string;
  /** What each outcome must reach, as text: `0.9`, `90%`, `0.9:lower`. */
  readonly failUnder: Readonly<Record<string, string>>;
  /** The share of conversations that must be decided for a threshold to be reached. */
  readonly minDecided: number;
  /** True if a conversation that ended in an error or was cut short fails the command. */
  readonly failOnErrors: boolean;
  readonly junit?: string;
}

/** The name of a setting. */
export type SettingKey = keyof Settings;

/** The defaults. A setting that is not here has no default. */
export const DEFAULT_SETTINGS: Settings = {
  scenarios: [],
  only: [],
  tags: [],
  subjects: [],
  judges: [SELF_JUDGE],
  replicates: DEFAULTS.replicates,
  concurrency: DEFAULTS.concurrency,
  turnLimit: DEFAULTS.turnLimit,
  seed: DEFAULTS.seed,
  budget: {},
  timeouts: { callMs: DEFAULTS.callTimeoutMs },
  fresh: false,
  retryUnreadable: false,
  allowUnread: false,
  judging: "together",
  earlierTurns: DEFAULTS.earlierTurns,
  tools: {},
  toolSteps: DEFAULTS.toolSteps,
  caps: {},
  retries: {},
  providers: {},
  store: DEFAULTS.storePath,
  failUnder: {},
  minDecided: DEFAULTS.minDecided,
  skipBadRows: false,
  variant: {},
  failOnErrors: false,
};

type OneOrSeveral<Item> = Item | readonly Item[];

/** The settings that people may write in another form than they have. */
interface ShortForms {
  readonly scenarios?: OneOrSeveral<string>;
  readonly only?: OneOrSeveral<string>;
  readonly tags?: OneOrSeveral<string>;
  readonly onlyRows?: OneOrSeveral<string>;
  readonly subjects?: OneOrSeveral<SubjectOption>;
  readonly judges?: OneOrSeveral<JudgeOption>;
  /** `5usd`, `2M tokens`, or an object. */
  readonly budget?: string | BudgetLimits;
  /** `10m`, `90s`, or milliseconds. */
  readonly patience?: string | number;
  /** `resisted=0.9`, several of them, or rates by outcome. */
  readonly failUnder?: OneOrSeveral<string> | Readonly<Record<string, string | number>>;
  /** `0.8` or `80%`. */
  readonly minDecided?: string | number;
  /** `order=a`, several of them, or levels by factor. */
  readonly variant?: OneOrSeveral<string> | Readonly<Record<string, string | number>>;
}

/** Settings as people write them: all are optional, and some have a short form. */
export interface ProjectSettings extends ShortForms, Partial<Omit<Settings, keyof ShortForms>> {}

/**
 * What `elenchus.config.ts` exports as `config`.
 *
 * @example
 * export const config: ProjectConfig = { subjects: [myAgent, "openai/gpt-5-mini"], replicates: 5 };
 */
export interface ProjectConfig extends ProjectSettings {
  readonly version?: 1;
  /** The profile that is used if the command names none. */
  readonly profile?: string;
  /** Named sets of settings that go before the others. */
  readonly profiles?: Readonly<Record<string, ProjectSettings>>;
}
