import { type AddCommand, examples } from "../command.ts";
import {
  addDisplayFlags,
  addSettingFlags,
  addTrustFlag,
  displayOf,
  type GivenDisplay,
  type GivenFlags,
  settingsRequest,
} from "../flags.ts";

interface GivenRun extends GivenFlags, GivenDisplay {
  readonly name?: string;
  readonly record?: string;
  readonly replay?: string;
  readonly explainConfig?: true;
}

/** `elenchus run` */
export const addRunCommand: AddCommand = (program, { terminal, execute }) => {
  const command = program
    .command("run")
    .description("hold the conversations of scenarios with models, and say what came of them")
    .argument(
      "[files...]",
      "files, folders, patterns, pack:<name>, or - for standard input; .ts and .js files are run",
    );
  addTrustFlag(command);
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
    "fresh",
    "failUnder",
    "failOnErrors",
    "junit",
    "store",
  ])
    .option("--name <run>", "the name of the run")
    .option("--record <file>", "write all answers to a cassette when the run is over")
    .option("--replay <file>", "answer from a cassette: no model is asked, no key is needed")
    .option("--explain-config", "say which settings hold and where each comes from, and do nothing else");
  addDisplayFlags(command)
    .addHelpText(
      "after",
      examples(
        "elenchus run pack:pressure --subject openai/gpt-5-mini --replicates 5 --budget 2usd",
        "elenchus run scenarios/ --subject sim/sycophant --subject sim/steadfast",
        "elenchus run --profile ci --fail-under resisted=0.9:lower --junit results.xml",
      ),
    )
    .action((names: readonly string[], given: GivenRun) =>
      execute(async () => {
        const { run } = await import("./run.ts");
        const { name, record, replay, explainConfig } = given;
        return run(
          {
            names,
            settings: settingsRequest(given),
            display: displayOf(given),
            explains: explainConfig ?? false,
            ...(name === undefined ? {} : { run: name }),
            ...(record === undefined ? {} : { record }),
            ...(replay === undefined ? {} : { replay }),
          },
          terminal,
        );
      }),
    );
};
