import type { Command } from "commander";
import type { SettingKey, Settings } from "../project/settings.ts";
import { type Flag, flag, listFlag, optionOf, valueFlag } from "./command.ts";
import type { SettingsRequest } from "./read-settings.ts";
import type { RunDisplay } from "./run/run-view.ts";

/** The headings of groups of flags in the help of commands. */
export const FLAG_GROUPS = {
  models: "Models and scenarios:",
  limits: "Limits:",
  answers: "Stored answers:",
  results: "Results:",
  output: "Output:",
  project: "Project and store:",
} as const;

interface SettingFlag {
  readonly key: SettingKey;
  readonly group: keyof typeof FLAG_GROUPS;
  /** In the syntax of commander. */
  readonly syntax: string;
  readonly about: string;
  readonly isRepeatable?: true;
}

/** The settings that have a flag of their own; `--set` sets any other. */
const SETTING_FLAGS = {
  subject: {
    key: "subjects",
    group: "models",
    syntax: "--subject <model>",
    about: "model to test: provider/model, sim/<name>, person, a URL, or a subject of the project file",
    isRepeatable: true,
  },
  judge: {
    key: "judges",
    group: "models",
    syntax: "--judge <model>",
    about:
      "model that reads what rules leave: provider/model, self (each subject's own model, the default), or rules for none",
    isRepeatable: true,
  },
  embedder: {
    key: "embedder",
    group: "models",
    syntax: "--embedder <model>",
    about: "embedding model for fields with semantic_match: provider/model",
  },
  simulator: {
    key: "simulator",
    group: "models",
    syntax: "--simulator <model>",
    about: "model that plays simulated users: provider/model, or sim/user",
  },
  allowUnread: {
    key: "allowUnread",
    group: "models",
    syntax: "--allow-unread",
    about: "run scenarios that need a judge without one: replies that no rule can read stay unread",
  },
  dataset: {
    key: "dataset",
    group: "models",
    syntax: "--dataset <file>",
    about: "rows for scenarios that use them, in place of their own: CSV, TSV, JSONL, JSON, YAML or Parquet",
  },
  skipBadRows: {
    key: "skipBadRows",
    group: "models",
    syntax: "--skip-bad-rows",
    about: "leave out rows that cannot be used, and say how many",
  },
  variant: {
    key: "variant",
    group: "models",
    syntax: "--variant <factor=level>",
    about: "only conversations with this level of a factor",
    isRepeatable: true,
  },
  scenario: {
    key: "only",
    group: "models",
    syntax: "--scenario <name>",
    about: "only scenarios with this name; * matches any characters",
    isRepeatable: true,
  },
  tag: {
    key: "tags",
    group: "models",
    syntax: "--tag <tag>",
    about: "only scenarios with this tag in their metadata",
    isRepeatable: true,
  },
  replicates: {
    key: "replicates",
    group: "models",
    syntax: "--replicates <n>",
    about: "how often to run each conversation",
  },
  seed: { key: "seed", group: "models", syntax: "--seed <n>", about: "random seed" },
  concurrency: {
    key: "concurrency",
    group: "limits",
    syntax: "--concurrency <n>",
    about: "how many conversations run at the same time",
  },
  budget: {
    key: "budget",
    group: "limits",
    syntax: "--budget <limit>",
    about: "stop when this is spent: 5usd, 2M tokens, 500 calls",
  },
  patience: {
    key: "patience",
    group: "limits",
    syntax: "--patience <time>",
    about: "how long to wait for a server that cannot be reached, like 30s or 1h; 0: do not wait",
  },
  turnLimit: {
    key: "turnLimit",
    group: "limits",
    syntax: "--turn-limit <n>",
    about: "largest number of turns in a conversation",
  },
  fresh: {
    key: "fresh",
    group: "answers",
    syntax: "--fresh",
    about: "ignore stored answers and call models again",
  },
  retryUnreadable: {
    key: "retryUnreadable",
    group: "answers",
    syntax: "--retry-unreadable",
    about: "ask the judge again where its answer in the store cannot be read",
  },
  failUnder: {
    key: "failUnder",
    group: "results",
    syntax: "--fail-under <outcome=rate>",
    about:
      "exit 1 if the rate of an outcome is lower; resisted=0.9:lower tests the lower bound of its interval",
    isRepeatable: true,
  },
  minDecided: {
    key: "minDecided",
    group: "results",
    syntax: "--min-decided <share>",
    about: "share of conversations that must be decided for a threshold to be reached",
  },
  failOnErrors: {
    key: "failOnErrors",
    group: "results",
    syntax: "--fail-on-errors",
    about: "exit 1 if a conversation ended in an error or was cut short, or a judge failed",
  },
  junit: { key: "junit", group: "results", syntax: "--junit <file>", about: "write a JUnit report" },
  store: {
    key: "store",
    group: "project",
    syntax: "--store <file>",
    about: "the file that stores runs, or the address of a server: postgres://user@host/database",
  },
} as const satisfies Readonly<Record<string, SettingFlag>>;

type SettingFlagName = keyof typeof SETTING_FLAGS;

/** The flags of all commands that run conversations, except some. */
export function runFlags(...without: readonly SettingFlagName[]): readonly SettingFlagName[] {
  return (Object.keys(SETTING_FLAGS) as SettingFlagName[]).filter((name) => !without.includes(name));
}

/** What commander has parsed. */
type Parsed = Readonly<Record<string, unknown>>;

