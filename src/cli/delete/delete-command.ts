import { type AddCommand, examples } from "../command.ts";
import { addSettingFlags, type GivenFlags, settingsRequest } from "../flags.ts";

/** `elenchus delete` */
export const addDeleteCommand: AddCommand = (program, { terminal, execute }) => {
  const command = program
    .command("delete")
    .description("delete runs; answers of models stay, so that other runs can use them")
    .argument("<runs...>", "the runs, or the beginnings of their names")
    .option("-y, --yes", "do not ask");
  addSettingFlags(command, ["store"])
    .addHelpText("after", examples("elenchus delete 3f2a", "elenchus delete 3f2a monday --yes"))
    .action((runs: readonly string[], given: GivenFlags & { readonly yes?: true }) =>
      execute(async () => {
        const { deleteRuns } = await import("./delete.ts");
        return deleteRuns({ runs, settings: settingsRequest(given), isSure: given.yes ?? false }, terminal);
      }),
    );
};
