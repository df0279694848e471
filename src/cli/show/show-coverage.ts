import { type Coverage, type CoverageOptions, coverage } from "../../analysis/coverage/coverage.ts";
import {
  type CoverageThreshold,
  checkCoverage,
  parseCoverageThreshold,
} from "../../analysis/coverage/coverage-threshold.ts";
import type { Store } from "../../journal/store/store.ts";
import { ProjectError } from "../../project/project-error.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import type { ExitCode } from "../command.ts";
import { coverageResultsText, coverageText } from "./coverage-text.ts";

/** What coverage is reported of. */
export interface ReportedCoverage extends Pick<CoverageOptions, "scenario" | "subject"> {
  readonly runs: readonly string[];
  readonly failUnder: readonly string[];
  readonly json: boolean;
}

/** Prints what runs reached; the exit code is 1 if that is less than asked for. */
export async function reportCoverage(
  store: Store,
  { runs, failUnder, json, ...options }: ReportedCoverage,
  { output }: Terminal,
): Promise<ExitCode> {
  const thresholds = coverageThresholds(failUnder);
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

/** The thresholds that a user names; throws a `ProjectError` with everything that is wrong with them. */
export function coverageThresholds(texts: readonly string[]): readonly CoverageThreshold[] {
  const read = texts.map(parseCoverageThreshold);
  const problems = read.filter((one) => typeof one === "string");
  if (problems.length > 0) throw new ProjectError(problems);
  return read.filter((one) => typeof one !== "string");
}

/** Counts of paths may be larger than numbers in JSON: all counts are texts where they are not safe. */
function coverageJson(found: Coverage, thresholds: readonly unknown[]): string {
  const write = (_: string, value: unknown): unknown => {
    if (typeof value !== "bigint") return value;
    return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : String(value);
  };
  return JSON.stringify({ ...found, thresholds }, write, 2);
}
