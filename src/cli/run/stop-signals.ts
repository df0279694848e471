import type { Clock } from "../../core/values/environment.ts";
import { systemClock } from "../../run/calls/clock.ts";

/** What to do when somebody wants the process to stop. */
export interface StopListener {
  /** At the first signal: come to an end in good order. */
  readonly onFirst: () => void;
  /** At the second: stop now. */
  readonly onSecond: () => void;
  readonly clock?: Clock;
  /** Default: the process. */
  readonly source?: SignalSource;
}

/** Where signals come from. */
export interface SignalSource {
  on(signal: NodeJS.Signals, listener: () => void): unknown;
  off(signal: NodeJS.Signals, listener: () => void): unknown;
}

const STOP_SIGNALS: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];
/** npm passes on to its children the Ctrl-C that they have got already; no person presses it twice in this time. */
const ECHO_MS = 100;

/**
 * Listens for Ctrl-C and for whoever ends the process from outside. After the second signal nobody listens any more, so that
 * a third ends a process that hangs. Gives a function that stops listening.
 */
export function listenForStop(listener: StopListener): () => void {
  const { onFirst, onSecond, clock = systemClock, source = process } = listener;
  let firstAt: number | undefined;
  const onSignal = (): void => {
    if (firstAt === undefined) {
      firstAt = clock.now();
      onFirst();
    } else if (clock.now() - firstAt >= ECHO_MS) {
      stopListening();
      onSecond();
    }
  };
  const stopListening = (): void => {
    for (const signal of STOP_SIGNALS) source.off(signal, onSignal);
  };
  for (const signal of STOP_SIGNALS) source.on(signal, onSignal);
  return stopListening;
}
