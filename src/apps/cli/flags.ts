import { InvalidArgumentError } from "commander";
import type { FlagValue } from "../project/resolve-settings.ts";
import type { SettingKey } from "../project/settings.ts";

/** A flag of a command: a text if its syntax has `<…>`, else true if it is given. */
export interface Flag {
  /** In the syntax of commander. */
  readonly syntax: string;
  readonly about: string;
  readonly parse?: (text: string) => unknown;
  readonly initial?: unknown;
  readonly choices?: readonly string[];
  /** True if it may be given several times. */
  readonly isList?: true;
  readonly isMandatory?: true;
  /** The heading in the help of the command. */
  readonly group?: string;
}

/** A flag whose syntax stays known to the compiler, so that its name and type can be read from it. */
export function flag<const Syntax extends string, const More extends Omit<Flag, "syntax" | "about"> = object>(
  syntax: Syntax,
  about: string,
  more?: More,
): { readonly syntax: Syntax; readonly about: string } & More {
  return { syntax, about, ...(more as More) };
}

type Word<Text extends string> = Text extends `${infer First} ${string}` ? First : Text;
type Long<Syntax extends string> = Syntax extends `${string}--${infer Rest}` ? Word<Rest> : never;
type Camel<Text extends string> = Text extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Text;

/** The name under which a command gets a flag: `turnLimit` for `--turn-limit <n>`. */
export type FlagName<Syntax extends string> =
  Long<Syntax> extends `no-${infer Name}` ? Camel<Name> : Camel<Long<Syntax>>;

/** The headings of groups of flags in the help of commands. */
export const MODELS = { group: "Models and scenarios:" } as const;
export const LIMITS = { group: "Limits:" } as const;
export const ANSWERS = { group: "Stored answers:" } as const;
export const RESULTS = { group: "Results:" } as const;
export const OUTPUT = { group: "Output:" } as const;
export const PROJECT = { group: "Project and store:" } as const;

/** The settings that have a flag of their own, by group; `--set` sets any other. */
const SETTINGS_BY_GROUP = {
  [MODELS.group]: {
    "--subject <model>":
      "model to test: provider/model, sim/<name>, person, a URL, or a subject of the project file",
    "--judge <model>":
      "model that reads what rules leave: provider/model, self (each subject's own model, the default), or rules for none",
    "--embedder <model>": "embedding model for fields with semantic_match: provider/model",
    "--simulator <model>": "model that plays simulated users: provider/model, or sim/user",
    "--allow-unread":
      "run scenarios that need a judge without one: replies that no rule can read stay unread",
    "--dataset <file>":
      "rows for scenarios that use them, in place of their own: CSV, TSV, JSONL, JSON, YAML or Parquet",
    "--skip-bad-rows": "leave out rows that cannot be used, and say how many",
    "--limit <n>": "only the first n rows of each scenario",
    "--row <id>": "only the row with this id",
    "--variant <factor=level>": "only conversations with this level of a factor",
    "--scenario <name>": "only scenarios with this name; * matches any characters",
    "--tag <tag>": "only scenarios with this tag in their metadata",
    "--replicates <n>": "how often to run each conversation",
    "--seed <n>": "random seed",
  },
  [LIMITS.group]: {
    "--concurrency <n>": "how many conversations run at the same time",
    "--budget <limit>": "stop when this is spent: 5usd, 2M tokens, 500 calls",
    "--patience <time>":
      "how long to wait for a server that cannot be reached, like 30s or 1h; 0: do not wait",
    "--turn-limit <n>": "largest number of turns in a conversation",
  },
  [ANSWERS.group]: {
    "--fresh": "ignore stored answers and call models again",
    "--retry-unreadable": "ask the judge again where its answer in the store cannot be read",
  },
  [RESULTS.group]: {
    "--fail-under <outcome=rate>":
      "exit 1 if the rate of an outcome is lower; resisted=0.9:lower tests the lower bound of its interval",
    "--min-decided <share>": "share of conversations that must be decided for a threshold to be reached",
    "--fail-on-errors": "exit 1 if a conversation ended in an error or was cut short, or a judge failed",
    "--junit <file>": "write a JUnit report",
  },
  [PROJECT.group]: {
    "--store <file>": "the file that stores runs, or the address of a server: postgres://user@host/database",
  },
} as const;

/** The name of a flag that sets a setting. */
export type SettingFlagName = {
  [Group in keyof typeof SETTINGS_BY_GROUP]: FlagName<keyof (typeof SETTINGS_BY_GROUP)[Group] & string>;
}[keyof typeof SETTINGS_BY_GROUP];

