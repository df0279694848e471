import type { Clock } from "../../../core/environment.ts";
import { ModelError } from "../../models/model-error.ts";

/** `setTimeout` fires at once if asked for more. */
const LONGEST_TIMEOUT = 2 ** 31 - 1;

/** The time of the machine. It never goes backwards, even if the clock of the machine is set. */
export const systemClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  sleep: (milliseconds, signal) => sleepBy(systemClock, milliseconds, signal),
  after(milliseconds, action) {
    const timer = setTimeout(action, Math.min(Math.max(milliseconds, 0), LONGEST_TIMEOUT));
    return () => clearTimeout(timer);
  },
};

/** `sleep`, made of `after`. */
export function sleepBy(clock: Clock, milliseconds: number, signal?: AbortSignal): Promise<void> {
  if (signal === undefined) return new Promise((resolve) => clock.after(milliseconds, resolve));
  if (signal.aborted) return Promise.reject(cancelledError(signal));
  return new Promise((resolve, reject) => {
    const wake = (): void => {
      forget();
      resolve();
    };
    const cancel = clock.after(milliseconds, wake);
    const forget = onAbort(signal, () => {
      cancel();
      reject(cancelledError(signal));
    });
  });
}

const actions = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Runs an action when a signal is aborted; returns what removes it. Thousands of calls may wait for one signal, and removing a
 * listener takes linear time: so the signal gets a single listener, and the actions are a set.
 */
export function onAbort(signal: AbortSignal, action: () => void): () => void {
  let waiting = actions.get(signal);
  if (waiting === undefined) {
    const all = new Set<() => void>();
    waiting = all;
    actions.set(signal, all);
    signal.addEventListener("abort", () => runAll(all), { once: true });
  }
  waiting.add(action);
  return () => waiting.delete(action);
}

function runAll(all: Set<() => void>): void {
  for (const action of all) action();
  all.clear();
}

/** The error of a cancelled call: the reason of the signal if it is a `ModelError` (a time limit, a budget). */
export function cancelledError(signal: AbortSignal): ModelError {
  const reason: unknown = signal.reason;
  return reason instanceof ModelError
    ? reason
    : new ModelError("cancelled", "The call was cancelled.", { cause: reason });
}
