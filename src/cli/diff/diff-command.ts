import { type AddCommand, examples } from "../command.ts";
import { addSettingFlags, type GivenFlags, settingsRequest } from "../flags.ts";

interface GivenDiff {
  readonly exitCode?: true;
  readonly json?: true;
}

/** `elenchus diff` */
export const addDiffCommand: AddCommand = (program, { terminal, execute }) => {
  const side = "a file, folder or pattern, pack:<name>, a stored run, or run:scenario";
  const command = program
    .command("diff")
    .description(
      "say what changed between two versions of scenarios, and which stored answers can still be used",
    )
    .argument("<before>", `the earlier version: ${side}`)
    .argument("<after>", "the later version")
    .option("--exit-code", "exit 1 if there is a difference")
    .option("--json", "print data as JSON");
  addSettingFlags(command, ["scenario", "tag", "store"])
    .addHelpText(
      "after",
      examples(
        "elenchus diff old.yaml new.yaml",
        "elenchus diff monday scenarios/",
        "elenchus diff monday:capital scenarios/capital.yaml --json",
      ),
    )
    .action((before: string, after: string, given: GivenFlags & GivenDiff) =>
      execute(async () => {
        const { diff } = await import("./diff.ts");
        const { exitCode = false, json = false } = given;
        return diff({ before, after, settings: settingsRequest(given), exitCode, json }, terminal);
      }),
    );
};
