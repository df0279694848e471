import { type AddCommand, examples } from "../command.ts";
import { addSettingFlags, addTrustFlag, type GivenFlags, settingsRequest } from "../flags.ts";

/** `elenchus check` */
export const addCheckCommand: AddCommand = (program, { terminal, execute }) => {
  const command = program
    .command("check")
    .description(
      "validate scenario files: report every problem with line and column, and draw the valid scenarios",
    )
    .argument(
      "[files...]",
      "files, folders, patterns, pack:<name>, or - for standard input; .ts and .js files are executed",
    )
    .option("--no-draw", "report problems only");
  addTrustFlag(addSettingFlags(command, ["scenario", "tag", "dataset", "skipBadRows"]))
    .addHelpText(
      "after",
      examples("elenchus check scenarios/", "elenchus check 'scenarios/**/*.yaml' --no-draw"),
    )
    .action((names: readonly string[], given: GivenFlags & { readonly draw: boolean }) =>
      execute(async () => {
        const { check } = await import("./check.ts");
        return check({ names, settings: settingsRequest(given), draws: given.draw }, terminal);
      }),
    );
};
