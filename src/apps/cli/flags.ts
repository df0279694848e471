import { type Command, Option } from "commander";
import type { SettingKey, Settings } from "../project/settings.ts";
import { repeatable } from "./command.ts";
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

/** The name of a flag that sets a setting, without its dashes and in camel case. */
type SettingFlagName =
  | "subject"
  | "judge"
  | "embedder"
  | "simulator"
  | "replicates"
  | "concurrency"
  | "budget"
  | "patience"
  | "turnLimit"
  | "seed"
  | "fresh"
  | "allowUnread"
  | "dataset"
  | "skipBadRows"
  | "variant"
  | "retryUnreadable"
  | "scenario"
  | "tag"
  | "failUnder"
  | "minDecided"
  | "failOnErrors"
  | "junit"
  | "store";

/** The settings that have a flag of their own; `--set` sets any other. */
const SETTING_FLAGS: Readonly<Record<SettingFlagName, SettingFlag>> = {
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
  replicates: {
    key: "replicates",
    group: "models",
    syntax: "--replicates <n>",
    about: "how often to run each conversation",
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
};

/** The flags of all commands that run conversations, in the order of their help, except some. */
export function runFlags(...without: readonly SettingFlagName[]): readonly SettingFlagName[] {
  return RUN_FLAGS.filter((name) => !without.includes(name));
}

const RUN_FLAGS: readonly SettingFlagName[] = [
  "subject",
  "judge",
  "embedder",
  "simulator",
  "allowUnread",
  "dataset",
  "skipBadRows",
  "variant",
  "scenario",
  "tag",
  "replicates",
  "seed",
  "concurrency",
  "budget",
  "patience",
  "turnLimit",
  "fresh",
  "retryUnreadable",
  "failUnder",
  "minDecided",
  "failOnErrors",
  "junit",
  "store",
];

/** The flags, parsed by commander. */
export type GivenFlags = Readonly<Record<string, unknown>>;

/**
 * Declares flags of settings, and `--set`, `--profile` and `--config`. `defaults` are printed in the help; without a flag, the project
 * file decides.
 */
export function addSettingFlags(
  command: Command,
  names: readonly SettingFlagName[],
  { defaults = {} }: { readonly defaults?: Partial<Settings> } = {},
): Command {
  for (const name of names) {
    const { key, group, syntax, about, isRepeatable } = SETTING_FLAGS[name];
    const [value] = [defaults[key]].flat();
    const isShown = typeof value === "number" || typeof value === "string";
    const notes = [...(isShown ? [`default: ${value}`] : []), ...(isRepeatable ? ["repeatable"] : [])];
    const text = notes.length === 0 ? about : `${about} (${notes.join(", ")})`;
    const option = new Option(syntax, text).helpGroup(FLAG_GROUPS[group]);
    command.addOption(isRepeatable ? option.argParser(repeatable) : option);
  }
  const set = new Option("--set <key=value>", "set any setting of the project file (repeatable)");
  return command
    .addOption(set.argParser(repeatable).helpGroup(FLAG_GROUPS.project))
    .addOption(
      new Option("--profile <name>", "use a profile of the project file").helpGroup(FLAG_GROUPS.project),
    )
    .addOption(
      new Option("--config <file>", "use this project file (default: elenchus.config.yaml)").helpGroup(
        FLAG_GROUPS.project,
      ),
    );
}

/** The argument of commands that take scenarios from files, packs and standard input. */
export const SCENARIO_FILES =
  "files, folders, patterns, pack:<name>, or - for standard input; .ts and .js files are executed";

/** The flag that averages over the groups of `--by`. */
export function averageOption(): Option {
  return new Option(
    "--average <kind>",
    "with --by: add a line over all groups, pooled (micro) or the mean over groups (macro)",
  ).choices(["micro", "macro"]);
}

/** The help of `--fail-under-coverage`. */
export const FAIL_UNDER_COVERAGE =
  "exit 1 if the coverage of nodes, edges, outcomes, routes or paths is lower: edges=0.9 (repeatable)";

/** The help of `--durable`. */
export const DURABLE =
  "flush every group of events to the disk: a power cut loses nothing (default: at most a second)";

/** The help of `--use-calls` in commands that run conversations. */
export const USE_CALLS = "also use the answers that came with this imported run (repeatable)";

/** The help of `--max-cost`. */
export const MAX_COST = "do not start if the forecast is higher: 5usd, 2M tokens, 500 calls";

/** The help of `--watch`. */
export const WATCH = "repeat when a scenario, a dataset or the project file changes, until Ctrl-C";

/** The help of `--allow-drafts`. */
export const ALLOW_DRAFTS = "also use scenarios that are marked as drafts";

/** Declares `--trust`. */
export function addTrustFlag(command: Command): Command {
  return command.addOption(
    new Option(
      "--trust",
      "allow files to start programs, run code, and send keys and conversations to addresses, as they say (remembered)",
    ).helpGroup(FLAG_GROUPS.project),
  );
}

/** Declares `--trust-origin`. */
export function addTrustOriginFlag(command: Command): Command {
  return command.addOption(
    new Option(
      "--trust-origin",
      "use the settings stored in a run of another machine; all of them are printed",
    ).helpGroup(FLAG_GROUPS.project),
  );
}

/** The settings that the flags of a command give. */
export function settingsRequest(given: GivenFlags): SettingsRequest {
  const flags = Object.entries(SETTING_FLAGS).flatMap(([name, { key, syntax }]) =>
    given[name] === undefined
      ? []
      : [{ flag: syntax.split(" ")[0] ?? syntax, path: [key], value: given[name] }],
  );
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

/** The flags for what a run prints, parsed by commander. */
export interface GivenDisplay {
  readonly quiet?: boolean;
  readonly json?: boolean;
  readonly github?: boolean;
}

/** Declares the flags for what a run prints. */
export function addDisplayFlags(command: Command): Command {
  return command
    .optionsGroup(FLAG_GROUPS.output)
    .option("-q, --quiet", "print one line at the end: no progress, no tables")
    .option("--json", "print every event as a line of JSON")
    .option("--github", "print annotations for GitHub (default in GitHub Actions)")
    .option("--no-github", "print no annotations")
    .optionsGroup("");
}

/** What a run prints. */
export function displayOf({ quiet = false, json = false, github }: GivenDisplay): RunDisplay {
  return { quiet, json, ...(github === undefined ? {} : { github }) };
}
