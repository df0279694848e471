import type { Clock } from "../../../core/environment.ts";
import { systemClock } from "../../../engine/run/calls/clock.ts";
import type { Run } from "../../../engine/run/run-scenarios.ts";
import { RunProgress } from "../../../insight/report/data/run-progress.ts";
import type { Terminal } from "../../../system/terminal/terminal.ts";
import { STOP_SIGNALS } from "../command.ts";
import { runView, type WatchMode } from "./run-view.ts";

/** How a run is shown and stopped. */
export interface WatchOptions {
  readonly terminal: Terminal;
  readonly mode: WatchMode;
  /** The controller of the run's signal, aborted to stop at once. */
  readonly abort: AbortController;
  /** For a resumed run: see `finishedBefore`. */
  readonly finishedBefore?: ReadonlyMap<string, number>;
  /** Registers an action for when standard output is closed (see `ProcessTerminal`): the run then stops. */
  readonly onClosed?: (action: () => void) => () => void;
  readonly clock?: Clock;
  readonly signals?: SignalSource;
}

/** A run that has ended. */
export interface WatchedRun {
  readonly progress: RunProgress;
  /** True if a signal stopped it. */
  readonly interrupted: boolean;
}

const STOPPING = "Finishing calls under way; press Ctrl-C again to stop at once.\n";
const CUT_OFF = "Stopping at once.\n";
/** How long a run may use the thread before signals and timers are handled. */
const BREATH_MS = 50;

/** Starts a run, shows its progress, and stops it on Ctrl-C: the first finishes calls under way, the second stops at once. */
export async function watchRun(run: Run, options: WatchOptions): Promise<WatchedRun> {
  const { terminal, mode, abort, finishedBefore, onClosed, clock = systemClock, signals } = options;
  const progress = new RunProgress(finishedBefore === undefined ? {} : { finishedBefore });
  let interrupted = false;
  let isStopping = false;
  const view = runView({ mode, terminal, clock, progress, isStopping: () => isStopping });
  const stop = (): void => {
    isStopping = true;
    run.stop();
  };
  const stopListening = listenForStop({
    onFirst() {
      interrupted = true;
      // Set now, in case the terminal is closed and nothing can be printed later.
      if (signals === undefined) process.exitCode = 130;
      stop();
      view.print(STOPPING);
    },
    onSecond() {
      view.print(CUT_OFF);
      abort.abort();
    },
    clock,
    ...(signals === undefined ? {} : { source: signals }),
  });
  const forget = onClosed?.(stop);
  try {
    let breathAt = clock.now();
    for await (const event of run) {
      progress.apply(event);
      const room = view.show(event);
      if (room !== undefined) await room;
      if (clock.now() - breathAt < BREATH_MS) continue;
      // Simulated subjects answer at once, so nothing else would be handled until the end of the run.
      await new Promise((resolve) => setImmediate(resolve));
      breathAt = clock.now();
    }
  } finally {
    view.end();
    stopListening();
    forget?.();
  }
  return { progress, interrupted };
}

/** Actions for signals that stop the process. */
interface StopListener {
  /** At the first signal: finish the calls under way. */
  readonly onFirst: () => void;
  /** At the second: stop now. */
  readonly onSecond: () => void;
  readonly clock?: Clock;
  /** Default: the process. */
  readonly source?: SignalSource;
}

/** Where signals come from. */
export interface SignalSource {
  on(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown;
  off(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown;
  removeAllListeners(signal: NodeJS.Signals): unknown;
}

/** npm forwards a Ctrl-C that its children have received already; no person presses it twice in this time. */
const ECHO_MS = 100;
/** How long calls may still take after the terminal was closed: no second signal can come from it. */
const HANG_UP_MS = 3_000;

/**
 * Listens for Ctrl-C and the other signals that stop a process. After the second signal it stops listening, so that a third
 * ends a process that hangs. Returns a function that stops listening.
 */
export function listenForStop(listener: StopListener): () => void {
  const { onFirst, onSecond, clock = systemClock, source = process } = listener;
  let firstAt: number | undefined;
  let cancelTimer: (() => void) | undefined;
  const stopNow = (): void => {
    cancelTimer?.();
    leaveToSystem();
    onSecond();
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    if (firstAt === undefined) {
      firstAt = clock.now();
      onFirst();
      if (signal === "SIGHUP") cancelTimer = clock.after(HANG_UP_MS, stopNow);
    } else if (clock.now() - firstAt >= ECHO_MS) stopNow();
  };
  const stopListening = (): void => {
    cancelTimer?.();
    for (const signal of STOP_SIGNALS) source.off(signal, onSignal);
  };
  /** Removes the listeners, so that the next signal ends the process. */
  const leaveToSystem = (): void => {
    for (const signal of STOP_SIGNALS) source.removeAllListeners(signal);
  };
  for (const signal of STOP_SIGNALS) source.on(signal, onSignal);
  return stopListening;
}
