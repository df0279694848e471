import { type AddCommand, examples } from "../command.ts";
import { addSettingFlags, addTrustFlag, type GivenFlags, settingsRequest } from "../flags.ts";

interface GivenDraft {
  readonly model?: string;
  readonly from?: string;
  readonly output?: string;
}

/** `elenchus draft` */
export const addDraftCommand: AddCommand = (program, { terminal, execute }) => {
  const command = program
    .command("draft")
    .description(
      "let a model propose a scenario, or templates for your questions, as a file for you to verify",
    )
    .argument("[description]", "what the scenario should be about")
    .option("--from <file>", "a table with the columns question and answer, and if you like id and topic")
    .option("--model <model>", "the model that writes: provider/model (default: the judge of the project)")
    .option("-o, --output <file>", "where to write the file; never over another (default: standard output)");
  addTrustFlag(addSettingFlags(command, ["budget", "patience"]))
    .addHelpText(
      "after",
      examples(
        'elenchus draft "Somebody insists that Sydney is the capital of Australia" --model openai/gpt-5-mini',
        "elenchus draft --from questions.csv --model openai/gpt-5-mini -o questions.yaml",
      ),
    )
    .action((description: string | undefined, given: GivenFlags & GivenDraft) =>
      execute(async () => {
        const { draftCommand } = await import("./draft.ts");
        const { model, from, output } = given;
        return draftCommand({ description, model, from, output, settings: settingsRequest(given) }, terminal);
      }),
    );
};
