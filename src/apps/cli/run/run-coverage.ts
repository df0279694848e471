import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import type { Store } from "../../../engine/journal/store/store.ts";
import type { Coverage } from "../../../insight/analysis/coverage/coverage.ts";
import type {
  CoverageResult,
  CoverageThreshold,
} from "../../../insight/analysis/coverage/coverage-threshold.ts";
import { countedText } from "../../../insight/report/text/figures.ts";
import { paintedLines, type TextOptions } from "../../../insight/report/text/text-blocks.ts";
import { linesText } from "../../../system/terminal/text-layout.ts";
import type { Settings } from "../../project/settings.ts";
import type { RunDisplay } from "./run-view.ts";

/** The scenarios whose coverage is reported, and its thresholds. */
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
    settings: { dataset, rows, skipBadRows },
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
  const { coverage } = await import("../../../insight/analysis/coverage/coverage.ts");
  const { checkCoverage } = await import("../../../insight/analysis/coverage/coverage-threshold.ts");
  const found = await coverage(store, [run], {
    definitions: new Map(scenarios.map((scenario) => [scenario.name, scenario])),
    skipBadRows,
    paths: thresholds.some(({ kind }) => kind === "paths"),
    ...(isRequired ? {} : { maxStates: MOST_STATES }),
    ...(dataset === undefined ? {} : { dataset }),
    ...(rows === undefined ? {} : { rows }),
  });
  return { line: notReachedLine(found), results: checkCoverage(found, thresholds) };
}

/** One line on what a run did not reach; undefined if it reached everything. */
function notReachedLine({ scenarios }: Coverage): string | undefined {
  const counts = { nodes: 0, edges: 0, outcomes: 0 };
  for (const { notReached } of scenarios) for (const { kind } of notReached) counts[kind]++;
  const parts = [
    ...(counts.nodes === 0 ? [] : [countedText(counts.nodes, "node")]),
    ...(counts.edges === 0 ? [] : [countedText(counts.edges, "edge")]),
    ...(counts.outcomes === 0 ? [] : [countedText(counts.outcomes, "outcome value")]),
  ];
  if (parts.length === 0) return undefined;
  const listed = parts.length === 1 ? parts[0] : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;
  return `Not reached: ${listed}. See: elenchus show --coverage`;
}

/** What was not reached, below the tables of results, and which shares were too small. */
export function coveredText(
  { line, results }: RunCoverage,
  { style, width, quiet }: TextOptions & { readonly quiet: boolean },
): string {
  const missed = results.filter(({ passed }) => !passed);
  const lines = [
    ...(line === undefined || quiet ? [] : ["", ...paintedLines(line, width, style.dim)]),
    ...missed.flatMap(({ kind, minimum, actual }) =>
      paintedLines(
        `Coverage of ${kind} is ${actual === null ? "not known" : actual.toFixed(3)}, less than ${minimum}.`,
        width,
        style.red,
      ),
    ),
  ];
  return linesText(lines);
}
