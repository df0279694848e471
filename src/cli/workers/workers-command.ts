import { type AddCommand, examples } from "../command.ts";
import { addSettingFlags, type GivenFlags, settingsRequest } from "../flags.ts";

/** `elenchus workers` */
export const addWorkersCommand: AddCommand = (program, { terminal, execute }) => {
  const command = program
    .command("workers")
    .description("list the workers of a store: what they do, how fast, and their errors")
    .argument("[address]", "postgres://… of the store (default: the store of the project)")
    .option("--json", "print a line of JSON for each worker");
  addSettingFlags(command, ["store"])
    .addHelpText("after", examples("elenchus workers postgres://db/elenchus"))
    .action((address: string | undefined, given: GivenFlags & { readonly json?: true }) =>
      execute(async () => {
        const { workers } = await import("./workers.ts");
        const { json = false } = given;
        return workers(
          { json, settings: settingsRequest(given), ...(address === undefined ? {} : { address }) },
          terminal,
        );
      }),
    );
};
