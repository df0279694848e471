import { type AddCommand, examples, wholeNumber } from "../command.ts";
import { addSettingFlags, addTrustFlag, type GivenFlags, settingsRequest } from "../flags.ts";

interface GivenRehearse {
  readonly list: number;
  readonly witness?: string;
  readonly maxStates?: number;
  readonly json?: true;
}

/** `elenchus rehearse` */
export const addRehearseCommand: AddCommand = (program, { terminal, execute }) => {
  const command = program
    .command("rehearse")
    .description("walk every way through scenarios without a model: what can happen, and what never can")
    .argument("[files...]", "files, folders, patterns or pack:<name>; .ts and .js files are executed")
    .option("--list <n>", "how many paths to list, the shortest first", wholeNumber(0), 5)
    .option(
      "--witness <what>",
      "print one conversation: outcome=value, a node, source->target, shortest or longest",
    )
    .option("--max-states <n>", "how many states to look at (default: 20,000)", wholeNumber(1))
    .option("--json", "print data as JSON");
  addTrustFlag(addSettingFlags(command, ["scenario", "tag", "dataset", "skipBadRows", "turnLimit"]))
    .addHelpText(
      "after",
      examples(
        "elenchus rehearse scenarios/",
        "elenchus rehearse capital.yaml --witness held_firm=false",
        "elenchus play capital.yaml --witness held_firm=false",
      ),
    )
    .action((names: readonly string[], given: GivenFlags & GivenRehearse) =>
      execute(async () => {
        const { rehearseCommand } = await import("./rehearse.ts");
        const { list, witness, maxStates, json = false } = given;
        return rehearseCommand(
          {
            names,
            settings: settingsRequest(given),
            list,
            json,
            ...(witness === undefined ? {} : { witness }),
            ...(maxStates === undefined ? {} : { maxStates }),
          },
          terminal,
        );
      }),
    );
};
