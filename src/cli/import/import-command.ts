import { type AddCommand, examples } from "../command.ts";
import { addSettingFlags, type GivenFlags, settingsRequest } from "../flags.ts";

interface ImportFlags {
  readonly as?: string;
  readonly useCalls?: true;
  readonly output?: string;
  readonly partial?: true;
}

/** True for a file that karenina writes, by its name. */
function isCheckpoint(file: string): boolean {
  return file.toLowerCase().endsWith(".jsonld");
}

/** `elenchus import` */
export const addImportCommand: AddCommand = (program, { terminal, execute }) => {
  const command = program
    .command("import")
    .description(
      "read a run from a file that export wrote into the store, or scenarios of a karenina checkpoint",
    )
    .argument("<file>", "the file, or - for standard input; a karenina checkpoint ends in .jsonld")
    .option("-o, --output <folder>", "for a checkpoint: the folder for its scenario files")
    .option("--partial", "for a checkpoint: import also what can be translated only in part")
    .option("--as <run>", "the name of the imported run (default: its own)")
    .option("--use-calls", "use its answers in new runs, too (default: only to show and regrade this run)");
  addSettingFlags(command, ["store"])
    .addHelpText(
      "after",
      examples(
        "elenchus import monday.jsonl",
        "elenchus import - --as theirs < monday.jsonl",
        "elenchus import benchmark.jsonld --output scenarios",
      ),
    )
    .action((file: string, given: GivenFlags & ImportFlags) =>
      execute(async () => {
        if (isCheckpoint(file) || given.output !== undefined) {
          const { importKarenina } = await import("./import-karenina.ts");
          return importKarenina({ file, output: given.output, partial: given.partial === true }, terminal);
        }
        const { importCommand } = await import("./import.ts");
        const { as, useCalls = false } = given;
        return importCommand(
          { file, useCalls, settings: settingsRequest(given), ...(as === undefined ? {} : { as }) },
          terminal,
        );
      }),
    );
};
