import { Option } from "commander";
import { type AddCommand, examples } from "../command.ts";
import { addSettingFlags, addTrustFlag, type GivenFlags, settingsRequest } from "../flags.ts";

/** `elenchus play` */
export const addPlayCommand: AddCommand = (program, { terminal, execute }) => {
  const command = program
    .command("play")
    .description("answer the questions of a scenario yourself, or ask them, and see how each reply is read")
    .argument(
      "[files...]",
      "a file, folder or pack:<name> with the scenario; choose one of several with --scenario",
    )
    .addOption(new Option("--as <role>", "your role").choices(["subject", "questioner"]).default("subject"))
    .option("--save <file>", "save the session as a cassette")
    .option(
      "--witness <what>",
      "play a conversation that rehearse found: outcome=value, a node, source->target, shortest or longest",
    );
  addTrustFlag(
    addSettingFlags(command, [
      "subject",
      "judge",
      "simulator",
      "scenario",
      "tag",
      "dataset",
      "variant",
      "turnLimit",
      "seed",
    ]),
  )
    .addHelpText(
      "after",
      examples(
        "elenchus play pack:pressure --scenario pressure/capital-of-turkey --save session.jsonl",
        "elenchus play capital.yaml --as questioner --subject ollama/llama3.2",
        "elenchus play capital.yaml --witness held_firm=false --save w.jsonl",
      ),
    )
    .action(
      (
        names: readonly string[],
        given: GivenFlags & {
          readonly as: "subject" | "questioner";
          readonly save?: string;
          readonly witness?: string;
        },
      ) =>
        execute(async () => {
          const { playCommand } = await import("./play.ts");
          const { as, save, witness } = given;
          return playCommand({ names, as, save, witness, settings: settingsRequest(given) }, terminal);
        }),
    );
};
