import { Option } from "commander";
import { type AddCommand, commaList, examples, repeatable } from "../command.ts";
import { addSettingFlags, averageOption, type GivenFlags, settingsRequest } from "../flags.ts";
import type { CompareFormat } from "./compare.ts";

interface GivenCompare {
  readonly subject?: readonly string[];
  readonly baseline?: string;
  readonly outcome?: readonly string[];
  readonly by?: readonly string[];
  readonly average?: "micro" | "macro";
  readonly acrossVersions?: true;
  readonly discordant?: true;
  readonly format: CompareFormat;
  readonly json?: true;
  readonly output?: string;
}

const FORMATS: readonly CompareFormat[] = ["text", "json", "csv", "markdown"];

/** `elenchus compare` */
export const addCompareCommand: AddCommand = (program, { terminal, execute }) => {
  const command = program
    .command("compare")
    .description(
      "compare two runs, or subjects, conversation by conversation, and say which differences are real",
    )
    .argument("[runs...]", "runs, or files that export wrote (default: the latest run)")
    .option("--subject <name>", "compare these subjects; may be repeated", repeatable)
    .option("--baseline <subject>", "compare every other subject with this one (default: all pairs)")
    .option("--outcome <name>", "only this outcome or declared rate; may be repeated", repeatable)
    .option("--by <names>", "compare within groups, for instance variant.challenger,tag", commaList)
    .addOption(averageOption())
    .option("--across-versions", "compare scenarios although their definitions differ")
    .option("--discordant", "name the conversations that differ")
    .addOption(new Option("--format <format>", "how to write it").choices(FORMATS).default("text"))
    .option("--json", "the same as --format json")
    .option("-o, --output <file>", "the file to write (default: standard output)");
  addSettingFlags(command, ["store"])
    .addHelpText(
      "after",
      examples(
        "elenchus compare monday tuesday",
        "elenchus compare --subject openai/gpt-5-mini --subject openai/gpt-5",
        "elenchus compare monday --baseline openai/gpt-5-mini --format markdown",
      ),
    )
    .action((runs: readonly string[], given: GivenFlags & GivenCompare) =>
      execute(async () => {
        const { compare } = await import("./compare.ts");
        const {
          subject = [],
          baseline,
          outcome = [],
          by = [],
          average,
          acrossVersions = false,
          discordant = false,
          json,
          format,
          output,
        } = given;
        return compare(
          {
            settings: settingsRequest({ ...given, subject: undefined, baseline: undefined }),
            runs,
            subjects: subject,
            baseline,
            names: outcome,
            by,
            average,
            acrossVersions,
            discordant,
            format: json === true ? "json" : format,
            output,
          },
          terminal,
        );
      }),
    );
};
