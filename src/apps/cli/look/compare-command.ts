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
    .description("compare runs or subjects, pair by pair, and test which differences are more than noise")
    .argument("[runs...]", "runs, or files that export wrote (default: the latest run)")
    .option("--subject <name>", "compare these subjects (repeatable)", repeatable)
    .option("--baseline <subject>", "compare every other subject with this one (default: all pairs)")
    .option("--outcome <name>", "only this outcome or declared rate (repeatable)", repeatable)
    .option("--by <names>", "compare within groups, for example variant.challenger,tag", commaList)
    .addOption(averageOption())
    .option("--across-versions", "also compare scenarios and rows that differ")
    .option("--discordant", "name the conversations that differ")
    .addOption(new Option("--format <format>", "the output format").choices(FORMATS).default("text"))
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
