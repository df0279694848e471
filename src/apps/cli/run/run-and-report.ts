import { randomUUID } from "node:crypto";
import { isMeasure } from "../../../core/outcomes/outcome-check.ts";
import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { nearestOf } from "../../../core/schema/nearest-name.ts";
import { countStatuses, isFinished } from "../../../core/state/state.ts";
import type { RunSummary, Store } from "../../../engine/journal/store/store.ts";
import type { Run } from "../../../engine/run/run-scenarios.ts";
import { githubAnnotations } from "../../../insight/report/ci/github-annotations.ts";
import { junitXml } from "../../../insight/report/ci/junit-xml.ts";
import { type RunRates, runRates } from "../../../insight/report/data/run-rates.ts";
import {
  parseThreshold,
  type Threshold,
  type ThresholdResult,
  testThresholds,
} from "../../../insight/report/data/thresholds.ts";
import { resultsText } from "../../../insight/report/text/results-text.ts";
import { summaryLine } from "../../../insight/report/text/summary-line.ts";
import { thresholdText } from "../../../insight/report/text/threshold-text.ts";
import { printableText, runWord } from "../../../system/terminal/printable-text.ts";
import type { ProcessTerminal } from "../../../system/terminal/process-terminal.ts";
import type { Output, Terminal } from "../../../system/terminal/terminal.ts";
import { ProjectError } from "../../project/project-error.ts";
import type { Settings } from "../../project/settings.ts";
import type { ExitCode } from "../command.ts";
import { refuseOutput, writeOutput } from "../write-output.ts";
import type { Gate } from "./baseline-gate.ts";
import { stopIfAllFail } from "./guarded-run.ts";
import { type CoverageWanted, coveredText, type RunCoverage, runCoverage } from "./run-coverage.ts";
import { reportEnding } from "./run-ending.ts";
import { annotates, type RunDisplay, watchMode } from "./run-view.ts";
import { watchRun } from "./watch-run.ts";

/** What a run on the command line needs. */
interface RunAndReportOptions {
  readonly store: Store;
  readonly settings: Settings;
  /** The thresholds of outcomes (default: those of the settings). */
  readonly thresholds?: readonly Threshold[];
  readonly display: RunDisplay;
  /** Finished conversations by subject, for a resumed run. */
  readonly finishedBefore?: ReadonlyMap<string, number>;
  /** Compares the run with a baseline when it has ended. */
  readonly gate?: Gate;
  /** The scenarios whose coverage is reported, and what of it must be reached. */
  readonly coverage?: CoverageWanted;
  /** Called when the run has ended, also after an interruption. */
  readonly onEnd?: (run: string) => Promise<void>;
}

/** Starts a run, shows its progress, handles Ctrl-C, and reports the results. */
export async function runAndReport(
  startRun: (signal: AbortSignal) => Run,
  options: RunAndReportOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  // A closed pipe, as with `| head`, must not end the process before the files are written.
  const stopListening = "onClosed" in terminal ? (terminal as ProcessTerminal).onClosed(() => {}) : undefined;
  try {
    return await watchAndReport(startRun, options, terminal);
  } finally {
    stopListening?.();
  }
}

