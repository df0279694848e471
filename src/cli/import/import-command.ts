import { type AddCommand, examples } from "../command.ts";
import { addSettingFlags, type GivenFlags, settingsRequest } from "../flags.ts";

/** `elenchus import` */
export const addImportCommand: AddCommand = (program, { terminal, execute }) => {
  const command = program
    .command("import")
    .description("read a run from a file that export wrote into the store, with all its answers")
    .argument("<file>", "the file, or - for standard input")
    .option("--as <run>", "the name of the imported run (default: its own)");
  addSettingFlags(command, ["store"])
    .addHelpText(
      "after",
      examples("elenchus import monday.jsonl", "elenchus import - --as theirs < monday.jsonl"),
    )
    .action((file: string, given: GivenFlags & { readonly as?: string }) =>
      execute(async () => {
        const { importCommand } = await import("./import.ts");
        const { as } = given;
        return importCommand(
          { file, settings: settingsRequest(given), ...(as === undefined ? {} : { as }) },
          terminal,
        );
      }),
    );
};
