import type { Clock } from "../../core/values/environment.ts";
import { cancelledError } from "./cancelled-error.ts";
import { onAbort } from "./on-abort.ts";

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