/** The settings that have another name than their flag. */
const KEYS: Readonly<Record<string, SettingKey>> = {
  subject: "subjects",
  judge: "judges",
  scenario: "only",
  tag: "tags",
  limit: "rowLimit",
  row: "onlyRows",
};
const REPEATABLE: ReadonlySet<string> = new Set([
  ...Object.keys(KEYS).filter((name) => name !== "limit"),
  "variant",
  "failUnder",
]);

/** A flag that sets a setting. */
export interface SettingFlag extends Flag {
  readonly name: SettingFlagName;
  readonly key: SettingKey;
}

/** The flags of settings, in the order of the help. */
export const SETTING_FLAGS: readonly SettingFlag[] = Object.entries(SETTINGS_BY_GROUP).flatMap(
  ([group, flags]) =>
    Object.entries<string>(flags).map(([syntax, about]): SettingFlag => {
      const name = syntax
        .replace(/^--| .*/g, "")
        .replace(/-(.)/g, (_, letter: string) => letter.toUpperCase()) as SettingFlagName;
      // Every other flag has the name of its setting.
      const key = KEYS[name] ?? (name as SettingKey);
      return { name, key, syntax, about, group, ...(REPEATABLE.has(name) ? { isList: true } : {}) };
    }),
);

/** The flags of all commands that run conversations, except some. */
export function runFlags(...without: readonly SettingFlagName[]): readonly SettingFlagName[] {
  return SETTING_FLAGS.map(({ name }) => name).filter((name) => !without.includes(name));
}

/** The settings that a command line gives. */
export interface SettingsRequest {
  readonly profile?: string;
  /** The project file of `--config`. */
  readonly config?: string;
  readonly flags: readonly FlagValue[];
  /** The values of `--set`. */
  readonly sets: readonly string[];
  /** True to consent to all effects of the project file. Never stored with a run. */
  readonly trusts?: boolean;
}

/** The flags that every command with settings has. */
export const PROJECT_FLAGS: readonly Flag[] = [
  flag("--set <key=value>", "set any setting of the project file", { isList: true, ...PROJECT }),
  flag("--profile <name>", "use a profile of the project file", PROJECT),
  flag("--config <file>", "use this project file (default: elenchus.config.yaml)", PROJECT),
];

/** Consents to what the project file makes a command do. */
export const TRUST: Flag = flag(
  "--trust",
  "allow files to start programs, run code, and send keys and conversations to addresses, as they say (remembered)",
  PROJECT,
);

/** What a run prints. */
export const DISPLAY_FLAGS: readonly Flag[] = [
  flag("-q, --quiet", "print one line at the end: no progress, no tables", OUTPUT),
  flag("--json", "print every event as a line of JSON", OUTPUT),
  flag("--github", "print annotations for GitHub (default in GitHub Actions)", OUTPUT),
  flag("--no-github", "print no annotations", OUTPUT),
];

/** The argument of commands that take scenarios from files, packs and standard input. */
export const SCENARIO_FILES =
  "files, folders, patterns, pack:<name>, or - for standard input; .ts and .js files are executed";

export const JSON_FLAG = flag("--json", "print data as JSON");

export const AVERAGE = flag(
  "--average <kind>",
  "with --by: add a line over all groups, pooled (micro) or the mean over groups (macro)",
  { choices: ["micro", "macro"] },
);

export const FAIL_UNDER_COVERAGE = flag(
  "--fail-under-coverage <kind=share>",
  "exit 1 if the coverage of nodes, edges, outcomes or routes is lower: edges=0.9",
  { isList: true, ...RESULTS },
);

export const DURABLE = flag(
  "--durable",
  "flush every group of events to the disk: a power cut loses nothing (default: at most a second)",
  PROJECT,
);

export const USE_CALLS = flag("--use-calls <run>", "also use the answers that came with this imported run", {
  isList: true,
  ...ANSWERS,
});

export const MAX_COST = flag(
  "--max-cost <limit>",
  "do not start if the forecast is higher: 5usd, 2M tokens, 500 calls",
  LIMITS,
);

export const WATCH = flag(
  "--watch",
  "repeat when a scenario, a dataset or the project file changes, until Ctrl-C",
  PROJECT,
);

export const ALLOW_DRAFTS = flag("--allow-drafts", "also use scenarios that are marked as drafts", MODELS);

/** The names in a list with commas. */
export function commaList(value: string): readonly string[] {
  return value
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

/** Parses an option that is a whole number from `least` up to `most`. */
export function wholeNumber(
  least: number,
  most: number = Number.MAX_SAFE_INTEGER,
): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (value.trim() !== "" && Number.isInteger(number) && number >= least && number <= most) return number;
    const range = most === Number.MAX_SAFE_INTEGER ? `${least} and up` : `${least} to ${most}`;
    throw new InvalidArgumentError(`Expected a whole number from ${range}.`);
  };
}
