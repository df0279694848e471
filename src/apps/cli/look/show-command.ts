import { type AddCommand, commaList, examples, repeatable } from "../command.ts";
import {
  addSettingFlags,
  averageOption,
  FAIL_UNDER_COVERAGE,
  type GivenFlags,
  settingsRequest,
} from "../flags.ts";

interface GivenShow {
  readonly run?: string;
  readonly failures?: true;
  readonly details?: true;
  readonly by?: readonly string[];
  readonly average?: "micro" | "macro";
  readonly sequences?: true;
  readonly noise?: true;
  readonly with?: readonly string[];
  readonly agreement?: true;
  readonly labels?: string;
  readonly graphs?: true;
  readonly coverage?: true;
  readonly failUnderCoverage?: readonly string[];
  readonly json?: true;
  readonly scenario?: string;
  readonly subject?: string;
  readonly judge?: string;
  readonly variant?: readonly string[];
}

/** `elenchus show` */
export const addShowCommand: AddCommand = (program, { terminal, execute }) => {
  const command = program
    .command("show")
    .description("show the results of a run and the paths of its conversations, or one conversation in full")
    .argument("[id]", "a run or a conversation, or the beginning of its name (default: the latest run)")
    .option("--failures", "list errors, unreadable replies and failed outcomes")
    .option("--details", "a table for each outcome, also of several subjects, with all counts")
    .option("--by <names>", "rates by group, for example subject,variant.challenger,tag", commaList)
    .addOption(averageOption())
    .option("--sequences", "how right answers last over turns: survival, flips, accuracy by turn")
    .option("--noise", "where the noise comes from, and what would narrow intervals most")
    .option(
      "--with <run>",
      "with --noise or --coverage: also count this run, for example with another simulator (repeatable)",
      repeatable,
    )
    .option("--agreement", "how far judges agree with each other and with human labels")
    .option("--labels <file>", "human labels: a CSV file with conversation, turn, field, value")
    .option("--coverage", "which nodes, edges, outcomes and paths were reached, and which were not")
    .option("--fail-under-coverage <kind=share>", FAIL_UNDER_COVERAGE, repeatable)
    .option("--graphs", "draw all scenarios with how often each edge was taken (default: up to two)")
    .option("--scenario <name>", "only this scenario")
    .option("--subject <name>", "only this subject")
    .option("--judge <name>", "only this judge")
    .option(
      "--variant <factor=level>",
      "only conversations with this level of a factor (repeatable)",
      repeatable,
    )
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
        const { levelsOf } = await import("../stored-runs.ts");
        const { failures = false, details = false, graphs = false, json = false } = given;
        const { run, scenario, subject, judge, variant } = given;
        return show(
          {
            settings: settingsRequest({
              ...given,
              scenario: undefined,
              subject: undefined,
              judge: undefined,
              variant: undefined,
            }),
            failures,
            details,
            statistics: {
              sequences: given.sequences ?? false,
              noise: given.noise ?? false,
              with: given.with,
              agreement: given.agreement ?? false,
              by: given.by,
              average: given.average,
              labels: given.labels,
            },
            graphs,
            coverage: given.coverage === true || given.failUnderCoverage !== undefined,
            failUnderCoverage: given.failUnderCoverage ?? [],
            json,
            filter: {
              ...(scenario === undefined ? {} : { scenario }),
              ...(subject === undefined ? {} : { subject }),
              ...(judge === undefined ? {} : { judge }),
              ...(variant === undefined ? {} : { variant: levelsOf(variant) }),
            },
            id,
            run,
          },
          terminal,
        );
      }),
    );
};
