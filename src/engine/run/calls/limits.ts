import type { Clock } from "../../../core/environment.ts";
import { errorMessage } from "../../../core/error-message.ts";
import { redactSecrets } from "../../../system/secrets/redact-secrets.ts";
import { requestStage } from "../../models/http/http-client.ts";
import type { RateLimitHints } from "../../models/model.ts";
import { type ErrorCategory, ModelError } from "../../models/model-error.ts";
import { AccountLimiter } from "./account-limiter.ts";
import type { AccountCaps, StartResult } from "./admission-control.ts";
import { cancelledError, onAbort } from "./clock.ts";
import type { OutageReport, Patience } from "./outage.ts";
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
  /** An attempt has no usable answer, although the server may have worked on it. */
  readonly onUnanswered?: () => void;
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
  /** How long servers may be away before calls fail (default 10 minutes). */
  readonly patience?: Patience;
  /** Called when calls of an account begin to wait for its server, and when that ends. */
  readonly onOutage?: (report: OutageReport) => void;
}

/** Makes the calls of a run: as many at a time as each account accepts, with retries and time limits. */
export class Limits {
  readonly #options: LimitsOptions;
  readonly #retries: RetryPolicies;
  readonly #accounts = new Map<string, AccountLimiter>();
  readonly #stopping = new AbortController();
  /** How many processes share the caps of an account. */
  #workers: (account: string) => number = () => 1;

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
    const { signal, timeoutMs, key, onUnanswered } = options;
    const account = this.#account(options.account);
    let count: RetryCount | undefined;
    let firstRefusal: number | undefined;
    let isOneOfMany = false;
    for (let attempts = 1; ; attempts++) {
      const start =
        (signal.aborted ? null : account.tryStart()) ??
        (await this.#waiting(signal, (either) => account.wait(either, attempts > 1)));
      isOneOfMany ||= account.inFlight > 1;
      let result: StartResult = { kind: "other" };
      let failure: ModelError;
      try {
        const reply = await limitedAttempt(attempt, {
          ...{ clock, signal, timeoutMs, onUnanswered },
          advice: () => {
            isOneOfMany ||= account.inFlight > 1;
            return isOneOfMany && LOOPBACK.test(options.account) ? LOCAL_ADVICE : "";
          },
        });
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
      // While the server is away, or its limit is reached, that is not the fault of the call.
      const isWaiting = result.kind === "away" && account.isAway;
      firstRefusal ??= category === "rate_limit" ? clock.now() : undefined;
      const isRefused = category === "rate_limit" && account.isPatient(clock.now() - (firstRefusal ?? 0));
      const isCounted = !isWaiting && !isRefused;
      const jitter = (): number => (isWaiting ? 0 : random(`${key} ${attempts}`));
      const delayMs = count.delayAfter(category, jitter, { retryAfterMs, isCounted });
      if (delayMs === null || failure.isLasting) throw failure;
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

  /** Divides the caps of accounts among processes. Each makes one call at a time at least, or it would never end. */
  share(workers: (account: string) => number): void {
    this.#workers = workers;
    for (const [name, account] of this.#accounts) account.setCaps(this.#capsOf(name) ?? {});
  }

  #capsOf(name: string): AccountCaps | undefined {
    const { maxConcurrency, requestsPerSecond } = capsFor(name, this.#options.caps ?? {}) ?? {};
    const workers = Math.max(1, this.#workers(name));
    return {
      ...(maxConcurrency === undefined
        ? {}
        : { maxConcurrency: Math.max(1, Math.floor(maxConcurrency / workers)) }),
      ...(requestsPerSecond === undefined ? {} : { requestsPerSecond: requestsPerSecond / workers }),
    };
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
      const { clock, defaultMaxConcurrency, patience, onOutage } = this.#options;
      account = new AccountLimiter(clock, {
        caps: this.#capsOf(name),
        highest: defaultMaxConcurrency,
        ...(patience === undefined ? {} : { patience }),
        onOutage: (report) => onOutage?.({ account: name, ...report }),
      });
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

/** Statuses with which gateways say that the server behind them is away. */
const AWAY: ReadonlySet<number | undefined> = new Set([502, 503, 504, 521, 522, 523]);
/** Failures that only a server can cause. */
const ANSWERS: readonly ErrorCategory[] = ["authentication", "permission", "not_found", "bad_request"];

/** What a failure says about its account. */
function resultOf(failure: ModelError): StartResult {
  const { category, retryAfterMs, statusCode, message } = failure;
  if (category === "rate_limit") return { kind: "refused", retryAfterMs };
  const isAway = category === "connection" && !failure.isLasting;
  if (isAway || (category === "server" && AWAY.has(statusCode)))
    return { kind: "away", message, retryAfterMs };
  const isTrouble = Object.hasOwn(DEFAULT_RETRIES, category);
  return isTrouble
    ? { kind: "trouble", retryAfterMs }
    : { kind: "other", isAnswer: ANSWERS.includes(category) };
}

function asModelError(error: unknown): ModelError {
  if (error instanceof ModelError) return error;
  return new ModelError("internal", redactSecrets(errorMessage(error)), { cause: error });
}

/** What may end an attempt early. */
interface AttemptLimits {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly timeoutMs: number | null;
  readonly onUnanswered?: (() => void) | undefined;
  /** What to do if it takes too long. */
  readonly advice?: () => string;
}

/** The account of a model on this computer, such as one of Ollama. */
const LOOPBACK = /(?:^| )https?:\/\/(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?=[:/]|$)/i;
const LOCAL_ADVICE =
  " A model on your own computer may answer only one request at a time: use --concurrency 1, or more time, such as --set timeouts.callMs=600000.";

/**
 * Makes one attempt, which ends with the signal or the time limit even if it does not listen to its own signal.
 * Its later result is ignored.
 */
export function limitedAttempt<Reply>(
  attempt: (signal: AbortSignal) => Promise<Reply>,
  { clock, signal, timeoutMs, onUnanswered, advice = () => "" }: AttemptLimits,
): Promise<Reply> {
  if (signal.aborted) return Promise.reject(cancelledError(signal));
  return new Promise((resolve, reject) => {
    const controller = new AbortController();
    const stop = (error: ModelError): void => {
      rest();
      reject(error);
      if (requestStage(controller.signal) !== "waiting") onUnanswered?.();
      controller.abort(error);
    };
    const forget = onAbort(signal, () => stop(cancelledError(signal)));
    const disarm =
      timeoutMs === null ? undefined : clock.after(timeoutMs, () => stop(timeoutError(timeoutMs, advice())));
    const rest = (): void => {
      forget();
      disarm?.();
    };
    const fail = (error: unknown): void => {
      rest();
      if (isUnanswered(error, controller.signal)) onUnanswered?.();
      reject(error);
    };
    try {
      Promise.resolve(attempt(controller.signal)).then(
        (reply) => {
          rest();
          resolve(reply);
        },
        (error: unknown) => {
          if (!controller.signal.aborted) fail(error);
        },
      );
    } catch (error) {
      fail(error);
    }
  });
}

/** False of refusals: nobody charges for an answer such as 429 or 500. */
function isUnanswered(error: unknown, signal: AbortSignal): boolean {
  if (!(error instanceof ModelError)) return false;
  return (
    error.category === "bad_response" || (error.category === "connection" && requestStage(signal) === "sent")
  );
}

function timeoutError(timeoutMs: number, advice: string): ModelError {
  return new ModelError("timeout", `There was no answer within ${timeoutMs / 1_000} s.${advice}`);
}
