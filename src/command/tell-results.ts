import { resolve } from "node:path";
import { writeWholeFile } from "../cassette/write-whole-file.ts";
import type { RunSummary, Store } from "../journal/store.ts";
import type { Settings } from "../project/settings.ts";
import type { ThresholdResult } from "../report/check-thresholds.ts";
import { githubAnnotations } from "../report/github-annotations.ts";
import { junitXml } from "../report/junit-xml.ts";
import type { OutcomeRates } from "../report/outcome-rates.ts";
import { resultsText } from "../report/results-text.ts";
import { summaryLine } from "../report/summary-line.ts";
import { thresholdText } from "../report/threshold-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { annotates, type RunDisplay } from "./run-display.ts";

/** What there is to tell of a run. */
export interface RunResults {
  readonly store: Store;
  readonly summary: RunSummary;
  readonly rates: OutcomeRates;
  readonly thresholds: readonly ThresholdResult[];
  readonly settings: Settings;
  readonly display: RunDisplay;
}

/** Tells what came of a run, to whoever is to know: a person, a pipe, a JUnit file, GitHub. */
export async function tellResults(results: RunResults, terminal: Terminal): Promise<void> {
  const { store, summary, rates, thresholds, settings, display } = results;
  const { run } = summary;
  // Standard output is for events where they are asked for, and for one line where nothing else is.
  const output = display.json || display.quiet ? terminal.messages : terminal.output;
  const line = summaryLine(rates, run);
  const layout = { style: output.style, width: output.width };
  if (!display.quiet && !display.json) output.write(`\n${resultsText(rates, layout)}`);
  const isMissed = thresholds.some(({ passed }) => !passed);
  if (isMissed || (thresholds.length > 0 && !display.quiet))
    output.write(`\n${thresholdText(thresholds, layout)}`);
  if (settings.junit !== undefined)
    await writeWholeFile(resolve(terminal.folder, settings.junit), junitXml(store, run, thresholds));
  if (annotates(display, terminal))
    for (const annotation of githubAnnotations(store, run, { thresholds, summary: line }))
      output.write(annotation);
  if (display.quiet) (display.json ? terminal.messages : terminal.output).write(`${line}\n`);
  else if (!display.json) output.write(`\n${howToLook(run, output.width)}\n`);
}

/** A command that is to be copied is not broken up. */
function howToLook(run: string, width: number): string {
  const show = `elenchus show ${run}`;
  const both = `run ${run} · ${show}`;
  return both.length <= width ? both : show;
}
