import { type AddCommand, examples, wholeNumber } from "../command.ts";
import { addSettingFlags, type GivenFlags, settingsRequest } from "../flags.ts";

interface GivenView {
  readonly open: boolean;
  readonly port?: number;
  readonly host?: string;
}

/** `elenchus view` */
export const addViewCommand: AddCommand = (program, { terminal, execute }) => {
  const command = program
    .command("view")
    .description("look at runs in a browser: results, graphs, conversations")
    .argument("[run]", "a run, or the beginning of its name (default: the list of runs)")
    .option("--no-open", "print the address, and do not open a browser")
    .option("--port <n>", "the port to listen on (default: one that is free)", wholeNumber(1))
    .option("--host <address>", "listen on another address than 127.0.0.1: others may then look, too");
  addSettingFlags(command, ["store"])
    .addHelpText(
      "after",
      examples("elenchus view", "elenchus view 3f2a", "elenchus view --no-open --port 8080"),
    )
    .action((run: string | undefined, given: GivenFlags & GivenView) =>
      execute(async () => {
        const { view } = await import("./view.ts");
        const { open, port, host } = given;
        return view(
          {
            settings: settingsRequest(given),
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
