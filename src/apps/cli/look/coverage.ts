import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { withoutUndefined } from "../../../core/values/json.ts";
import type { Store } from "../../../engine/journal/store/store.ts";
import {
  COVERED,
  type Coverage,
  type CoverageOptions,
  type CoverageResult,
  type CoverageThreshold,
  type CoveredShare,
  type CoveredShares,
  checkCoverage,
  coverage,
  type NeverRun,
  parseCoverageThreshold,
  type ScenarioCoverage,
} from "../../../insight/analysis/coverage/coverage.ts";
import { countedText, percentText } from "../../../insight/report/text/figures.ts";
import { paintedLines, type TextOptions } from "../../../insight/report/text/text-blocks.ts";
import { printableText } from "../../../system/terminal/printable-text.ts";
import type { Terminal } from "../../../system/terminal/terminal.ts";
import { alignColumns, cutToWidth, linesText, type TableCell } from "../../../system/terminal/text-layout.ts";
import { ProjectError } from "../../project/project-error.ts";
import type { Settings } from "../../project/settings.ts";
import type { ExitCode, RunDisplay } from "../command.ts";
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
  const thresholds = coverageThresholds(failUnder);
  const found = await coverage(store, [...new Set(runs)], options);
  const results = checkCoverage(found, thresholds);
  if (json) output.data(`${coverageJson({ ...found, thresholds: results })}\n`);
  else {
    output.write(coverageText(found, output));
    if (results.length > 0) output.write(`\n${coverageResultsText(results, output)}`);
  }
  return results.every(({ passed }) => passed) ? 0 : 1;
}

/** Counts of routes may be larger than safe numbers in JSON: those are written as texts. */
function coverageJson(data: object): string {
  const write = (_: string, value: unknown): unknown => {
    if (typeof value !== "bigint") return value;
    return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : String(value);
  };
  return JSON.stringify(data, write, 2);
}

const MOST_LISTED = 12;

/** What runs reached and what they did not, for people. */
function coverageText({ runs, scenarios, all }: Coverage, layout: TextOptions): string {
  const of = runs.length === 1 ? `run ${runs[0]}` : `${runs.length} runs together`;
  const rows = scenarios.flatMap(({ scenario, all: own, subjects }): (readonly [string, CoveredShares])[] => {
    const each = Object.entries(subjects).map(([name, shares]) => [`· ${name}`, shares] as const);
    return [[scenario, own], ...(each.length < 2 ? [] : each)];
  });
  return linesText([
    layout.style.bold(printableText(`Coverage of ${of}`)),
    ...sharesTable(scenarios.length < 2 ? rows : [...rows, ["all", all]], layout),
    ...scenarios.flatMap((scenario) => missing(scenario, layout)),
  ]);
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
  return alignColumns([head, ...lines], ["<", ">", ">", ">", ">"]).map((line) => `  ${line}`);
}

/** `5 of 6`; of counts that are too large to read, a power of ten. */
function shareCell({ reached, possible }: CoveredShare, { green, yellow }: TextOptions["style"]): TableCell {
  const digits = String(possible ?? "?");
  const shown = digits.length <= 6 ? digits : `10^${digits.length - 1}`;
  return {
    text: `${reached} of ${shown}`,
    paint: possible !== null && reached >= possible ? green : yellow,
  };
}

function missing(
  { scenario, notReached, rows, variants, problem }: ScenarioCoverage,
  { style, width }: TextOptions,
): readonly string[] {
  const notes = [
    ...(problem === undefined
      ? []
      : paintedLines(`It could not be rehearsed: ${problem}`, width - 2, style.yellow)),
    ...neverRunText(rows, "row", width - 2),
    ...neverRunText(variants, "variant", width - 2),
  ];
  if (notReached.length === 0 && notes.length === 0) return [];
  const listed = notReached.slice(0, MOST_LISTED).map(({ kind, name, witness }): readonly TableCell[] => {
    const path = witness === null ? "" : printableText(pathOf(witness, { nodes: [] }));
    return [
      { text: kind.replace(/s$/, ""), paint: style.dim },
      { text: printableText(name) },
      { text: cutToWidth(path, Math.max(20, width - 40)) },
    ];
  });
  const more = notReached.length - listed.length;
  return [
    "",
    style.bold(`Not reached in ${printableText(scenario)}`),
    ...alignColumns(listed, ["<", "<", "<"]).map((line) => `  ${line}`),
    ...(more > 0 ? [style.dim(`  … and ${more} more`)] : []),
    ...notes.map((line) => `  ${line}`),
  ];
}