async function watchAndReport(
  startRun: (signal: AbortSignal) => Run,
  options: RunAndReportOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const {
    store,
    settings,
    display,
    finishedBefore,
    gate,
    onEnd,
    thresholds = thresholdsOf(settings),
  } = options;
  if (settings.junit !== undefined) await refuseOutput(settings.junit, terminal);
  const abort = new AbortController();
  const run = stopIfAllFail(startRun(abort.signal));
  const { progress, interrupted } = await watchRun(run, {
    terminal,
    mode: watchMode(display, settings, terminal),
    abort,
    ...(finishedBefore === undefined ? {} : { finishedBefore }),
    ...("onClosed" in terminal ? { onClosed: (terminal as ProcessTerminal).onClosed } : {}),
  });
  // A run that has ended has started.
  const name = progress.start?.run as string;
  await onEnd?.(name);
  const summary = store.run(name);
  if (summary === undefined) throw new ProjectError([`The run ${name} was deleted while it was running.`]);
  const rates = runRates(store, summary);
  const { minDecided } = settings;
  const checked = interrupted
    ? []
    : [...testThresholds(rates, thresholds, minDecided), ...(gate?.(name, rates, minDecided) ?? [])];
  const isWhole = !interrupted && run.givenUp === undefined;
  const covered =
    options.coverage === undefined || !isWhole
      ? undefined
      : await runCoverage(options.coverage, { store, run: name, settings, display });
  await reportResults({ store, summary, rates, thresholds: checked, settings, display, covered }, terminal);
  const ending = {
    summary,
    interrupted,
    givenUp: run.givenUp,
    brokenJudge: run.brokenJudge,
    unreadableStored: settings.retryUnreadable ? 0 : run.unreadableStored,
    firstFailure: run.firstFailure,
    quiet: display.quiet,
  };
  const code = reportEnding(ending, terminal.messages);
  if (code !== 0) return code;
  return gateCode({ checked: [...checked, ...(covered?.results ?? [])], summary, settings });
}

/** The exit code of a run that has ended: thresholds and, if wanted, errors. */
export function gateCode({
  checked,
  summary,
  settings,
}: {
  readonly checked: readonly Pick<ThresholdResult, "passed" | "cannotDecide">[];
  readonly summary: RunSummary;
  readonly settings: Settings;
}): ExitCode {
  if (checked.some(({ cannotDecide }) => cannotDecide)) return 2;
  const isFine = checked.every(({ passed }) => passed) && !(settings.failOnErrors && hasErrors(summary));
  return isFine ? 0 : 1;
}

/** A judge that failed, or whose answers were too often unreadable, counts as an error, as does what was cut short or never began. */
function hasErrors({ start, arms = 0, statuses, judges }: RunSummary): boolean {
  return (
    countStatuses(statuses, isFinished) < start.conversations + arms ||
    judges.some(({ failed, isPoor }) => failed > 0 || isPoor)
  );
}

/** The results of a run, and how to print them. */
interface RunResults extends Pick<RunAndReportOptions, "store" | "settings" | "display"> {
  readonly summary: RunSummary;
  readonly rates: RunRates;
  readonly thresholds: readonly ThresholdResult[];
  readonly covered?: RunCoverage | undefined;
}

/** Writes the results of a run: tables, thresholds, a JUnit file, annotations. */
export async function reportResults(results: RunResults, terminal: Terminal): Promise<void> {
  const { store, summary, rates, thresholds, settings, display, covered } = results;
  const { run } = summary;
  // With --json, standard output has events only; with --quiet, one line only.
  const output = display.json || display.quiet ? terminal.messages : terminal.output;
  const line = summaryLine(rates, run);
  const layout = { style: output.style, width: output.width };
  const isAnnotated = annotates(display, terminal);
  // Between the two tokens, GitHub executes no workflow commands.
  const resume = isAnnotated ? stopCommands(output) : undefined;
  if (!display.quiet && !display.json) output.write(`\n${resultsText(rates, layout)}`);
  if (covered !== undefined) output.write(coveredText(covered, { ...layout, quiet: display.quiet }));
  const isMissed = thresholds.some(({ passed }) => !passed);
  if (isMissed || (thresholds.length > 0 && !display.quiet))
    output.write(`\n${thresholdText(thresholds, { ...layout, judges: rates.judges })}`);
  if (settings.junit !== undefined)
    await writeOutput(settings.junit, junitXml(store, run, thresholds), terminal);
  resume?.();
  if (isAnnotated)
    for (const annotation of githubAnnotations(store, run, { thresholds, summary: line }))
      output.data(annotation);
  if (display.quiet) (display.json ? terminal.messages : terminal.output).write(`${line}\n`);
  else if (!display.json) output.write(`\n${showCommand(run, output.width)}\n`);
}

