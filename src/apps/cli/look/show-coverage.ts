import type { Store } from "../../../engine/journal/store/store.ts";
import {
  COVERED,
  type Coverage,
  type CoverageOptions,
  type CoveredKind,
  type CoveredShare,
  type CoveredShares,
  coverage,
  type NeverRun,
  type ScenarioCoverage,
} from "../../../insight/analysis/coverage/coverage.ts";
import {
  type CoverageResult,
  type CoverageThreshold,
  checkCoverage,
} from "../../../insight/analysis/coverage/coverage-threshold.ts";
import { countedText, percentText } from "../../../insight/report/text/figures.ts";
import { paintedLines, type TextOptions } from "../../../insight/report/text/text-blocks.ts";
import { printableText } from "../../../system/terminal/printable-text.ts";
import type { Terminal } from "../../../system/terminal/terminal.ts";
import { alignColumns, cutToWidth, linesText, type TableCell } from "../../../system/terminal/text-layout.ts";
import { ProjectError } from "../../project/project-error.ts";
import type { ExitCode } from "../command.ts";
import { pathOf } from "../write/rehearsal-text.ts";

/** What coverage is reported of. */
interface ReportedCoverage extends Pick<CoverageOptions, "scenario" | "subject"> {
  readonly runs: readonly string[];
  readonly failUnder: readonly string[];
  readonly json: boolean;
}

/** Prints the coverage of runs; the exit code is 1 below a threshold. */
export async function reportCoverage(
  store: Store,
  { runs, failUnder, json, ...options }: ReportedCoverage,
  { output }: Terminal,
): Promise<ExitCode> {
  const thresholds = await coverageThresholds(failUnder);
  const found = await coverage(store, [...new Set(runs)], options);
  const results = checkCoverage(found, thresholds);
  const layout = { style: output.style, width: output.width };
  if (json) output.data(`${coverageJson(found, results)}\n`);
  else {
    output.write(coverageText(found, layout));
    if (results.length > 0) output.write(`\n${coverageResultsText(results, layout)}`);
  }
  return results.every(({ passed }) => passed) ? 0 : 1;
}

/** Counts of paths may be larger than safe numbers in JSON: those are written as texts. */
function coverageJson(found: Coverage, thresholds: readonly unknown[]): string {
  const write = (_: string, value: unknown): unknown => {
    if (typeof value !== "bigint") return value;
    return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : String(value);
  };
  return JSON.stringify({ ...found, thresholds }, write, 2);
}

const MOST_LISTED = 12;

/** What runs reached and what they did not, for people. */
function coverageText({ runs, scenarios, all }: Coverage, { style, width }: TextOptions): string {
  const layout = { style, width };
  const of = runs.length === 1 ? `run ${runs[0]}` : `${runs.length} runs together`;
  const lines = [
    style.bold(printableText(`Coverage of ${of}`)),
    ...sharesTable(
      [
        ...scenarios.flatMap(({ scenario, all: own, subjects }): (readonly [string, CoveredShares])[] => [
          [scenario, own],
          ...(Object.keys(subjects).length < 2
            ? []
            : Object.entries(subjects).map(([name, shares]) => [`· ${name}`, shares] as const)),
        ]),
        ...(scenarios.length < 2 ? [] : [["all", all] as const]),
      ],
      layout,
    ),
    ...scenarios.flatMap((scenario) => missing(scenario, layout)),
  ];
  return linesText(lines);
}

function sharesTable(
  rows: readonly (readonly [string, CoveredShares])[],
  { style, width }: TextOptions,
): readonly string[] {
  const head: readonly TableCell[] = [{ text: "" }, ...COVERED.map((text) => ({ text, paint: style.dim }))];
  const lines = rows.map(([name, shares]): readonly TableCell[] => [
    { text: cutToWidth(printableText(name), Math.max(12, width - 64)) },
    ...COVERED.map((kind) => shareCell(shares[kind], style)),
  ]);
  return alignColumns([head, ...lines], ["<", ">", ">", ">", ">", ">"]).map((line) => `  ${line}`);
}

function shareCell({ reached, possible }: CoveredShare, { green, yellow }: TextOptions["style"]): TableCell {
  const text = shareText({ reached, possible });
  return { text, paint: possible !== null && reached >= possible ? green : yellow };
}

/** `5 of 6`, or a short form of counts that are too large to read. */
function shareText({ reached, possible }: CoveredShare): string {
  if (possible === null) return `${reached} of ?`;
  const digits = String(possible);
  return digits.length <= 6 ? `${reached} of ${possible}` : `${reached} of 10^${digits.length - 1}`;
}

function missing(
  { scenario, notReached, rows, variants, problem }: ScenarioCoverage,
  { style, width }: TextOptions,
): readonly string[] {
  const name = printableText(scenario);
  const notes = [
    ...(problem === undefined
      ? []
      : paintedLines(`It could not be rehearsed: ${problem}`, width - 2, style.yellow)),
    ...neverRunText(rows, "row", width - 2),
    ...neverRunText(variants, "variant", width - 2),
  ];
  if (notReached.length === 0 && notes.length === 0) return [];
  const listed = notReached
    .slice(0, MOST_LISTED)
    .map(({ kind, name: part, witness }): readonly TableCell[] => [
      { text: WORDS[kind], paint: style.dim },
      { text: printableText(part) },
      {
        text:
          witness === null
            ? ""
            : cutToWidth(printableText(pathOf(witness, { nodes: [] })), Math.max(20, width - 40)),
      },
    ]);
  const more = notReached.length - listed.length;
  return [
    "",
    style.bold(`Not reached in ${name}`),
    ...alignColumns(listed, ["<", "<", "<"]).map((line) => `  ${line}`),
    ...(more > 0 ? [style.dim(`  … and ${more} more`)] : []),
    ...notes.map((line) => `  ${line}`),
  ];
}

const WORDS: Readonly<Record<Exclude<CoveredKind, "routes" | "paths">, string>> = {
  nodes: "node",
  edges: "edge",
  outcomes: "outcome",
};

function neverRunText({ count, names }: NeverRun, noun: string, width: number): readonly string[] {
  if (count === 0) return [];
  const more = count > names.length ? ` and ${count - names.length} more` : "";
  return paintedLines(`${countedText(count, noun)} never run: ${names.join("; ")}${more}`, width);
}

/** Whether the thresholds of coverage were reached, one a line. */
function coverageResultsText(results: readonly CoverageResult[], { style }: TextOptions): string {
  return results
    .map(({ kind, minimum, actual, passed }) => {
      const share = actual === null ? "not known" : percentText(Math.round(actual * 1e6), 1e6);
      const mark = passed ? style.green("✓") : style.red("✗");
      return `${mark} coverage of ${kind}: ${share}, at least ${percentText(Math.round(minimum * 1e6), 1e6)} asked for\n`;
    })
    .join("");
}

/** The thresholds of `--fail-under-coverage`. Throws a `ProjectError` with everything that is wrong with them. */
export async function coverageThresholds(texts: readonly string[]): Promise<readonly CoverageThreshold[]> {
  if (texts.length === 0) return [];
  const { parseCoverageThreshold } = await import("../../../insight/analysis/coverage/coverage-threshold.ts");
  const read = texts.map(parseCoverageThreshold);
  const problems = read.filter((one) => typeof one === "string");
  if (problems.length > 0) throw new ProjectError(problems);
  return read.filter((one) => typeof one !== "string");
}
