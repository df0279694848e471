import type { Run } from "../engine/run-scenarios.ts";
import type { RunSummary, Store } from "../journal/store.ts";
import { ProjectError } from "../project/project-error.ts";
import type { Settings } from "../project/settings.ts";
import { checkThresholds } from "../report/check-thresholds.ts";
import { runRates } from "../report/run-rates.ts";
import type { Threshold } from "../report/threshold.ts";
import type { ProcessTerminal } from "../terminal/process-terminal.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { ExitCode } from "./exit-code.ts";
import { stopIfHopeless } from "./hopeless-run.ts";
import { sayHowItEnded } from "./how-it-ended.ts";
import { type RunDisplay, watchMode } from "./run-display.ts";
import { tellResults } from "./tell-results.ts";
import { thresholdsOf } from "./thresholds-of.ts";
import { watchRun } from "./watch-run.ts";

/** What is needed to hold a run on the command line. */
export interface HoldOptions {
  readonly store: Store;
  readonly settings: Settings;
  /** What outcomes must reach (default: what the settings say). */
  readonly thresholds?: readonly Threshold[];
  readonly display: RunDisplay;
  /** Finished conversations by subject, where a run is taken up again. */
  readonly finishedBefore?: ReadonlyMap<string, number>;
  /** Done when the run has come to its end, in whatever way. */
  readonly onEnd?: (run: string) => Promise<void>;
}

/** Holds a run, watched by a person who may stop it, and then says what came of it. */
export async function holdRun(
  begin: (signal: AbortSignal) => Run,
  options: HoldOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const { store, settings, display, finishedBefore, onEnd, thresholds = thresholdsOf(settings) } = options;
  const abort = new AbortController();
  const run = stopIfHopeless(begin(abort.signal));
  const { progress, interrupted } = await watchRun(run, {
    terminal,
    mode: watchMode(display, settings, terminal),
    abort,
    ...(finishedBefore === undefined ? {} : { finishedBefore }),
    ...("onClosed" in terminal ? { onClosed: (terminal as ProcessTerminal).onClosed } : {}),
  });
  // A run that was watched to its end has begun.
  const name = progress.start?.run as string;
  await onEnd?.(name);
  const summary = store.run(name);
  if (summary === undefined) throw new ProjectError([`The run ${name} was deleted while it was held.`]);
  const rates = runRates(store, summary);
  const checked = interrupted ? [] : checkThresholds(rates, thresholds);
  await tellResults({ store, summary, rates, thresholds: checked, settings, display }, terminal);
  const ending = {
    summary,
    interrupted,
    givenUp: run.givenUp,
    firstFailure: run.firstFailure,
    quiet: display.quiet,
  };
  const code = sayHowItEnded(ending, terminal.messages);
  if (code !== 0) return code;
  const isFine = checked.every(({ passed }) => passed) && !(settings.failOnErrors && hasErrors(summary));
  return isFine ? 0 : 1;
}

function hasErrors({ statuses }: RunSummary): boolean {
  return (statuses.error ?? 0) + (statuses.timeout ?? 0) > 0;
}
