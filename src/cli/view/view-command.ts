import { type AddCommand, examples, wholeNumber } from "../command.ts";
import { addSettingFlags, type GivenFlags, settingsRequest } from "../flags.ts";

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
    .option("--port <n>", "the port to listen on (default: one that is free)", wholeNumber(1))
    .option("--export <folder>", "write the run as a folder of pages that open without a server")
    .option("--single", "with --export: write one HTML file instead")
    .option("--no-texts", "with --export: leave out what was asked and replied")
    .option("--host <address>", "listen on another address than 127.0.0.1: others may then look, too");
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
        const { view } = await import("./view.ts");
        const { open, port, host, export: path, single = false, texts } = given;
        const settings = settingsRequest(given);
        if (path !== undefined) {
          const { exportView } = await import("./export-view.ts");
          const options = { settings, path, isSingle: single, hasTexts: texts };
          return exportView({ ...options, ...(run === undefined ? {} : { run }) }, terminal);
        }
        return view(
          {
            settings,
            opens: open,
            ...(run === undefined ? {} : { run }),
            ...(port === undefined ? {} : { port }),
            ...(host === undefined ? {} : { host }),
          },
          terminal,
        );
      }),
    );
};
