import { Option } from "commander";
import { type AddCommand, examples } from "../command.ts";
import {
  addSettingFlags,
  addTrustFlag,
  FLAG_GROUPS,
  type GivenFlags,
  settingsRequest,
  WATCH,
} from "../flags.ts";
import type { CheckOptions } from "./check.ts";

/** How findings are written. */
const FORMATS: readonly CheckOptions["format"][] = ["text", "json", "sarif", "github"];

interface CheckFlags extends GivenFlags {
  readonly draw: boolean;
  readonly format: CheckOptions["format"];
  readonly strict?: true;
  readonly watch?: true;
}

/** `elenchus check` */
export const addCheckCommand: AddCommand = (program, { terminal, execute }) => {
  const command = program
    .command("check")
    .description(
      "validate scenario files and look for mistakes a reviewer would find: report each with line and column, and draw the valid scenarios",
    )
    .argument(
      "[files...]",
      "files, folders, patterns, pack:<name>, or - for standard input; .ts and .js files are executed",
    )
    .optionsGroup(FLAG_GROUPS.output)
    .option("--no-draw", "report findings only")
    .addOption(
      new Option(
        "--format <format>",
        "how to write findings: text, json, sarif (2.1.0), github (annotations)",
      )
        .choices(FORMATS)
        .default("text"),
    )
    .option("--strict", "exit 2 for warnings, too; notes never fail")
    .option("--watch", WATCH);
  addTrustFlag(addSettingFlags(command, ["judge", "scenario", "tag", "dataset", "skipBadRows"]))
    .addHelpText(
      "after",
      examples(
        "elenchus check scenarios/",
        "elenchus check 'scenarios/**/*.yaml' --no-draw --strict",
        "elenchus check scenarios/ --format sarif > check.sarif",
      ),
    )
    .action((names: readonly string[], given: CheckFlags) =>
      execute(async () => {
        if (given.watch) {
          const { watchCommand, wordsWithout } = await import("../watch/watch.ts");
          const words = (): readonly string[] => wordsWithout("--watch");
          return watchCommand({ names, settings: settingsRequest(given), words }, terminal);
        }
        const { check } = await import("./check.ts");
        const { draw: draws, format, strict: isStrict = false } = given;
        return check({ names, settings: settingsRequest(given), draws, format, isStrict }, terminal);
      }),
    );
};
