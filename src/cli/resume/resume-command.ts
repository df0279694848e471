import { Option } from "commander";
import { type AddCommand, examples, repeatable } from "../command.ts";
import {
  addDisplayFlags,
  addSettingFlags,
  addTrustFlag,
  addTrustOriginFlag,
  DURABLE,
  displayOf,
  FLAG_GROUPS,
  type GivenDisplay,
  type GivenFlags,
  MAX_COST,
  runFlags,
  settingsRequest,
  USE_CALLS,
} from "../flags.ts";

interface GivenResume extends GivenFlags, GivenDisplay {
  readonly retryErrors?: true;
  readonly durable?: true;
  readonly workers?: string;
  readonly maxCost?: string;
  readonly useCalls?: readonly string[];
  readonly retryUnreadable?: true;
  readonly trustOrigin?: true;
}

/** `elenchus resume` */
export const addResumeCommand: AddCommand = (program, { terminal, execute }) => {
  const command = program
    .command("resume")
    .description("resume an unfinished run; finished conversations are not repeated")
    .argument("[run]", "the run, or the beginning of its name (default: the latest that is not finished)")
    .argument("[files...]", "the scenarios (default: those of the run, if it was started here)")
    .option(
      "--retry-errors",
      "also retry conversations that ended in an error, from the failed turn on, and judge again what a judge failed at",
    );
  command.addOption(
    new Option("--use-calls <run>", USE_CALLS).argParser(repeatable).helpGroup(FLAG_GROUPS.answers),
  );
  command.addOption(new Option("--max-cost <limit>", MAX_COST).helpGroup(FLAG_GROUPS.limits));
  command.addOption(new Option("--durable", DURABLE).helpGroup(FLAG_GROUPS.project));
  command.addOption(
    new Option("--workers <address>", "let workers run what is left: postgres://… or redis://…").helpGroup(
      FLAG_GROUPS.project,
    ),
  );
  addSettingFlags(command, runFlags("allowUnread", "dataset", "skipBadRows", "variant", "fresh"));
  addTrustFlag(addTrustOriginFlag(command));
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
            retryUnreadable: given.retryUnreadable ?? false,
            trustsOrigin: given.trustOrigin ?? false,
            isDurable: given.durable ?? false,
            ...(given.useCalls === undefined ? {} : { useCalls: given.useCalls }),
            ...(given.maxCost === undefined ? {} : { maxCost: given.maxCost }),
            ...(given.workers === undefined ? {} : { workers: given.workers }),
            ...(run === undefined ? {} : { run }),
          },
          terminal,
        );
      }),
    );
};
