import { cancelledError } from "./cancelled-error.ts";
import { onAbort } from "./on-abort.ts";

/** Time as the run sees it; comes in through the door, so that tests need not wait. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after a time; rejects as soon as the signal is aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** Does something after a time, unless the function that is returned is called before. */
  after(milliseconds: number, action: () => void): () => void;
}

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
