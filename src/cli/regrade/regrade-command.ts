import { type AddCommand, examples } from "../command.ts";
import {
  ALLOW_DRAFTS,
  addDisplayFlags,
  addSettingFlags,
  addTrustFlag,
  addTrustOriginFlag,
  displayOf,
  type GivenDisplay,
  type GivenFlags,
  runFlags,
  settingsRequest,
} from "../flags.ts";

interface GivenRegrade {
  readonly rerun?: true;
  readonly trustOrigin?: true;
  readonly allowDrafts?: true;
}

/** `elenchus regrade` */
export const addRegradeCommand: AddCommand = (program, { terminal, execute }) => {
  const command = program
    .command("regrade")
    .description(
      "grade the stored replies of a run again with the current scenarios and judges, as a new run",
    )
    .argument("[run]", "the run, or the beginning of its name (default: the latest)")
    .argument("[files...]", "the changed scenarios (default: those of the run)")
    .option("--rerun", "continue conversations that now take another edge: this asks the subject")
    .option("--allow-drafts", ALLOW_DRAFTS);
  addSettingFlags(command, runFlags("scenario", "tag", "fresh"));
  addTrustFlag(addTrustOriginFlag(command));
  addDisplayFlags(command)
    .addHelpText(
      "after",
      examples("elenchus regrade", "elenchus regrade 3f2a --judge anthropic/claude-sonnet-4-5 --rerun"),
    )
    .action(
      (run: string | undefined, names: readonly string[], given: GivenFlags & GivenDisplay & GivenRegrade) =>
        execute(async () => {
          const { regradeCommand } = await import("./regrade.ts");
          return regradeCommand(
            {
              names,
              settings: settingsRequest(given),
              display: displayOf(given),
              reruns: given.rerun ?? false,
              trustsOrigin: given.trustOrigin ?? false,
              allowDrafts: given.allowDrafts ?? false,
              ...(run === undefined ? {} : { run }),
            },
            terminal,
          );
        }),
    );
};
