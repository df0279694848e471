import { type AddCommand, examples } from "../command.ts";
import { addSettingFlags, type GivenFlags, settingsRequest } from "../flags.ts";

/** `elenchus why-miss` */
export const addWhyMissCommand: AddCommand = (program, { terminal, execute }) => {
  const command = program
    .command("why-miss")
    .description("explain the cache misses of a run: the most similar earlier call, and what differs")
    .argument("[run]", "the run, or the beginning of its name (default: the latest)")
    .argument("[conversation]", "only this conversation of the run");
  addSettingFlags(command, ["store"])
    .addHelpText("after", examples("elenchus why-miss", "elenchus why-miss 3f2a 8c1e"))
    .action((run: string | undefined, conversation: string | undefined, given: GivenFlags) =>
      execute(async () => {
        const { whyMissCommand } = await import("./why-miss.ts");
        return whyMissCommand(
          {
            settings: settingsRequest(given),
            ...(run === undefined ? {} : { run }),
            ...(conversation === undefined ? {} : { conversation }),
          },
          terminal,
        );
      }),
    );
};
