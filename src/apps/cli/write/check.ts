import { LINT_RULES } from "../../../core/scenario/lint-rule.ts";
import { countFindings, type Finding, findingText } from "../../../insight/report/ci/findings.ts";
import { drawText } from "../../../insight/report/graph/draw-text.ts";
import { countedText } from "../../../insight/report/text/figures.ts";
import { printableLines, printableText, safeJson } from "../../../system/terminal/printable-text.ts";
import type { Output, Terminal } from "../../../system/terminal/terminal.ts";
import { wrapText } from "../../../system/terminal/text-layout.ts";
import { packageVersion } from "../../project/package-files.ts";
import { ProjectError } from "../../project/project-error.ts";
import type { ExitCode } from "../command.ts";
import { readSettings, type SettingsRequest } from "../read-settings.ts";
import { type CheckReport, checkScenarios } from "./check-scenarios.ts";

/** The options of `check`. */
export interface CheckOptions {
  readonly names: readonly string[];
  readonly settings: SettingsRequest;
  /** False to report findings only. */
  readonly draw: boolean;
  readonly format: "text" | "json" | "sarif" | "github";
  /** True if warnings fail the command, as errors do. */
  readonly strict: boolean;
}

/** Reports mistakes and findings of the lint rules, and draws the valid scenarios. */
export async function check(options: CheckOptions, terminal: Terminal): Promise<ExitCode> {
  const { settings } = await readSettings(options.settings, terminal, {
    uses: "scenarios",
    opensStore: false,
    names: options.names,
  });
  const names = options.names.length > 0 ? options.names : settings.scenarios;
  if (names.length === 0)
    throw new ProjectError([
      "No files to validate. Name files, folders or patterns, or - for standard input.",
    ]);
  const report = await checkScenarios(names, settings, terminal);
  const all = [...report.files, ...report.scenarios.flatMap(({ findings }) => findings)];
  await writeReport(report, { ...options, all, output: terminal.output });
  const { error, warning } = countFindings(all);
  return error > 0 || (options.strict && warning > 0) ? 2 : 0;
}

interface ReportOptions extends Pick<CheckOptions, "draw" | "format" | "strict"> {
  readonly all: readonly Finding[];
  readonly output: Output;
}

async function writeReport(report: CheckReport, options: ReportOptions): Promise<void> {
  const { all, output, format } = options;
  if (format === "text") return writeText(report, options);
  if (format === "json") {
    const counts = countFindings(all);
    const scenarios = report.scenarios.map(({ definition, file }) => ({ name: definition.name, file }));
    const data = {
      scenarios,
      errors: counts.error,
      warnings: counts.warning,
      notes: counts.note,
      findings: all,
    };
    output.data(`${safeJson(data, 2)}\n`);
    return;
  }
  if (format === "sarif") {
    const { sarifLog } = await import("../../../insight/report/ci/findings.ts");
    output.data(`${safeJson(sarifLog(all, packageVersion()), 2)}\n`);
    return;
  }
  const { findingAnnotations } = await import("../../../insight/report/ci/github-annotations.ts");
  for (const line of findingAnnotations(all)) output.data(line);
}

/** How many findings of a kind are printed: a mistake may be copied into every node. */
const SHOWN = 50;

function writeText({ scenarios, files }: CheckReport, { all, draw, output }: ReportOptions): void {
  const { style, width } = output;
  const write = (label: string, paint: (text: string) => string, found: readonly Finding[]): void => {
    for (const finding of found.slice(0, SHOWN))
      output.write(labelled(label, paint, { text: coded(finding), output }));
    const more = found.length - SHOWN;
    if (more > 0) output.write(`… and ${countedText(more, `more ${label.slice(0, -1)}`)}; fix these first\n`);
  };
  const shown = (list: readonly Finding[]): void => {
    write(
      "warning:",
      style.yellow,
      list.filter(({ severity }) => severity === "warning"),
    );
    write(
      "note:",
      style.cyan,
      list.filter(({ severity }) => severity === "note"),
    );
  };
  shown(files);
  for (const { definition, file, findings } of scenarios) {
    if (draw) output.write(`${style.dim(printableText(file))}\n${drawText(definition, { width })}\n`);
    shown(findings);
  }
  const errors = all.filter(({ severity }) => severity === "error");
  write("error:", style.red, errors);
  const counts = countFindings(all);
  const sound = scenarios.filter(({ findings }) => !findings.some(({ severity }) => severity === "error"));
  const fine = [
    `${countedText(sound.length, "scenario")} in order`,
    ...(counts.warning === 0 ? [] : [countedText(counts.warning, "warning")]),
    ...(counts.note === 0 ? [] : [countedText(counts.note, "note")]),
  ].join(", ");
  const broken = countedText(new Set(errors.map(({ file }) => file)).size, "file");
  if (errors.length === 0) output.write(labelled("✓", style.green, { text: fine, output }));
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
