import { type AddCommand, examples } from "../command.ts";
import { addSettingFlags, type GivenFlags, settingsRequest } from "../flags.ts";

interface GivenStop extends GivenFlags {
  readonly now?: true;
}

/** `elenchus stop` */
export const addStopCommand: AddCommand = (program, { terminal, execute }) => {
  const command = program
    .command("stop")
    .description("stop a run on workers, wherever they are; resume continues it")
    .argument("<run>", "the run, or the beginning of its name")
    .option("--now", "do not wait for calls under way");
  addSettingFlags(command, ["store"])
    .addHelpText("after", examples("elenchus stop 3f2a --store postgres://db/elenchus"))
    .action((run: string, given: GivenStop) =>
      execute(async () => {
        const { stop } = await import("./stop.ts");
        return stop({ run, isAtOnce: given.now ?? false, settings: settingsRequest(given) }, terminal);
      }),
    );
};
