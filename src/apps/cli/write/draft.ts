import { basename, extname, resolve } from "node:path";
import { RULES_JUDGE, SELF_JUDGE } from "../../../core/defaults.ts";
import type { Model } from "../../../engine/models/model.ts";
import { resolveModels } from "../../../engine/run/resolve-models.ts";
import { countedText, spendingText } from "../../../insight/report/text/figures.ts";
import { printableLines, shellWord } from "../../../system/terminal/printable-text.ts";
import type { Terminal } from "../../../system/terminal/terminal.ts";
import { scenarioName } from "../../project/drafts/build-scenario.ts";
import { readQuestions } from "../../project/drafts/read-questions.ts";
import { type Draft, Drafter } from "../../project/drafts/write-draft.ts";
import { ProjectError } from "../../project/project-error.ts";
import { runOptionsOf } from "../../project/resolve-settings.ts";
import { scenarioFileText } from "../../project/scenario-files/write-scenario.ts";
import type { Settings } from "../../project/settings.ts";
import type { ExitCode, OptionsOf } from "../command.ts";
import type { DRAFT } from "../commands/write-commands.ts";
import { readSettings } from "../read-settings.ts";
import { refuseOutput, refuseToOverwrite, writeOutput } from "../write-output.ts";

type DraftOptions = OptionsOf<typeof DRAFT>;

/** Lets a model write a scenario file, for a person to verify. */
export async function draft(options: DraftOptions, terminal: Terminal): Promise<ExitCode> {
  const { from, output = "-" } = options;
  const description = options.description?.trim() ?? "";
  if (description !== "" && from !== undefined)
    throw new ProjectError(["A draft has one source: leave out the description, or --from."]);
  if (description === "" && from === undefined)
    throw new ProjectError([
      'Say what to draft: a description of a scenario, as in elenchus draft "…", or a table of questions with --from questions.csv.',
    ]);
  if (description.length > LONGEST_DESCRIPTION)
    throw new ProjectError([`The description has more than ${LONGEST_DESCRIPTION} characters.`]);
  if (output !== "-") refuseToOverwrite(output, terminal);
  await refuseOutput(output, terminal);
  const questions = from === undefined ? [] : await readQuestions(resolve(terminal.folder, from), from);
  const settings = await settingsOf(options, terminal);
  const model = await modelOf(settings, terminal);
  try {
    const drafter = await Drafter.open(model, runOptionsOf(settings));
    let drafted: Draft;
    try {
      drafted =
        from === undefined
          ? await drafter.scenario(description)
          : await drafter.questions(questions, scenarioName(basename(from, extname(from))), (done) =>
              terminal.messages.write(`${done} of ${countedText(questions.length, "question")}\n`),
            );
    } finally {
      // Failed attempts cost money, too.
      if (drafter.spending.calls > 0)
        terminal.messages.write(`${model.name}: ${spendingText(drafter.spending)}\n`);
    }
    const source = from ?? `the description ${JSON.stringify(description.slice(0, SHOWN_DESCRIPTION))}`;
    const text = scenarioFileText(drafted.file, headOf(drafted, { model: model.name, source }));
    const isFile = await writeOutput(output, [text], terminal);
    terminal.messages.write(`${printableLines(report(drafted, isFile ? output : undefined).join("\n"))}\n`);
    return drafted.missing.length > 0 ? 2 : 0;
  } finally {
    await model.close?.();
  }
}

const LONGEST_DESCRIPTION = 20_000;
const SHOWN_DESCRIPTION = 500;

/** The model is resolved like a judge, so that it can be one that the project file describes. */
async function settingsOf({ model, settings }: DraftOptions, terminal: Terminal): Promise<Settings> {
  const named = model === undefined ? [] : [{ flag: "--model", path: ["judges"], value: [model] }];
  const request = { ...settings, flags: [...settings.flags, ...named] };
  const resolved = await readSettings(request, terminal, { runsCode: true, uses: "everything" });
  return resolved.settings;
}

async function modelOf(settings: Settings, { environment }: Terminal): Promise<Model> {
  const judge = settings.judges.find((one) => one !== RULES_JUDGE && one !== SELF_JUDGE);
  if (judge === undefined)
    throw new ProjectError(["No model to write the draft. Name one, for example --model openai/gpt-5-mini."]);
  const { providers } = runOptionsOf(settings);
  const { judges } = await resolveModels({
    scenarios: [],
    subjects: [],
    judge,
    environment,
    ...(providers === undefined ? {} : { providers }),
  });
  const [model] = [...judges.values()].flatMap(({ models }) => models);
  if (model === undefined || !("reply" in model) || model.isPatient === true)
    throw new ProjectError([
      `${model?.name ?? "This judge"} cannot write a draft. Name a model of a provider, for example --model openai/gpt-5-mini.`,
    ]);
  return model;
}

const TO_VERIFY = [
  "Every truth: look it up. Could another answer count as right, too?",
  "Every description: does it say what does not count, and does it keep the right value to itself?",
  "Values and aliases: are the usual wrong answers among them? Does each word stand for one value only?",
];

const SCENARIO_TO_VERIFY = "Questions, edges and outcomes: does the conversation test what you mean?";

/** The comment at the top of the file. */
function headOf(
  draft: Draft,
  { model, source }: { readonly model: string; readonly source: string },
): string {
  const { missing, file } = draft;
  const notes = notesOf(draft);
  const lines = [
    `DRAFT, written by ${model} from ${source}. No person has verified it.`,
    "Read it, correct it, and then remove `draft: true` from the metadata: until then `elenchus run` refuses it.",
    "",
    "What to verify:",
    ...[...TO_VERIFY, ...("scenarios" in file ? [] : [SCENARIO_TO_VERIFY])].map((text) => `- ${text}`),
    ...(notes.length === 0 ? [] : ["", "In particular:", ...notes]),
    ...(missing.length === 0
      ? []
      : ["", `Missing, because there is no usable template: ${missing.map(({ id }) => id).join(", ")}`]),
  ];
  return printableLines(lines.map((line) => line.replaceAll(/\s+/g, " ")).join("\n"));
}

function report(draft: Draft, output: string | undefined): readonly string[] {
  const { scenarios, missing } = draft;
  return [
    ...missing.flatMap(({ id, reasons }) => [
      `✗ ${id} is missing`,
      ...reasons.slice(0, SHOWN_REASONS).map((reason) => `    ${reason}`),
    ]),
    `${countedText(scenarios.length, "scenario")} drafted${output === undefined ? "" : ` in ${output}`}. The top of the file says what to verify.`,
    ...notesOf(draft),
    ...(output === undefined
      ? []
      : [
          `Next: read it, run elenchus check ${shellWord(output)}, and remove \`draft: true\` from its metadata.`,
        ]),
  ];
}

const SHOWN_REASONS = 5;
const SHOWN_NOTES = 100;

/** A line for each note: a line break in one would end the comment. */
function notesOf({ toVerify }: Draft): readonly string[] {
  const more = toVerify.length - SHOWN_NOTES;
  const notes = toVerify.slice(0, SHOWN_NOTES).map((text) => `- ${text.replaceAll(/\s+/g, " ")}`);
  return more <= 0 ? notes : [...notes, `- and ${more} more`];
}
