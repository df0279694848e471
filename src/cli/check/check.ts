import type { ScenarioDefinition } from "../../core/scenario/definition.ts";
import { formatIssue } from "../../core/schema/format-issue.ts";
import { RunError } from "../../journal/failure.ts";
import { ProjectError } from "../../project/project-error.ts";
import { loadScenarios } from "../../project/scenario-files/load-scenarios.ts";
import { selectScenarios } from "../../project/scenario-files/select-scenarios.ts";
import type { Settings } from "../../project/settings.ts";
import { drawText } from "../../report/graph/draw-text.ts";
import { countedText } from "../../report/text/figures.ts";
import { openRows } from "../../run/open-rows.ts";
import { draftText, isDraft } from "../../run/refuse-drafts.ts";
import { embedderProblems } from "../../run/require-embedder.ts";
import { isModelJudge, needsJudge, needsJudgeText } from "../../run/require-judge.ts";
import { simulatorProblems } from "../../run/require-simulator.ts";
import { findSourceProblems } from "../../run/sandbox/link-sources.ts";
import { printableLines, printableText } from "../../terminal/printable-text.ts";
import type { Output, Terminal } from "../../terminal/terminal.ts";
import { wrapText } from "../../terminal/wrap-text.ts";
import type { ExitCode } from "../command.ts";
import { readInput } from "../read-scenarios.ts";
import { readSettings, type SettingsRequest } from "../read-settings.ts";

/** The options of `check`. */
export interface CheckOptions {
  readonly names: readonly string[];
  readonly settings: SettingsRequest;
  /** False to report problems only. */
  readonly draws: boolean;
}

/** How many issues are printed; a mistake that is copied into every node says the same a thousand times. */
const SHOWN = 50;

/** Reports what is wrong with files, and draws the valid scenarios. */
export async function check(options: CheckOptions, terminal: Terminal): Promise<ExitCode> {
  const { output } = terminal;
  const { style, width } = output;
  const { settings } = await readSettings(options.settings, terminal, {
    uses: "scenarios",
    names: options.names,
  });
  const names = options.names.length > 0 ? options.names : settings.scenarios;
  if (names.length === 0)
    throw new ProjectError([
      "No files to validate. Name files, folders or patterns, or - for standard input.",
    ]);
  const {
    scenarios,
    problems: unreadable,
    skipped,
  } = await loadScenarios(names, {
    folder: terminal.folder,
    stdin: () => readInput(terminal),
  });
  const problems = [...unreadable];
  const chosen = problems.length > 0 && scenarios.length === 0 ? [] : selectScenarios(scenarios, settings);

  let warnings = 0;
  let sound = chosen.length;
  for (const text of skipped) output.write(labelled("warning:", style.yellow, { text, output }));
  for (const { definition, file } of chosen) {
    const broken = await findSourceProblems(definition);
    if (broken.length > 0) sound--;
    for (const { place, message } of broken)
      problems.push({
        file,
        message: `${file}: In scenario "${definition.name}", ${place} cannot be run: ${message}`,
      });
    const bad = await rowProblems(definition, settings);
    if (bad.length > 0 && broken.length === 0) sound--;
    for (const message of bad) problems.push({ file, message });
    warnings += definition.warnings.length;
    if (options.draws)
      output.write(`${style.dim(printableText(file))}\n${drawText(definition, { width })}\n`);
    for (const warning of definition.warnings)
      output.write(labelled("warning:", style.yellow, { text: formatIssue(warning), output }));
    if (isDraft(definition)) {
      warnings++;
      output.write(labelled("warning:", style.yellow, { text: draftText(definition), output }));
    }
    for (const text of embedderProblems(definition, settings.embedder !== undefined)) {
      warnings++;
      output.write(labelled("warning:", style.yellow, { text, output }));
    }
    for (const text of simulatorProblems(definition, settings.simulator !== undefined)) {
      warnings++;
      output.write(labelled("warning:", style.yellow, { text, output }));
    }
    const needs = settings.judges.every(isModelJudge) ? null : needsJudge(definition, settings);
    if (needs === null) continue;
    warnings++;
    const text = `${needsJudgeText(needs)} Run it with one, such as --judge openai/gpt-5-mini.`;
    output.write(labelled("warning:", style.yellow, { text, output }));
  }
  for (const { message } of problems.slice(0, SHOWN))
    output.write(labelled("error:", style.red, { text: message, output }));
  if (problems.length > SHOWN)
    output.write(`… and ${countedText(problems.length - SHOWN, "more issue")}; fix these first\n`);

  const fine = `${countedText(sound, "scenario")} in order`;
  const also = warnings === 0 ? "" : `, ${countedText(warnings, "warning")}`;
  const files = countedText(new Set(problems.map(({ file }) => file)).size, "file");
  if (problems.length === 0) output.write(labelled("✓", style.green, { text: `${fine}${also}`, output }));
  else output.write(labelled("✗", style.red, { text: `${files} with issues; ${fine}${also}`, output }));
  return problems.length === 0 ? 0 : 2;
}

/** What is wrong with the rows of a scenario that names them, or of those that the command does. */
async function rowProblems(
  definition: ScenarioDefinition,
  { dataset, rows, skipBadRows }: Settings,
): Promise<readonly string[]> {
  if (dataset === undefined && rows === undefined && definition.dataset === undefined) return [];
  try {
    await openRows(definition, {
      skipBadRows,
      ...(dataset === undefined ? {} : { dataset }),
      ...(rows === undefined ? {} : { rows }),
    });
    return [];
  } catch (error) {
    if (!(error instanceof RunError)) throw error;
    return error.problems;
  }
}

/** A problem, wrapped on a terminal; elsewhere on one line, so that it can be searched. */
function labelled(
  label: string,
  paint: (text: string) => string,
  { text, output }: { readonly text: string; readonly output: Output },
): string {
  const whole = `${label} ${printableLines(text)}`;
  // A line that starts with a space is code of the author, which is shown as it is.
  const wrapped = (line: string) => (line.startsWith(" ") ? [line] : wrapText(line, output.width));
  const lines = output.isTerminal ? whole.split("\n").flatMap(wrapped).join("\n") : whole;
  return `${paint(label)}${lines.slice(label.length)}\n`;
}