function neverRunText({ count, names }: NeverRun, noun: string, width: number): readonly string[] {
  if (count === 0) return [];
  const more = count > names.length ? ` and ${count - names.length} more` : "";
  return paintedLines(`${countedText(count, noun)} never run: ${names.join("; ")}${more}`, width);
}

/** Whether the thresholds of coverage were reached, one a line. */
function coverageResultsText(results: readonly CoverageResult[], { style }: TextOptions): string {
  const shown = (share: number): string => percentText(Math.round(share * 1e6), 1e6);
  return linesText(
    results.map(({ kind, minimum, actual, passed }) => {
      const mark = passed ? style.green("✓") : style.red("✗");
      const share = actual === null ? "not known" : shown(actual);
      return `${mark} coverage of ${kind}: ${share}, at least ${shown(minimum)} asked for`;
    }),
  );
}

/** The thresholds of `--fail-under-coverage`. Throws a `ProjectError` with everything that is wrong with them. */
export function coverageThresholds(texts: readonly string[]): readonly CoverageThreshold[] {
  const read = texts.map(parseCoverageThreshold);
  const problems = read.filter((one) => typeof one === "string");
  if (problems.length > 0) throw new ProjectError(problems);
  return read.filter((one) => typeof one !== "string");
}

/** The scenarios whose coverage a run reports, and its thresholds. */
export interface CoverageWanted {
  readonly scenarios: readonly ScenarioDefinition[];
  readonly thresholds: readonly CoverageThreshold[];
}

/** What a run reached. */
export interface RunCoverage {
  /** What it did not reach, in a line; undefined if it reached everything. */
  readonly line: string | undefined;
  readonly results: readonly CoverageResult[];
}

/** For more or larger scenarios, coverage is computed only if thresholds are given. */
const MOST_SCENARIOS = 60;
const MOST_STATES = 2_000;

/** The coverage of a run; undefined if there are no thresholds and it would take long. */
export async function runCoverage(
  { scenarios, thresholds }: CoverageWanted,
  {
    store,
    run,
    settings: { dataset, rows, skipBadRows, onlyRows, rowLimit },
    display,
  }: {
    readonly store: Store;
    readonly run: string;
    readonly settings: Settings;
    readonly display: RunDisplay;
  },
): Promise<RunCoverage | undefined> {
  const isRequired = thresholds.length > 0;
  if (!isRequired && (display.quiet || display.json || scenarios.length > MOST_SCENARIOS)) return undefined;
  const found = await coverage(store, [run], {
    definitions: new Map(scenarios.map((scenario) => [scenario.name, scenario])),
    skipBadRows,
    ...(isRequired ? {} : { maxStates: MOST_STATES }),
    ...withoutUndefined({ dataset, rows, onlyRows, rowLimit }),
  });
  return { line: notReachedLine(found), results: checkCoverage(found, thresholds) };
}

function notReachedLine({ scenarios }: Coverage): string | undefined {
  const nouns = { nodes: "node", edges: "edge", outcomes: "outcome value" } as const;
  const kinds = scenarios.flatMap(({ notReached }) => notReached.map(({ kind }) => kind));
  const parts = Object.entries(nouns).flatMap(([kind, noun]) => {
    const count = kinds.filter((one) => one === kind).length;
    return count === 0 ? [] : [countedText(count, noun)];
  });
  return parts.length === 0
    ? undefined
    : `Not reached: ${parts.join(", ").replace(/, (?=[^,]*$)/, " and ")}. See: elenchus show --coverage`;
}

/** What was not reached, below the tables of results, and which shares were too small. */
export function coveredText(
  { line, results }: RunCoverage,
  { style, width, quiet }: TextOptions & { readonly quiet: boolean },
): string {
  const missed = results.filter(({ passed }) => !passed);
  return linesText([
    ...(line === undefined || quiet ? [] : ["", ...paintedLines(line, width, style.dim)]),
    ...missed.flatMap(({ kind, minimum, actual }) => {
      const share = actual === null ? "not known" : actual.toFixed(3);
      return paintedLines(`Coverage of ${kind} is ${share}, less than ${minimum}.`, width, style.red);
    }),
  ]);
}
