import { Option } from "commander";
import { type AddCommand, examples, wholeNumber } from "../command.ts";
import {
  addSettingFlags,
  addTrustFlag,
  FLAG_GROUPS,
  type GivenFlags,
  SCENARIO_FILES,
  settingsRequest,
  WATCH,
} from "../flags.ts";
import type { CheckOptions } from "./check.ts";

/** How findings are written. */
const FORMATS: readonly CheckOptions["format"][] = ["text", "json", "sarif", "github"];

interface CheckFlags extends GivenFlags {
  readonly draw: boolean;
  readonly format: CheckOptions["format"];
  readonly json?: true;
  readonly strict?: true;
  readonly watch?: true;
}

/** `elenchus check` */
export const addCheckCommand: AddCommand = (program, { terminal, execute }) => {
  const command = program
    .command("check")
    .description(
      "validate and lint scenarios: report each finding with line and column, and draw the valid scenarios",
    )
    .argument("[files...]", SCENARIO_FILES)
    .optionsGroup(FLAG_GROUPS.output)
    .option("--no-draw", "report findings only")
    .addOption(
      new Option("--format <format>", "format of the findings; sarif is 2.1.0, github prints annotations")
        .choices(FORMATS)
        .default("text"),
    )
    .option("--json", "the same as --format json")
    .option("--strict", "also exit 2 for warnings; notes never fail")
    .option("--watch", WATCH);
  addTrustFlag(addSettingFlags(command, ["judge", "scenario", "tag", "dataset", "skipBadRows"]))
    .addHelpText(
      "after",
      examples(
        "elenchus check scenarios/",
        "elenchus check 'scenarios/**/*.yaml' --no-draw --strict",
        "elenchus check scenarios/ --format sarif > check.sarif",
      ),
    )
    .action((names: readonly string[], given: CheckFlags) =>
      execute(async () => {
        if (given.watch) {
          const { argumentsWithout, watchCommand } = await import("../watch/watch.ts");
          const argumentsOf = (): readonly string[] => argumentsWithout("--watch");
          return watchCommand({ names, settings: settingsRequest(given), argumentsOf }, terminal);
        }
        const { check } = await import("./check.ts");
        const { draw: draws, strict: isStrict = false } = given;
        const format = given.json ? "json" : given.format;
        return check({ names, settings: settingsRequest(given), draws, format, isStrict }, terminal);
      }),
    );
};

interface GivenDraft {
  readonly model?: string;
  readonly from?: string;
  readonly output?: string;
}

/** `elenchus draft` */
export const addDraftCommand: AddCommand = (program, { terminal, execute }) => {
  const command = program
    .command("draft")
    .description("let a model draft a scenario, or templates for your questions, for you to verify")
    .argument("[description]", "what the scenario should be about")
    .option("--from <file>", "a table with the columns question and answer (optional: id, topic)")
    .option("--model <model>", "the model that writes: provider/model (default: the judge of the project)")
    .option(
      "-o, --output <file>",
      "the file to write; an existing file is never overwritten (default: standard output)",
    );
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
      "show what changed between two versions of scenarios, and which stored answers can still be used",
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
    .description("explore all paths through scenarios without a model: what can happen, and what never can")
    .argument("[files...]", "files, folders, patterns or pack:<name>; .ts and .js files are executed")
    .option("--list <n>", "how many paths to list, the shortest first", wholeNumber(0), 5)
    .option(
      "--witness <what>",
      "print one conversation: outcome=value, a node, source->target, shortest or longest",
    )
    .option("--max-states <n>", "how many states to explore at most (default: 20,000)", wholeNumber(1))
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
        const settings = settingsRequest(given);
        return rehearseCommand({ names, settings, list, witness, maxStates, json }, terminal);
      }),
    );
};