/** Stops the commands of a workflow until the function that it returns is called. */
function stopCommands(output: Output): () => void {
  const token = randomUUID();
  output.data(`::stop-commands::${token}\n`);
  return () => output.data(`::${token}::\n`);
}

/** The command to show a run. A command is not wrapped, so that it can be copied. */
function showCommand(run: string, width: number): string {
  const show = `elenchus show ${runWord(run)}`;
  const both = `run ${printableText(run)} · ${show}`;
  return both.length <= width ? both : show;
}

/** The thresholds of outcomes. Settings are validated, so a threshold that cannot be read is not expected. */
export function thresholdsOf({ failUnder }: Pick<Settings, "failUnder">): readonly Threshold[] {
  return Object.entries(failUnder).map(([outcome, limit]) => {
    const threshold = parseThreshold(`${outcome}=${limit}`);
    if (typeof threshold === "string") throw new ProjectError([threshold]);
    return threshold;
  });
}

/** The scenarios of a run, and all scenarios without its filters. */
interface ScenarioChoice {
  readonly chosen: readonly ScenarioDefinition[];
  readonly all: () => Promise<readonly ScenarioDefinition[]>;
}

/**
 * The thresholds that apply to a run. A threshold for an unknown outcome is refused before the first call. A threshold whose scenarios
 * are not selected is left out, with a message.
 */
export async function usableThresholds(
  settings: Pick<Settings, "failUnder">,
  { chosen, all }: ScenarioChoice,
  messages: Output,
): Promise<readonly Threshold[]> {
  const thresholds = thresholdsOf(settings);
  refuseImpossible(thresholds, chosen);
  const present = outcomeNames(chosen);
  const missing = thresholds.filter(({ outcome }) => !present.has(outcome));
  if (missing.length === 0) return thresholds;
  const known = outcomeNames(await all());
  const unknown = missing.filter(({ outcome }) => !known.has(outcome));
  if (unknown.length > 0)
    throw new ProjectError(unknown.map(({ outcome }) => unknownOutcome(outcome, known)));
  for (const { outcome } of missing)
    messages.write(
      `The threshold of ${outcome} is left out: none of the chosen scenarios has this outcome.\n`,
    );
  return thresholds.filter((threshold) => !missing.includes(threshold));
}

/** A rate is between 0 and 1: a threshold of 90 can never be reached, one below 0 never missed. */
function refuseImpossible(thresholds: readonly Threshold[], scenarios: readonly ScenarioDefinition[]): void {
  const checks = scenarios.flatMap(({ outcomes }) => outcomes);
  const problems = thresholds.flatMap(({ outcome, minimum }) => {
    const own = checks.filter(({ name }) => name === outcome);
    const isRate = own.length > 0 && own.every(({ check }) => typeof check === "object" && !isMeasure(check));
    return isRate && (minimum < 0 || minimum > 1)
      ? [`The threshold ${outcome}=${minimum} must be a rate from 0 to 1, such as 0.9 or 90 %.`]
      : [];
  });
  if (problems.length > 0) throw new ProjectError(problems);
}

function outcomeNames(scenarios: readonly ScenarioDefinition[]): ReadonlySet<string> {
  return new Set(
    scenarios.flatMap(({ outcomes, rates }) => [
      ...outcomes.map(({ name }) => name),
      ...Object.keys(rates ?? {}),
    ]),
  );
}

function unknownOutcome(outcome: string, known: ReadonlySet<string>): string {
  const { nearest } = nearestOf(outcome, known);
  const there = known.size === 0 ? "They have none." : `There are ${[...known].join(", ")}.`;
  const hint = nearest === undefined ? there : `Did you mean "${nearest}"?`;
  return `A threshold is set for the outcome "${outcome}", which no scenario has. ${hint}`;
}
