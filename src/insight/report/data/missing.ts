import { countStatuses, isFinished } from "../../../core/state/state.ts";
import { twoProportionZ } from "../../../core/statistics/proportions.ts";
import { POOR_SHARE } from "../../../engine/journal/judge-health.ts";
import type { SubjectTotal, Tested } from "./subject-totals.ts";

/** How many of some things. */
interface Part {
  readonly count: number;
  readonly of: number;
}

/** What counts in no rate. */
export interface Missing {
  /** Conversations that an error, a limit, a record or a simulated user ended early, of all that ended. */
  readonly unfinished: Part;
  /** Replies without a verdict, of those to questions with a template. */
  readonly unread: Part;
}

/** What is missing of some conversations. */
export function missingOf({ ended, statuses, turns }: Omit<SubjectTotal, keyof Tested>): Missing {
  const unread = turns.unreadable + turns.unjudged;
  return {
    unfinished: { count: countStatuses(statuses, (status) => !isFinished(status)), of: ended },
    unread: { count: unread, of: turns.passed + turns.failed + unread },
  };
}

const LEVEL = 0.05;

/**
 * Those whose share is worth a warning, the largest first: above 5 %, or, where the shares of two differ by more than chance explains
 * (two proportions, adjusted for the number of pairs), the two that differ most. Empty if there are none.
 */
export function conspicuous<One>(all: readonly One[], partOf: (one: One) => Part): readonly One[] {
  const shareOf = (one: One): number => partOf(one).count / partOf(one).of;
  // A store may be damaged.
  const sorted = all
    .filter((one) => partOf(one).of > 0 && Number.isSafeInteger(partOf(one).of))
    .sort((one, other) => shareOf(other) - shareOf(one));
  const [largest, smallest] = [sorted[0], sorted.at(-1)];
  if (largest === undefined || smallest === undefined) return [];
  const [a, b] = [partOf(largest), partOf(smallest)];
  const pairs = (sorted.length * (sorted.length - 1)) / 2;
  const differ = (twoProportionZ(a.count, a.of, b.count, b.of)?.p ?? 1) * pairs < LEVEL;
  const high = sorted.filter((one) => shareOf(one) > POOR_SHARE);
  return [...new Set([...high, ...(differ && pairs > 0 ? [largest, smallest] : [])])];
}