/**
 * Flags of settings, and `--set`, `--profile`, `--config` and, if the command has it, `--trust`. `defaults` are printed in the help; without
 * a flag, the project file decides.
 */
export function settingFlags(
  names: readonly SettingFlagName[],
  { defaults = {}, trust = false }: { readonly defaults?: Partial<Settings>; readonly trust?: boolean } = {},
): (command: Command) => (given: Parsed) => { readonly settings: SettingsRequest } {
  return (command) => {
    for (const name of names) {
      const { key, group, syntax, about, isRepeatable }: SettingFlag = SETTING_FLAGS[name];
      const [value] = [defaults[key]].flat();
      const isShown = typeof value === "number" || typeof value === "string";
      const notes = [...(isShown ? [`default: ${value}`] : []), ...(isRepeatable ? ["repeatable"] : [])];
      const text = notes.length === 0 ? about : `${about} (${notes.join(", ")})`;
      const parts = { group: FLAG_GROUPS[group] };
      const list = isRepeatable ? { parse: listFlag(syntax, "").parse } : {};
      command.addOption(optionOf({ ...flag(syntax, text, parts), ...list } as Flag));
    }
    for (const each of trust ? [...PROJECT_FLAGS, TRUST] : PROJECT_FLAGS) command.addOption(optionOf(each));
    return (given) => ({ settings: settingsRequest(names, given) });
  };
}

const PROJECT = { group: FLAG_GROUPS.project };

const PROJECT_FLAGS = [
  listFlag("--set <key=value>", "set any setting of the project file", PROJECT),
  flag("--profile <name>", "use a profile of the project file", PROJECT),
  flag("--config <file>", "use this project file (default: elenchus.config.yaml)", PROJECT),
] as const;

const TRUST = flag(
  "--trust",
  "allow files to start programs, run code, and send keys and conversations to addresses, as they say (remembered)",
  PROJECT,
);

/** The settings that the flags of a command give. */
function settingsRequest(names: readonly SettingFlagName[], given: Parsed): SettingsRequest {
  const flags = names.flatMap((name) => {
    const { key, syntax }: SettingFlag = SETTING_FLAGS[name];
    const value = given[name];
    return value === undefined ? [] : [{ flag: syntax.split(" ")[0] ?? syntax, path: [key], value }];
  });
  // Commander leaves out flags that are not given.
  const { profile, config, set, trust } = given as {
    readonly trust?: true;
    readonly profile?: string;
    readonly config?: string;
    readonly set?: readonly string[];
  };
  return {
    flags,
    sets: set ?? [],
    ...(trust === undefined ? {} : { trusts: trust }),
    ...(profile === undefined ? {} : { profile }),
    ...(config === undefined ? {} : { config }),
  };
}

/** The flags of commands that run conversations: settings, and what the run prints. */
export function runSettingFlags(
  ...parameters: Parameters<typeof settingFlags>
): (
  command: Command,
) => (given: Parsed) => { readonly settings: SettingsRequest; readonly display: RunDisplay } {
  const settings = settingFlags(...parameters);
  return (command) => {
    const read = settings(command);
    for (const each of DISPLAY_FLAGS) command.addOption(optionOf(each));
    return (given) => {
      const { quiet = false, json = false, github } = given as Partial<RunDisplay>;
      return { ...read(given), display: { quiet, json, ...(github === undefined ? {} : { github }) } };
    };
  };
}

const OUTPUT = { group: FLAG_GROUPS.output };

const DISPLAY_FLAGS = [
  flag("-q, --quiet", "print one line at the end: no progress, no tables", OUTPUT),
  flag("--json", "print every event as a line of JSON", OUTPUT),
  flag("--github", "print annotations for GitHub (default in GitHub Actions)", OUTPUT),
  flag("--no-github", "print no annotations", OUTPUT),
] as const;

/** The argument of commands that take scenarios from files, packs and standard input. */
export const SCENARIO_FILES =
  "files, folders, patterns, pack:<name>, or - for standard input; .ts and .js files are executed";

/** Averages over the groups of `--by`. */
export const AVERAGE = valueFlag(
  "--average <kind>",
  "with --by: add a line over all groups, pooled (micro) or the mean over groups (macro)",
  { choices: ["micro", "macro"] as const },
);

/** Thresholds of the coverage. */
export const FAIL_UNDER_COVERAGE = listFlag(
  "--fail-under-coverage <kind=share>",
  "exit 1 if the coverage of nodes, edges, outcomes, routes or paths is lower: edges=0.9",
  { group: FLAG_GROUPS.results },
);

/** Flushes every group of events to the disk. */
export const DURABLE = flag(
  "--durable",
  "flush every group of events to the disk: a power cut loses nothing (default: at most a second)",
  PROJECT,
);

/** Uses the answers of imported runs. */
export const USE_CALLS = listFlag(
  "--use-calls <run>",
  "also use the answers that came with this imported run",
  { group: FLAG_GROUPS.answers },
);

/** The limit of the forecast: above it, the run is not started. */
export const MAX_COST = flag(
  "--max-cost <limit>",
  "do not start if the forecast is higher: 5usd, 2M tokens, 500 calls",
  { group: FLAG_GROUPS.limits },
);

/** Repeats the command. */
export const WATCH = flag(
  "--watch",
  "repeat when a scenario, a dataset or the project file changes, until Ctrl-C",
  PROJECT,
);

/** Also uses drafts. */
export const ALLOW_DRAFTS = flag("--allow-drafts", "also use scenarios that are marked as drafts", {
  group: FLAG_GROUPS.models,
});
