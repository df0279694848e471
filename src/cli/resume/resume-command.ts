import { type AddCommand, examples } from "../command.ts";
import {
  addDisplayFlags,
  addSettingFlags,
  addTrustFlag,
  addTrustOriginFlag,
  displayOf,
  type GivenDisplay,
  type GivenFlags,
  settingsRequest,
} from "../flags.ts";

interface GivenResume extends GivenFlags, GivenDisplay {
  readonly retryErrors?: true;
  readonly trustOrigin?: true;
}

/** `elenchus resume` */
export const addResumeCommand: AddCommand = (program, { terminal, execute }) => {
  const command = program
    .command("resume")
    .description("go on with a run where it was left; nothing that is finished is asked again")
    .argument("[run]", "the run, or the beginning of its name (default: the latest that is not finished)")
    .argument("[files...]", "the scenarios, named again (default: those of the run, if you made it here)")
    .option("--retry-errors", "hold conversations again, from the failed turn on, that ended in an error");
  addTrustFlag(addTrustOriginFlag(command));
  addSettingFlags(command, [
    "subject",
    "judge",
    "replicates",
    "scenario",
    "tag",
    "concurrency",
    "budget",
    "turnLimit",
    "seed",
    "failUnder",
    "failOnErrors",
    "junit",
    "store",
  ]);
  addDisplayFlags(command)
    .addHelpText(
      "after",
      examples(
        "elenchus resume",
        "elenchus resume 3f2a --retry-errors --budget 10usd",
        "elenchus resume 3f2a scenarios/ --subject openai/gpt-5-mini",
      ),
    )
    .action((run: string | undefined, names: readonly string[], given: GivenResume) =>
      execute(async () => {
        const { resume } = await import("./resume.ts");
        return resume(
          {
            names,
            settings: settingsRequest(given),
            display: displayOf(given),
            retryErrors: given.retryErrors ?? false,
            trustsOrigin: given.trustOrigin ?? false,
            ...(run === undefined ? {} : { run }),
          },
          terminal,
        );
      }),
    );
};
