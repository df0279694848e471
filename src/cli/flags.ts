import { type Command, Option } from "commander";
import type { SettingKey } from "../project/settings.ts";
import { repeatable } from "./command.ts";
import type { SettingsRequest } from "./read-settings.ts";
import type { RunDisplay } from "./run/run-view.ts";

interface SettingFlag {
  readonly key: SettingKey;
  /** As commander writes it. */
  readonly words: string;
  readonly about: string;
  readonly isRepeatable?: true;
}

/** The name of a flag that stands for a setting, without its dashes and in camel case. */
export type SettingFlagName =
  | "subject"
  | "judge"
  | "replicates"
  | "concurrency"
  | "budget"
  | "turnLimit"
  | "seed"
  | "fresh"
  | "scenario"
  | "tag"
  | "failUnder"
  | "failOnErrors"
  | "junit"
  | "store";

/** The settings that have a flag of their own; every other one can be reached with `--set`. */
const SETTING_FLAGS: Readonly<Record<SettingFlagName, SettingFlag>> = {
  subject: {
    key: "subjects",
    words: "--subject <model>",
    about: "a model under test: provider/model, sim/…, person, a URL, or a subject of the project file",
    isRepeatable: true,
  },
  judge: {
    key: "judges",
    words: "--judge <model>",
    about: "who reads the replies: a model, or rules (no model at all)",
    isRepeatable: true,
  },
  replicates: { key: "replicates", words: "--replicates <n>", about: "how often each conversation is held" },
  concurrency: {
    key: "concurrency",
    words: "--concurrency <n>",
    about: "conversations that are held at the same time",
  },
  budget: {
    key: "budget",
    words: "--budget <limit>",
    about: "what the run may spend: 5usd, 2M tokens, 500 calls",
  },
  turnLimit: { key: "turnLimit", words: "--turn-limit <n>", about: "turns after which a conversation ends" },
  seed: { key: "seed", words: "--seed <n>", about: "what chance depends on" },
  fresh: { key: "fresh", words: "--fresh", about: "ask for every answer anew, whatever the store knows" },
  scenario: {
    key: "only",
    words: "--scenario <name>",
    about: "only scenarios of this name; * stands for any characters",
    isRepeatable: true,
  },
  tag: {
    key: "tags",
    words: "--tag <tag>",
    about: "only scenarios with this tag in their metadata",
    isRepeatable: true,
  },
  failUnder: {
    key: "failUnder",
    words: "--fail-under <outcome=rate>",
    about: "exit 1 if an outcome is below this rate; end with :lower to compare the interval's lower bound",
    isRepeatable: true,
  },
  failOnErrors: {
    key: "failOnErrors",
    words: "--fail-on-errors",
    about: "exit 1 if a conversation ended in an error",
  },
  junit: { key: "junit", words: "--junit <file>", about: "write a JUnit report" },
  store: { key: "store", words: "--store <file>", about: "the file that keeps runs" },
};

/** What commander makes of the flags. */
export type GivenFlags = Readonly<Record<string, unknown>>;

/** Declares some flags that stand for settings, and those that say where the others come from. */
export function addSettingFlags(command: Command, names: readonly SettingFlagName[]): Command {
  for (const name of names) {
    const { words, about, isRepeatable } = SETTING_FLAGS[name];
    const option = new Option(words, isRepeatable ? `${about} (repeatable)` : about);
    command.addOption(isRepeatable ? option.argParser(repeatable) : option);
  }
  return command
    .option("--set <key=value>", "any setting of the project file (repeatable)", repeatable)
    .option("--profile <name>", "a profile of the project file")
    .option("--config <file>", "another project file than elenchus.config.yaml");
}

/** Declares the flag that gives consent to what a project file asks for. */
export function addTrustFlag(command: Command): Command {
  return command.option(
    "--trust",
    "allow the project file to start programs, run code and send keys as it says; remembered",
  );
}

/** Declares the flag that gives consent to what a stored run says about how it was begun. */
export function addTrustOriginFlag(command: Command): Command {
  return command.option(
    "--trust-origin",
    "use what a run from elsewhere says about how it was begun; all of it is printed",
  );
}

/** The settings that were asked for. */
export function settingsRequest(given: GivenFlags): SettingsRequest {
  const flags = Object.entries(SETTING_FLAGS).flatMap(([name, { key, words }]) =>
    given[name] === undefined
      ? []
      : [{ flag: words.split(" ")[0] ?? words, path: [key], value: given[name] }],
  );
  // Commander gives texts for these, or leaves them out.
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

/** What commander makes of the flags that say how a run is shown. */
export interface GivenDisplay {
  readonly quiet?: boolean;
  readonly json?: boolean;
  readonly github?: boolean;
}

/** Declares the flags that say how a run is shown. */
export function addDisplayFlags(command: Command): Command {
  return command
    .option("-q, --quiet", "no progress and no table: one line at the end")
    .option("--json", "every event as a line of JSON on standard output")
    .option("--github", "annotations for GitHub (default where its workflows run)")
    .option("--no-github", "no annotations");
}

/** How a run is to be shown. */
export function displayOf({ quiet = false, json = false, github }: GivenDisplay): RunDisplay {
  return { quiet, json, ...(github === undefined ? {} : { github }) };
}
