import { Option } from "commander";
import { type AddCommand, examples, repeatable } from "../command.ts";
import {
  ALLOW_DRAFTS,
  addDisplayFlags,
  addSettingFlags,
  addTrustFlag,
  addTrustOriginFlag,
  displayOf,
  FLAG_GROUPS,
  type GivenDisplay,
  type GivenFlags,
  runFlags,
  settingsRequest,
} from "../flags.ts";

interface GivenGrade {
  readonly scenario: readonly string[];
  readonly name?: string;
  readonly allowDrafts?: boolean;
}

/** `elenchus grade` */
export const addGradeCommand: AddCommand = (program, { terminal, execute }) => {
  const command = program
    .command("grade")
    .description("grade recorded conversations with a scenario, as a new run; the subject is not called")
    .argument(
      "<records>",
      "a file with one record in each line (JSONL), a log of Inspect (.eval, .json), or - for standard input",
    )
    .addOption(
      new Option("--scenario <file>", "the scenario that the records belong to (repeatable)")
        .argParser(repeatable)
        .makeOptionMandatory()
        .helpGroup(FLAG_GROUPS.models),
    )
    .option("--name <run>", "the name of the run (default: a random one)")
    .option("--allow-drafts", ALLOW_DRAFTS);
  addSettingFlags(
    command,
    runFlags("subject", "embedder", "simulator", "variant", "scenario", "tag", "replicates", "fresh"),
  );
  addTrustFlag(command);
  addDisplayFlags(command)
    .addHelpText(
      "after",
      examples(
        "elenchus grade replies.jsonl --scenario pressure.yaml",
        "elenchus grade labels.jsonl --scenario debate.yaml --judge openai/gpt-5-mini",
      ),
    )
    .action(
      (
        records: string,
        { scenario, name, allowDrafts = false, ...given }: GivenFlags & GivenDisplay & GivenGrade,
      ) =>
        execute(async () => {
          const { gradeCommand } = await import("./grade.ts");
          const options = { settings: settingsRequest(given), display: displayOf(given), allowDrafts };
          return gradeCommand({ records, names: scenario, run: name, ...options }, terminal);
        }),
    );
};

interface GivenRegrade {
  readonly rerun?: true;
  readonly trustOrigin?: true;
  readonly allowDrafts?: true;
}

/** `elenchus regrade` */
export const addRegradeCommand: AddCommand = (program, { terminal, execute }) => {
  const command = program
    .command("regrade")
    .description(
      "grade the stored replies of a run again with the current scenarios and judges, as a new run",
    )
    .argument("[run]", "the run, or the beginning of its name (default: the latest)")
    .argument("[files...]", "the changed scenarios (default: those of the run)")
    .option("--rerun", "continue conversations that now take another edge: this asks the subject")
    .option("--allow-drafts", ALLOW_DRAFTS);
  addSettingFlags(command, runFlags("scenario", "tag", "fresh"));
  addTrustFlag(addTrustOriginFlag(command));
  addDisplayFlags(command)
    .addHelpText(
      "after",
      examples("elenchus regrade", "elenchus regrade 3f2a --judge anthropic/claude-sonnet-4-5 --rerun"),
    )
    .action(
      (run: string | undefined, names: readonly string[], given: GivenFlags & GivenDisplay & GivenRegrade) =>
        execute(async () => {
          const { regradeCommand } = await import("./regrade.ts");
          return regradeCommand(
            {
              names,
              settings: settingsRequest(given),
              display: displayOf(given),
              reruns: given.rerun ?? false,
              trustsOrigin: given.trustOrigin ?? false,
              allowDrafts: given.allowDrafts ?? false,
              run,
            },
            terminal,
          );
        }),
    );
};

interface GivenMerge extends GivenFlags, GivenDisplay {
  readonly as?: string;
}

/** `elenchus merge` */
export const addMergeCommand: AddCommand = (program, { terminal, execute }) => {
  const command = program
    .command("merge")
    .description("join the shards of a run into one run, and report its results")
    .argument("<stores...>", "the stores of all shards that run --shard made")
    .option("--as <run>", "the name of the merged run (default: that of the shards, if they share one)");
  addSettingFlags(command, ["failUnder", "minDecided", "failOnErrors", "junit", "store"]);
  addDisplayFlags(command)
    .addHelpText(
      "after",
      examples(
        "elenchus merge shard-1.db shard-2.db shard-3.db",
        "elenchus merge shards/*.db --store all.db --fail-under resisted=0.9:lower",
      ),
    )
    .action((stores: readonly string[], given: GivenMerge) =>
      execute(async () => {
        const { merge } = await import("./merge.ts");
        const options = { settings: settingsRequest(given), display: displayOf(given) };
        return merge({ stores, as: given.as, ...options }, terminal);
      }),
    );
};
