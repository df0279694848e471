import { type AddCommand, examples, wholeNumber } from "../command.ts";
import { addSettingFlags, type GivenFlags, settingsRequest } from "../flags.ts";

/** `elenchus list` */
export const addListCommand: AddCommand = (program, { terminal, execute }) => {
  const command = program
    .command("list")
    .description("list the runs of this project, latest first")
    .option("--limit <number>", "how many runs to list", wholeNumber(1), 20)
    .option("--json", "print each run as a line of JSON");
  addSettingFlags(command, ["store"])
    .addHelpText("after", examples("elenchus list", "elenchus list --json | head -1"))
    .action((given: GivenFlags & { readonly limit: number; readonly json?: true }) =>
      execute(async () => {
        const { list } = await import("./list.ts");
        const { limit, json = false } = given;
        return list({ settings: settingsRequest(given), limit, json }, terminal);
      }),
    );
};
