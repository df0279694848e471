/** Why there is no answer. The first five may be temporary, and are retried. */
export const ERROR_CATEGORIES = [
  "connection",
  "timeout",
  "rate_limit",
  "server",
  // What came back is not what the protocol says: broken JSON, a page instead of data.
  "bad_response",
  "authentication",
  "permission",
  "not_found",
  "bad_request",
  // A recording has no such call.
  "cassette_miss",
  // A tool, or its server, could not be used.
  "tool",
  // The user's own code threw: an agent, a handover.
  "author",
  "cancelled",
  "budget",
  // A recorded conversation does not fit the scenario.
  "mismatch",
  // A simulated user broke its contract.
  "contract",
  // A mistake of ours.
  "internal",
] as const;

/** Why there is no answer. */
export type ErrorCategory = (typeof ERROR_CATEGORIES)[number];

const PASSING: readonly ErrorCategory[] = ["connection", "timeout", "rate_limit", "server", "bad_response"];

/** There is no answer; the message is fit for a report, without secrets. */
export class ModelError extends Error {
  override readonly name = "ModelError";
  readonly category: ErrorCategory;
  readonly statusCode?: number;
  /** How long the server asks to wait. */
  readonly retryAfterMs?: number;
  /** True if the same would happen again, though failures of this category are often temporary: a wrong certificate. */
  readonly isLasting: boolean;

  constructor(
    category: ErrorCategory,
    message: string,
    options: {
      readonly cause?: unknown;
      readonly statusCode?: number;
      readonly retryAfterMs?: number;
      readonly isLasting?: boolean;
    } = {},
  ) {
    super(message, "cause" in options ? { cause: options.cause } : {});
    this.category = category;
    if (options.statusCode !== undefined) this.statusCode = options.statusCode;
    if (options.retryAfterMs !== undefined) this.retryAfterMs = options.retryAfterMs;
    this.isLasting = options.isLasting ?? false;
  }

  /** True if trying again may help. */
  get passing(): boolean {
    return PASSING.includes(this.category) && !this.isLasting;
  }
}
