import { LINT_RULES } from "../../../core/scenario/lint-rule.ts";
import { FORMAT_VERSION } from "../../../core/scenario/scenario-shape.ts";
import type { JsonObject } from "../../../core/values/json.ts";
import { countFindings, type Finding, findingText, sarifLog } from "../../../insight/report/ci/findings.ts";
import { findingAnnotations } from "../../../insight/report/ci/github-annotations.ts";
import { drawText } from "../../../insight/report/graph/draw-text.ts";
import { countedText } from "../../../insight/report/text/figures.ts";
import { printableLines, printableText, safeJson } from "../../../system/terminal/printable-text.ts";
import type { Output, Terminal } from "../../../system/terminal/terminal.ts";
import { wrapText } from "../../../system/terminal/text-layout.ts";
import { packageVersion } from "../../project/package-files.ts";
import { ProjectError } from "../../project/project-error.ts";
import { scenarioFileText, scenarioToJson } from "../../project/scenario-files/write-scenario.ts";
import type { ExitCode, OptionsOf } from "../command.ts";
import type { CHECK } from "../commands/write-commands.ts";
import { readSettings } from "../read-settings.ts";
import { watchCommand } from "../watch/watch.ts";
import { type CheckReport, checkScenarios } from "./check-scenarios.ts";

type CheckOptions = OptionsOf<typeof CHECK>;

/** Reports mistakes and findings of the lint rules, and draws the valid scenarios. */
export async function check(options: CheckOptions, terminal: Terminal): Promise<ExitCode> {
  const { files, settings: request, strict } = options;
  if (options.watch) return watchCommand({ names: files, settings: request }, terminal);
  const { settings } = await readSettings(request, terminal, {
    uses: "scenarios",
    opensStore: false,
    names: files,
  });
  const names = files.length > 0 ? files : settings.scenarios;
  if (names.length === 0)
    throw new ProjectError([
      "No files to validate. Name files, folders or patterns, or - for standard input.",
    ]);
  const report = await checkScenarios(names, settings, terminal);
  if (options.expand && report.scenarios.length > 0) {
    const files = report.scenarios.map(({ definition }) => scenarioToJson(definition));
    const [only] = files as [JsonObject];
    // The version stands once, at the top.
    const many = { version: FORMAT_VERSION, scenarios: files.map(({ version: _, ...file }) => file) };
    terminal.output.data(scenarioFileText(files.length === 1 ? only : many, "Short forms written out."));
    if (report.files.length === 0) return 0;
  }
  const all = [...report.files, ...report.scenarios.flatMap(({ findings }) => findings)];
  writeReport(report, all, { options, output: terminal.output });
  const { error, warning } = countFindings(all);
  return error > 0 || (strict && warning > 0) ? 2 : 0;
}

function writeReport(
  report: CheckReport,
  findings: readonly Finding[],
  { options, output }: { readonly options: CheckOptions; readonly output: Output },
): void {
  const format = options.json ? "json" : options.format;
  if (format === "json") {
    const { error: errors, warning: warnings, note: notes } = countFindings(findings);
    const scenarios = report.scenarios.map(({ definition, file }) => ({ name: definition.name, file }));
    output.data(`${safeJson({ scenarios, errors, warnings, notes, findings }, 2)}\n`);
  } else if (format === "sarif") output.data(`${safeJson(sarifLog(findings, packageVersion()), 2)}\n`);
  else if (format === "github") for (const line of findingAnnotations(findings)) output.data(line);
  else writeText(report, findings, { draw: options.draw, output });
}

/** How many findings of a kind are printed: a mistake may be copied into every node. */
const SHOWN = 50;

function writeText(
  { scenarios, files }: CheckReport,
  all: readonly Finding[],
  { draw, output }: { readonly draw: boolean; readonly output: Output },
): void {
  const { style, width } = output;
  const paints = { error: style.red, warning: style.yellow, note: style.cyan } as const;
  const write = (severity: Finding["severity"], list: readonly Finding[]): void => {
    const found = list.filter((finding) => finding.severity === severity);
    for (const finding of found.slice(0, SHOWN))
      output.write(labelled(`${severity}:`, paints[severity], { text: coded(finding), output }));
    const more = found.length - SHOWN;
    if (more > 0) output.write(`… and ${countedText(more, `more ${severity}`)}; fix these first\n`);
  };
  const writeMild = (list: readonly Finding[]): void => {
    write("warning", list);
    write("note", list);
  };
  writeMild(files);
  for (const { definition, file, findings } of scenarios) {
    if (draw) output.write(`${style.dim(printableText(file))}\n${drawText(definition, { width })}\n`);
    writeMild(findings);
  }
  write("error", all);
  const counts = countFindings(all);
  const isBroken = ({ severity }: Finding): boolean => severity === "error";
  const sound = scenarios.filter(({ findings }) => !findings.some(isBroken));
  const fine = [
    `${countedText(sound.length, "scenario")} in order`,
    ...(counts.warning === 0 ? [] : [countedText(counts.warning, "warning")]),
    ...(counts.note === 0 ? [] : [countedText(counts.note, "note")]),
  ].join(", ");
  const broken = countedText(new Set(all.filter(isBroken).map(({ file }) => file)).size, "file");
  if (counts.error === 0) output.write(labelled("✓", style.green, { text: fine, output }));
  else output.write(labelled("✗", style.red, { text: `${broken} with issues; ${fine}`, output }));
}

/** A finding with its code, which names its section in the reference and switches the rule off. */
function coded(finding: Finding): string {
  return `${findingText(finding)}${Object.hasOwn(LINT_RULES, finding.code) ? ` (${finding.code})` : ""}`;
}

/** A finding with a label: wrapped on a terminal, on one line in files and pipes, so that it can be searched. */
function labelled(
  label: string,
  paint: (text: string) => string,
  { text, output }: { readonly text: string; readonly output: Output },
): string {
  const whole = `${label} ${printableLines(text)}`;
  // A line that starts with a space is the author's code, which is not wrapped.
  const wrapped = (line: string) => (line.startsWith(" ") ? [line] : wrapText(line, output.width));
  const lines = output.isTerminal ? whole.split("\n").flatMap(wrapped).join("\n") : whole;
  return `${paint(label)}${lines.slice(label.length)}\n`;
}
