import type { Clock } from "../../core/environment.ts";
import { errorMessage } from "../../core/error-message.ts";
import type { RateLimitHints } from "../../models/model.ts";
import { type ErrorCategory, ModelError } from "../../models/model-error.ts";
import { redactSecrets } from "../../secrets/redact-secrets.ts";
import { AccountLimiter } from "./account-limiter.ts";
import type { AccountCaps, StartResult } from "./admission-control.ts";
import { cancelledError, onAbort } from "./clock.ts";
import { DEFAULT_RETRIES, RetryCount, type RetryPolicies } from "./retry-policy.ts";

export type { AccountCaps } from "./admission-control.ts";
export type { RetryPolicies, RetryPolicy } from "./retry-policy.ts";

/** An attempt that failed and is retried. */
export interface Retry {
  /** The attempt that failed, from 1. */
  readonly attempt: number;
  readonly category: ErrorCategory;
  /** How long the call waits before it queues again. */
  readonly delayMs: number;
  readonly message: string;
  readonly statusCode?: number;
}

/** How one call is made. */
export interface LimitedCall {
  readonly account: string;
  /** Identifies the call, for the random part of retry delays. */
  readonly key: string;
  readonly signal: AbortSignal;
  /** For one attempt, without the time in the queue. */
  readonly timeoutMs: number | null;
  readonly onRetry?: (retry: Retry) => void;
  /** Called each time an attempt really starts. */
  readonly onStart?: () => void;
}

/** What all limits of a run depend on. */
export interface LimitsOptions {
  readonly clock: Clock;
  /** A number from 0 to 1, always the same for the same key. */
  readonly random: (key: string) => number;
  readonly retries?: Partial<RetryPolicies> | undefined;
  readonly caps?: Readonly<Record<string, AccountCaps>> | undefined;
  /** For accounts without a cap of their own. */
  readonly defaultMaxConcurrency?: number | undefined;
}

/** Makes the calls of a run: as many at a time as each account accepts, with retries and time limits. */
export class Limits {
  readonly #options: LimitsOptions;
  readonly #retries: RetryPolicies;
  readonly #accounts = new Map<string, AccountLimiter>();
  readonly #stopping = new AbortController();

  constructor(options: LimitsOptions) {
    this.#options = options;
    this.#retries = { ...DEFAULT_RETRIES, ...options.retries };
  }

  /** Makes a call; throws `ModelError` if there is no answer after all retries. */
  async call<Reply extends { readonly rateLimit?: RateLimitHints }>(
    attempt: (signal: AbortSignal) => Promise<Reply>,
    options: LimitedCall,
  ): Promise<{ readonly reply: Reply; readonly attempts: number }> {
    const { clock, random } = this.#options;
    const { signal, timeoutMs, key } = options;
    const account = this.#account(options.account);
    let count: RetryCount | undefined;
    for (let attempts = 1; ; attempts++) {
      const start =
        (signal.aborted ? null : account.tryStart()) ??
        (await this.#waiting(signal, (either) => account.wait(either, attempts > 1)));
      let result: StartResult = { kind: "other" };
      let failure: ModelError;
      try {
        options.onStart?.();
        const reply = await limitedAttempt(attempt, { clock, signal, timeoutMs });
        result = { kind: "success", hints: reply?.rateLimit };
        return { reply, attempts };
      } catch (error) {
        failure = asModelError(error);
        result = resultOf(failure);
      } finally {
        account.finish(start, result);
      }
      // The caller has given up, even if the failure could be retried.
      if (signal.aborted) throw failure;
      const { category, message, statusCode, retryAfterMs } = failure;
      count ??= new RetryCount(this.#retries);
      const delayMs = count.delayAfter(category, () => random(`${key} ${attempts}`), retryAfterMs);
      if (delayMs === null) throw failure;
      options.onRetry?.({
        attempt: attempts,
        category,
        delayMs,
        message,
        ...(statusCode === undefined ? {} : { statusCode }),
      });
      await this.#waiting(signal, (either) => clock.sleep(delayMs, either));
    }
  }

  /** Cancels all calls that wait, now and later; calls in flight finish and are not retried. */
  stopWaiting(reason: ModelError): void {
    this.#stopping.abort(reason);
  }

  /** Waits until the call or the run is stopped. */
  async #waiting<Result>(
    signal: AbortSignal,
    wait: (either: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const either = new AbortController();
    const stops = [signal, this.#stopping.signal];
    const forgets = stops.map((stop) => onAbort(stop, () => either.abort(stop.reason)));
    for (const stop of stops) if (stop.aborted) either.abort(stop.reason);
    try {
      return await wait(either.signal);
    } finally {
      for (const forget of forgets) forget();
    }
  }

  #account(name: string): AccountLimiter {
    let account = this.#accounts.get(name);
    if (account === undefined) {
      const { clock, caps = {}, defaultMaxConcurrency } = this.#options;
      const own = capsFor(name, caps);
      account = new AccountLimiter(clock, own, defaultMaxConcurrency);
      this.#accounts.set(name, account);
    }
    return account;
  }
}

/** The caps of an account by its name, or by the provider that its name begins with: `openai` for all keys of it. */
function capsFor(name: string, caps: Readonly<Record<string, AccountCaps>>): AccountCaps | undefined {
  const [provider = name] = name.split(" ");
  const key = [name, provider].find((known) => Object.hasOwn(caps, known));
  return key === undefined ? undefined : caps[key];
}

/** What a failure says about the limits of its account. */
function resultOf({ category, retryAfterMs }: ModelError): StartResult {
  if (category === "rate_limit") return { kind: "refused", retryAfterMs };
  const isTrouble = Object.hasOwn(DEFAULT_RETRIES, category);
  return isTrouble ? { kind: "trouble", retryAfterMs } : { kind: "other" };
}

function asModelError(error: unknown): ModelError {
  if (error instanceof ModelError) return error;
  return new ModelError("internal", redactSecrets(errorMessage(error)), { cause: error });
}

/** What may end an attempt early. */
export interface AttemptLimits {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly timeoutMs: number | null;
}

/**
 * Makes one attempt, which ends with the signal or the time limit even if it does not listen to its own signal.
 * Its later result is ignored.
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
