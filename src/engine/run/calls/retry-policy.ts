import type { ErrorCategory } from "../../models/model-error.ts";

/** How failures of one category are retried. */
export interface RetryPolicy {
  /** How often one call is retried after failures of this category. */
  readonly retries: number;
  /** The longest wait before the first retry; it doubles with each. */
  readonly baseMs: number;
  /** No wait is longer, unless the server asks for it. */
  readonly capMs: number;
}

/** The categories of failures that may be temporary. */
export type PassingCategory = Extract<
  ErrorCategory,
  "connection" | "timeout" | "rate_limit" | "server" | "bad_response"
>;

/** Retry policies by category. */
export type RetryPolicies = Readonly<Record<PassingCategory, RetryPolicy>>;

/** The defaults. After a refusal the whole account slows down, so the wait of the call itself can be short. */
export const DEFAULT_RETRIES: RetryPolicies = Object.freeze({
  connection: { retries: 3, baseMs: 500, capMs: 10_000 },
  timeout: { retries: 2, baseMs: 500, capMs: 10_000 },
  rate_limit: { retries: 20, baseMs: 100, capMs: 10_000 },
  server: { retries: 5, baseMs: 1_000, capMs: 30_000 },
  bad_response: { retries: 2, baseMs: 250, capMs: 5_000 },
});

/** How far calls that are asked to wait for the same time are spread, as a share of it. */
const SPREAD = 0.1;

/** The longest wait that a server may ask for. */
export const LONGEST_REQUESTED_MS = 600_000;

/** Counts the failures of one call, and says when to retry. */
export class RetryCount {
  readonly #policies: RetryPolicies;
  readonly #failures = new Map<ErrorCategory, number>();

  constructor(policies: RetryPolicies) {
    this.#policies = policies;
  }

  /**
   * How long to wait before the next attempt, or null if there is none; `random` from 0 to 1 spreads calls that failed together.
   * What is not the fault of the call does not count.
   */
  delayAfter(
    category: ErrorCategory,
    random: () => number,
    { retryAfterMs = 0, isCounted = true }: FailedAttempt = {},
  ): number | null {
    const policy = isPassing(category, this.#policies) ? this.#policies[category] : undefined;
    const failures = (this.#failures.get(category) ?? 0) + 1;
    if (policy === undefined || (isCounted && failures > policy.retries)) return null;
    if (isCounted) this.#failures.set(category, failures);
    const longest = Math.min(policy.baseMs * 2 ** (failures - 1), policy.capMs);
    const asked = Number.isFinite(retryAfterMs) ? Math.min(retryAfterMs, LONGEST_REQUESTED_MS) : 0;
    // After the wait that a server asks for, calls come back a little later, each at another time.
    return asked > 0 ? asked + random() * Math.min(asked * SPREAD, longest) : random() * longest;
  }
}

/** What is known of an attempt that failed. */
interface FailedAttempt {
  readonly retryAfterMs?: number | undefined;
  readonly isCounted?: boolean;
}

function isPassing(category: ErrorCategory, policies: RetryPolicies): category is PassingCategory {
  return Object.hasOwn(policies, category);
}
