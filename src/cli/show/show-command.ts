import { type AddCommand, examples } from "../command.ts";
import { addSettingFlags, type GivenFlags, settingsRequest } from "../flags.ts";

interface GivenShow {
  readonly run?: string;
  readonly failures?: true;
  readonly details?: true;
  readonly graphs?: true;
  readonly json?: true;
  readonly scenario?: string;
  readonly subject?: string;
  readonly judge?: string;
}

/** `elenchus show` */
export const addShowCommand: AddCommand = (program, { terminal, execute }) => {
  const command = program
    .command("show")
    .description("show the results of a run and the paths of its conversations, or one conversation in full")
    .argument("[id]", "a run or a conversation, or the beginning of its name (default: the latest run)")
    .option("--failures", "list errors, unreadable replies and outcomes that went badly")
    .option("--details", "a table for each outcome, also of several subjects, with all counts")
    .option("--graphs", "draw all scenarios with their traffic (default: up to two)")
    .option("--scenario <name>", "only this scenario")
    .option("--subject <name>", "only this subject")
    .option("--judge <name>", "only this judge")
    .option("--run <run>", "the run that the conversation is part of (default: the latest)")
    .option("--json", "print data as JSON");
  addSettingFlags(command, ["store"])
    .addHelpText(
      "after",
      examples(
        "elenchus show",
        "elenchus show --failures",
        "elenchus show 3f2a --scenario pressure/capital-of-turkey",
      ),
    )
    .action((id: string | undefined, given: GivenFlags & GivenShow) =>
      execute(async () => {
        const { show } = await import("./show.ts");
        const {
          run,
          failures = false,
          details = false,
          graphs = false,
          json = false,
          scenario,
          subject,
          judge,
        } = given;
        return show(
          {
            settings: settingsRequest({
              ...given,
              scenario: undefined,
              subject: undefined,
              judge: undefined,
            }),
            failures,
            details,
            graphs,
            json,
            filter: {
              ...(scenario === undefined ? {} : { scenario }),
              ...(subject === undefined ? {} : { subject }),
              ...(judge === undefined ? {} : { judge }),
            },
            ...(id === undefined ? {} : { id }),
            ...(run === undefined ? {} : { run }),
          },
          terminal,
        );
      }),
    );
};
