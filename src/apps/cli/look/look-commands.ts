import { type AddCommand, examples, repeatable, wholeNumber } from "../command.ts";
import { addSettingFlags, type GivenFlags, settingsRequest } from "../flags.ts";

/** `elenchus list` */
export const addListCommand: AddCommand = (program, { terminal, execute }) => {
  const command = program
    .command("list")
    .description("list the runs of this project, latest first")
    .option("--limit <n>", "how many runs to list", wholeNumber(1), 20)
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

/** `elenchus tag` */
export const addTagCommand: AddCommand = (program, { terminal, execute }) => {
  const command = program
    .command("tag")
    .description("add tags to a run, which list shows; without tags, print those of the run")
    .argument("<run>", "the run, or the beginning of its name")
    .argument("[tags...]", "the tags to add")
    .option("--remove <tag>", "remove a tag (repeatable)", repeatable);
  addSettingFlags(command, ["store"])
    .addHelpText("after", examples("elenchus tag 3f2a paper final", "elenchus tag 3f2a --remove final"))
    .action(
      (run: string, tags: readonly string[], given: GivenFlags & { readonly remove?: readonly string[] }) =>
        execute(async () => {
          const { tag } = await import("./change-runs.ts");
          return tag(
            { run, add: tags, remove: given.remove ?? [], settings: settingsRequest(given) },
            terminal,
          );
        }),
    );
};

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
        const { deleteRuns } = await import("./change-runs.ts");
        return deleteRuns({ runs, settings: settingsRequest(given), isSure: given.yes ?? false }, terminal);
      }),
    );
};

interface GivenView {
  readonly open: boolean;
  readonly port?: number;
  readonly host?: string;
  readonly export?: string;
  readonly single?: true;
  readonly texts: boolean;
}

/** `elenchus view` */
export const addViewCommand: AddCommand = (program, { terminal, execute }) => {
  const command = program
    .command("view")
    .description("look at runs in a browser: results, graphs, conversations")
    .argument("[run]", "a run, or the beginning of its name (default: the list of runs)")
    .option("--no-open", "print the address, and do not open a browser")
    .option("--port <n>", "the port to listen on (default: a free one)", wholeNumber(1, 65_535))
    .option("--export <folder>", "write the run as a folder of pages that open without a server")
    .option("--single", "with --export: write one HTML file instead")
    .option("--no-texts", "with --export: leave out questions and replies")
    .option(
      "--host <address>",
      "listen on this address instead of 127.0.0.1: others can then read your runs",
    );
  addSettingFlags(command, ["store"])
    .addHelpText(
      "after",
      examples(
        "elenchus view",
        "elenchus view 3f2a",
        "elenchus view --no-open --port 8080",
        "elenchus view 3f2a --export report",
      ),
    )
    .action((run: string | undefined, given: GivenFlags & GivenView) =>
      execute(async () => {
        const { exportView, view } = await import("./view.ts");
        const { open: opens, port, host, export: path, single: isSingle = false, texts: hasTexts } = given;
        const settings = settingsRequest(given);
        if (path !== undefined) return exportView({ settings, run, path, isSingle, hasTexts }, terminal);
        // Whoever wants no texts must not be shown them.
        const alone = hasTexts ? isSingle && "--single" : "--no-texts";
        if (alone) command.error(`error: ${alone} needs --export <folder>.`);
        return view({ settings, run, opens, port, host }, terminal);
      }),
    );
};

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
    .description("import a run file into the store, or scenarios from a karenina checkpoint")
    .argument("<file>", "the file, or - for standard input; a karenina checkpoint ends in .jsonld")
    .option("-o, --output <folder>", "for a checkpoint: the folder for its scenario files")
    .option("--partial", "for a checkpoint: also import scenarios that can be translated only in part")
    .option("--as <run>", "the name of the imported run (default: its own)")
    .option("--use-calls", "also use its answers in new runs (default: only to show and regrade this run)");
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
        return importCommand({ file, as, useCalls, settings: settingsRequest(given) }, terminal);
      }),
    );
};
