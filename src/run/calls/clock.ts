import type { Clock } from "../../core/environment.ts";
import { ModelError } from "../../models/model-error.ts";

/** `setTimeout` fires at once if asked for more. */
const LONGEST_TIMEOUT = 2 ** 31 - 1;

/** The time of the machine, which never goes backwards here even if somebody sets its clock. */
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
 * Does something when a signal is aborted, unless the function that is returned is called before. Thousands of calls
 * may wait for one signal, whose own list of listeners is searched from end to end at each change: it gets just one.
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

/** Why a call was cancelled: what the signal says, if that is an error of ours; it may be a time limit or a budget. */
export function cancelledError(signal: AbortSignal): ModelError {
  const reason: unknown = signal.reason;
  return reason instanceof ModelError
    ? reason
    : new ModelError("cancelled", "The call was cancelled.", { cause: reason });
}
