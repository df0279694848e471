import { Option } from "commander";
import { type AddCommand, examples, repeatable } from "../command.ts";
import {
  ALLOW_DRAFTS,
  addDisplayFlags,
  addSettingFlags,
  addTrustFlag,
  displayOf,
  FLAG_GROUPS,
  type GivenDisplay,
  type GivenFlags,
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
    .description("grade recorded conversations with a scenario, as a run; no subject is asked")
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
  addSettingFlags(command, [
    "judge",
    "allowUnread",
    "dataset",
    "skipBadRows",
    "retryUnreadable",
    "turnLimit",
    "seed",
    "concurrency",
    "budget",
    "patience",
    "failUnder",
    "failOnErrors",
    "junit",
    "store",
  ]);
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
          return gradeCommand(
            {
              records,
              names: scenario,
              settings: settingsRequest(given),
              display: displayOf(given),
              allowDrafts,
              ...(name === undefined ? {} : { run: name }),
            },
            terminal,
          );
        }),
    );
};
