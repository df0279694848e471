/** What a part of a conversation took; cached answers cost nothing. */
export interface Spending {
  /** Calls that were made and may have been paid for: answered ones, and those in `unanswered`. A call that was refused is none. */
  readonly calls: number;
  /** Of these, calls that were sent and have no usable answer; their tokens and cost are estimated. Absent if there are none. */
  readonly unanswered?: number;
  /** Answers that were known already. */
  readonly cached: number;
  /** Null if a provider did not say. */
  readonly tokens: number | null;
  /** In USD; null if a price is unknown. */
  readonly cost: number | null;
}

/** Nothing was called. */
export const NOTHING_SPENT: Spending = Object.freeze({ calls: 0, cached: 0, tokens: 0, cost: 0 });

/** The sum of two parts; unknown where one of them is unknown. */
export function addSpending(left: Spending, right: Spending): Spending {
  if (right === NOTHING_SPENT) return left;
  if (left === NOTHING_SPENT) return right;
  const unanswered = (left.unanswered ?? 0) + (right.unanswered ?? 0);
  return {
    calls: left.calls + right.calls,
    ...(unanswered === 0 ? {} : { unanswered }),
    cached: left.cached + right.cached,
    tokens: left.tokens === null || right.tokens === null ? null : left.tokens + right.tokens,
    cost: left.cost === null || right.cost === null ? null : left.cost + right.cost,
  };
}
