import type { Clock } from "../../core/values/environment.ts";
import { ModelError } from "../../models/model-error.ts";
import { cancelledError } from "./cancelled-error.ts";
import { onAbort } from "./on-abort.ts";

/** What ends an attempt before its time. */
export interface AttemptLimits {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly timeoutMs: number | null;
}

/**
 * Makes one attempt, which ends with the signal or the time limit even if it does not listen to its own signal.
 * What comes of it later is nobody's business any more.
 */
export function limitedAttempt<Reply>(
  attempt: (signal: AbortSignal) => Promise<Reply>,
  { clock, signal, timeoutMs }: AttemptLimits,
): Promise<Reply> {
  if (signal.aborted) return Promise.reject(cancelledError(signal));
  return new Promise((resolve, reject) => {
    const controller = new AbortController();
    const stop = (error: ModelError): void => {
      rest();
      reject(error);
      controller.abort(error);
    };
    const forget = onAbort(signal, () => stop(cancelledError(signal)));
    const disarm =
      timeoutMs === null ? undefined : clock.after(timeoutMs, () => stop(timeoutError(timeoutMs)));
    const rest = (): void => {
      forget();
      disarm?.();
    };
    const fail = (error: unknown): void => {
      rest();
      reject(error);
    };
    try {
      Promise.resolve(attempt(controller.signal)).then((reply) => {
        rest();
        resolve(reply);
      }, fail);
    } catch (error) {
      fail(error);
    }
  });
}

function timeoutError(timeoutMs: number): ModelError {
  return new ModelError("timeout", `There was no answer within ${timeoutMs / 1_000} s.`);
}
