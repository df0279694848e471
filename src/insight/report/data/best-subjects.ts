import { memoize } from "../../../core/lazy.ts";
import { RunError } from "../../../engine/journal/failure.ts";
import { POOR_SHARE } from "../../../engine/journal/judge-health.ts";
import type { ConversationScore } from "../../../engine/journal/store/store.ts";
import { type Comparison, compareAll, type Side } from "./compare-sides.ts";
import type { RatedOutcome } from "./rates.ts";
import { testedKey } from "./run-counts.ts";
import type { RunFacts } from "./run-facts.ts";

/** Comparing all pairs of more subjects takes too long for a table. */
const MOST = 8;
const LEVEL = 0.05;

/**
 * By outcome with a direction (`good`), the subject that is better than every other one in adjusted paired comparisons, whatever the
 * undecided conversations really were; empty with several judges, or more than eight subjects. As `testedKey`.
 */
export function bestSubjects(
  scores: readonly ConversationScore[],
  outcomes: readonly RatedOutcome[],
  facts: RunFacts,
): ReadonlyMap<string, string> {
  const best = new Map<string, string>();
  const bySubject = Map.groupBy(scores, ({ subject }) => subject);
  const judges = new Set(scores.map(({ judge }) => judge));
  if (bySubject.size < 2 || bySubject.size > MOST || judges.size !== 1) return best;
  // With one item only, no comparison has a p-value.
  if (new Set(scores.map(({ item }) => item)).size < 2) return best;
  if (![...facts.rates.keys(), ...facts.outcomes].some((name) => directionOf(name, facts) !== undefined))
    return best;
  const sides = [...bySubject].map(([label, own]): Side => ({ label, scores: () => own, facts, judges: 1 }));
  const pairs = sides.flatMap((a, i) => sides.slice(i + 1).map((b) => [a, b] as const));
  // How often each subject wins, by outcome.
  const wins = new Map<string, Map<string, number>>();
  for (const { a, b, lines } of comparedOrNone(pairs))
    for (const { name, adjusted, difference } of lines) {
      const isGood = directionOf(name, facts);
      if (isGood === undefined || (adjusted ?? 1) >= LEVEL || difference === null) continue;
      const winner = difference > 0 === isGood ? b : a;
      const counts = memoize(wins, name, () => new Map<string, number>());
      counts.set(winner, (counts.get(winner) ?? 0) + 1);
    }
  const [judge = ""] = judges;
  for (const [name, counts] of wins)
    for (const [subject, count] of counts) {
      const own = outcomes.filter(({ outcome }) => outcome === name);
      const standsOut = own.every((rated) => isApart(rated, subject, directionOf(name, facts)));
      if (count === sides.length - 1 && standsOut) best.set(name, testedKey({ subject, judge }));
    }
  return best;
}

/**
 * True if the bounds of the best subject do not overlap with those of any other, so that nothing undecided can change who is best. A number
 * has no bounds: then at most 5 % may be undecided.
 */
function isApart({ kind, lines }: RatedOutcome, winner: string, isGood: boolean | undefined): boolean {
  const counted = lines.filter(({ n, inconclusive, errors }) => n + inconclusive + errors > 0);
  if (kind !== "rate")
    return counted.every(({ n, inconclusive, errors }) => {
      const open = inconclusive + errors;
      return open / (n + open) <= POOR_SHARE;
    });
  const spans = counted.map(({ estimate, bounds, group }) => ({
    low: bounds?.low ?? estimate ?? 0,
    high: bounds?.high ?? estimate ?? 1,
    isWinner: group.subject === winner,
  }));
  const own = spans.find(({ isWinner }) => isWinner);
  return spans.every(
    ({ isWinner, low, high }) =>
      isWinner || (own !== undefined && (isGood === true ? own.low > high : own.high < low)),
  );
}

/** True if more is better, false if less is; undefined if no scenario declares it. */
function directionOf(name: string, { rates, scenarios }: RunFacts): boolean | undefined {
  const rate = rates.get(name);
  if (rate?.good !== undefined) return rate.good;
  const outcome = rate === undefined ? name : (rate.of ?? rate.mean ?? "");
  for (const { good } of scenarios.values()) if (good.has(outcome)) return good.get(outcome);
  return undefined;
}

/** A shard of a run, or one that was cut short, may have the same items without a pair: then nothing is known about the best. */
function comparedOrNone(pairs: readonly (readonly [Side, Side])[]): readonly Comparison[] {
  try {
    return compareAll(pairs);
  } catch (error) {
    if (error instanceof RunError) return [];
    throw error;
  }
}
