import { type AddCommand, examples } from "../command.ts";
import {
  addDisplayFlags,
  addSettingFlags,
  displayOf,
  type GivenDisplay,
  type GivenFlags,
  settingsRequest,
} from "../flags.ts";

/** `elenchus resume` */
export const addResumeCommand: AddCommand = (program, { terminal, execute }) => {
  const command = program
    .command("resume")
    .description("go on with a run where it was left; nothing that is finished is asked again")
    .argument("[run]", "the run, or the beginning of its name (default: the latest that is not finished)")
    .option("--retry-errors", "hold conversations again, from the failed turn on, that ended in an error");
  addSettingFlags(command, ["concurrency", "budget", "failUnder", "failOnErrors", "junit", "store"]);
  addDisplayFlags(command)
    .addHelpText("after", examples("elenchus resume", "elenchus resume 3f2a --retry-errors --budget 10usd"))
    .action((run: string | undefined, given: GivenFlags & GivenDisplay & { readonly retryErrors?: true }) =>
      execute(async () => {
        const { resume } = await import("./resume.ts");
        return resume(
          {
            settings: settingsRequest(given),
            display: displayOf(given),
            retryErrors: given.retryErrors ?? false,
            ...(run === undefined ? {} : { run }),
          },
          terminal,
        );
      }),
    );
};
