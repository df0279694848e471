import { randomUUID } from "node:crypto";
import { countStatuses, isFinished } from "../../../core/state/state.ts";
import { withoutUndefined } from "../../../core/values/json.ts";
import type { RunSummary, Store } from "../../../engine/journal/store/store.ts";
import type { Run } from "../../../engine/run/run-scenarios.ts";
import { githubAnnotations } from "../../../insight/report/ci/github-annotations.ts";
import { junitXml } from "../../../insight/report/ci/junit-xml.ts";
import { type RunRates, runRates } from "../../../insight/report/data/run-rates.ts";
import {
  type Threshold,
  type ThresholdResult,
  testThresholds,
} from "../../../insight/report/data/thresholds.ts";
import { resultsText } from "../../../insight/report/text/results-text.ts";
import { summaryLine } from "../../../insight/report/text/summary-line.ts";
import { thresholdText } from "../../../insight/report/text/threshold-text.ts";
import { printableText, runWord } from "../../../system/terminal/printable-text.ts";
import type { ProcessTerminal } from "../../../system/terminal/process-terminal.ts";
import type { Terminal } from "../../../system/terminal/terminal.ts";
import { ProjectError } from "../../project/project-error.ts";
import type { Settings } from "../../project/settings.ts";
import type { ExitCode, RunDisplay } from "../command.ts";
import { type CoverageWanted, coveredText, type RunCoverage, runCoverage } from "../look/coverage.ts";
import { refuseOutput, writeOutput } from "../write-output.ts";
import type { Gate } from "./baseline-gate.ts";
import { reportEnding, stopIfAllFail } from "./run-ending.ts";
import { annotates, watchMode } from "./run-view.ts";
import { thresholdsOf } from "./thresholds.ts";
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
  const { store, settings, display, finishedBefore, gate, coverage, onEnd } = options;
  const { thresholds = thresholdsOf(settings) } = options;
  if (settings.junit !== undefined) await refuseOutput(settings.junit, terminal);
  const onClosed = "onClosed" in terminal ? (terminal as ProcessTerminal).onClosed : undefined;
  // A closed pipe, as with `| head`, must not end the process before the files are written.
  const stopListening = onClosed?.(() => {});
  try {
    const abort = new AbortController();
    const { run, trouble } = stopIfAllFail(startRun(abort.signal));
    const mode = watchMode(display, settings, terminal);
    const watching = { terminal, mode, abort, ...withoutUndefined({ finishedBefore, onClosed }) };
    const { progress, interrupted } = await watchRun(run, watching);
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
    const isWhole = !interrupted && trouble.givenUp === undefined;
    const covered =
      coverage && isWhole ? await runCoverage(coverage, { store, run: name, settings, display }) : undefined;
    await reportResults({ store, summary, rates, thresholds: checked, settings, display, covered }, terminal);
    const unreadableStored = settings.retryUnreadable ? 0 : trouble.unreadableStored;
    const ending = { ...trouble, unreadableStored, summary, interrupted, quiet: display.quiet };
    const code = reportEnding(ending, terminal.messages);
    if (code !== 0) return code;
    return gateCode({ checked: [...checked, ...(covered?.results ?? [])], summary, settings });
  } finally {
    stopListening?.();
  }
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
  const token = randomUUID();
  if (isAnnotated) output.data(`::stop-commands::${token}\n`);
  if (!display.quiet && !display.json) output.write(`\n${resultsText(rates, layout)}`);
  if (covered !== undefined) output.write(coveredText(covered, { ...layout, quiet: display.quiet }));
  const isMissed = thresholds.some(({ passed }) => !passed);
  if (isMissed || (thresholds.length > 0 && !display.quiet))
    output.write(`\n${thresholdText(thresholds, { ...layout, judges: rates.judges })}`);
  if (settings.junit !== undefined)
    await writeOutput(settings.junit, junitXml(store, run, thresholds), terminal);
  if (isAnnotated) {
    output.data(`::${token}::\n`);
    for (const annotation of githubAnnotations(store, run, { thresholds, summary: line }))
      output.data(annotation);
  }
  if (display.quiet) (display.json ? terminal.messages : terminal.output).write(`${line}\n`);
  else if (!display.json) {
    // A command is not wrapped, so that it can be copied.
    const show = `elenchus show ${runWord(run)}`;
    const both = `run ${printableText(run)} · ${show}`;
    output.write(`\n${both.length <= output.width ? both : show}\n`);
  }
}
