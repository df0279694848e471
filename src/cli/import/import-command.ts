import { type AddCommand, examples } from "../command.ts";
import { addSettingFlags, type GivenFlags, settingsRequest } from "../flags.ts";

/** `elenchus import` */
export const addImportCommand: AddCommand = (program, { terminal, execute }) => {
  const command = program
    .command("import")
    .description("read a run from a file that export wrote into the store")
    .argument("<file>", "the file, or - for standard input")
    .option("--as <run>", "the name of the imported run (default: its own)")
    .option("--use-calls", "use its answers in new runs, too (default: only to show and regrade this run)");
  addSettingFlags(command, ["store"])
    .addHelpText(
      "after",
      examples("elenchus import monday.jsonl", "elenchus import - --as theirs < monday.jsonl"),
    )
    .action((file: string, given: GivenFlags & { readonly as?: string; readonly useCalls?: true }) =>
      execute(async () => {
        const { importCommand } = await import("./import.ts");
        const { as, useCalls = false } = given;
        return importCommand(
          { file, useCalls, settings: settingsRequest(given), ...(as === undefined ? {} : { as }) },
          terminal,
        );
      }),
    );
};
