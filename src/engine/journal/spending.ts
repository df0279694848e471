import { either, integerFrom, nothing, number, object, type TypeOf } from "../../core/schema/shape.ts";

const count = integerFrom(0);

/** What a part of a conversation took; cached answers cost nothing. */
export const SPENDING = object(
  "spending",
  {
    /** Calls that were made and may have been paid for: answered ones, and those in `unanswered`. A call that was refused is none. */
    calls: count,
    /** Answers that were known already. */
    cached: count,
    /** Null if a provider did not say. */
    tokens: either(count, nothing),
    /** In USD; null if a price is unknown. */
    cost: either(number, nothing),
  },
  {
    optional: {
      /** Calls that were sent and have no usable answer; their tokens and cost are estimated. Absent if there are none. */
      unanswered: count,
    },
  },
);

/** What a part of a conversation took; cached answers cost nothing. */
export type Spending = TypeOf<typeof SPENDING>;

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
