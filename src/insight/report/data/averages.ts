import { effectiveTrials, shareInterval } from "../../../core/statistics/bounded-mean.ts";
import { studentQuantile, studentTwoSided } from "../../../core/statistics/distributions.ts";
import { mean } from "../../../core/statistics/means.ts";
import type { Interval } from "../../../core/statistics/proportions.ts";
import type { ConversationScore } from "../../../engine/journal/store/store.ts";
import {
  type ComparedPairs,
  type ComparisonLine,
  compareRate,
  detectableOf,
  influenceError,
  meanOf,
  overReplicates,
  type PairedValue,
  pairedValues,
  pairInfluence,
  within,
} from "./comparison.ts";
import { type GroupValues, groupedScores, groupsBy } from "./grouping.ts";
import {
  countedScores,
  itemInfluence,
  itemwise,
  type RateLine,
  type RateRequest,
  rateLine,
  UNIT,
} from "./rate-line.ts";
import type { RunFacts } from "./run-facts.ts";

/** A group, its conversations and its line. */
export interface LinedGroup {
  readonly members: readonly ConversationScore[];
  readonly line: RateLine;
}

/** Where a line stands, and what scenarios declare. */
interface LinePlace {
  readonly group: GroupValues;
  readonly facts: RunFacts;
}

/** A line as its rate declares it: over all conversations, or the mean over groups of them. */
export function declaredLine(
  request: RateRequest,
  members: readonly ConversationScore[],
  at: LinePlace,
): RateLine {
  const { average, ...declaration } = request.declaration;
  if (average === undefined) return rateLine(request, members, at);
  const plain = { ...request, declaration };
  const parts = groupedScores(members, groupsBy([average.macro], at.facts)).map((own) => ({
    members: own.members,
    line: rateLine(plain, own.members, at),
  }));
  return { ...macroLine(plain, parts, at), macro: average.macro };
}

/** All conversations of some groups in one line, each once: `micro`; a rate that declares an average has its own. */
export function microLine(request: RateRequest, parts: readonly LinedGroup[], at: LinePlace): RateLine {
  return declaredLine(request, [...new Set(parts.flatMap(({ members }) => members))], at);
}

/**
 * The mean of the estimates of some groups, each with the same weight: `macro`. The error counts all that an item adds, also where it is in
 * several groups.
 */
export function macroLine(request: RateRequest, parts: readonly LinedGroup[], at: LinePlace): RateLine {
  const pooled = microLine(request, parts, at);
  if (request.declaration.average !== undefined) return pooled;
  const known = parts.filter(({ line }) => line.estimate !== null);
  const estimate = mean(known.map(({ line }) => line.estimate as number));
  const kind = known[0]?.line.kind ?? pooled.kind;
  const line = { ...pooled, kind, estimate, bounds: null, decided: null, method: null, interval: null };
  if (estimate === null) return line;
  const influence = combined(
    known.map(({ members, line: { method } }) =>
      itemInfluence(request, members, { method, facts: at.facts }),
    ),
  );
  if (influence.size < 2) return { ...line, reason: "one item only" };
  const { reason: _, ...rest } = line;
  const counted = countedScores(request, [...new Set(known.flatMap(({ members }) => members))]);
  const perItem = Map.groupBy(counted, ({ score }) => score.item);
  const isItemwise = itemwise(request.declaration) !== null;
  const range =
    kind === "spread" ? undefined : kind === "mean" || kind === "percentile" ? request.range : UNIT;
  const sizeOf = (item: string): number => (isItemwise ? 1 : (perItem.get(item)?.length ?? 0));
  return { ...rest, interval: intervalOf(estimate, influence, { sizeOf, range }), method: "clustered" };
}

/** By how much each item moves a mean over groups, from what it adds to each group. */
function combined(groups: readonly ReadonlyMap<string, number>[]): ReadonlyMap<string, number> {
  const influence = new Map<string, number>();
  for (const group of groups)
    for (const [item, own] of group) influence.set(item, (influence.get(item) ?? 0) + own / groups.length);
  return influence;
}

/** Within the range of the values, if it is known, as for single groups. */
function intervalOf(
  estimate: number,
  influence: ReadonlyMap<string, number>,
  { sizeOf, range }: { readonly sizeOf: (item: string) => number; readonly range: Interval | undefined },
): Interval {
  if (range === undefined) {
    const reach = studentQuantile(0.95, influence.size - 1) * (influenceError(influence) ?? 0);
    return { low: estimate - reach, high: estimate + reach };
  }
  const width = range.high - range.low;
  const share = (estimate - range.low) / width;
  const sums = Float64Array.from(influence.values(), (own) => own / width);
  const sizes = Float64Array.from(influence.keys(), (item) => Math.max(1, width) * sizeOf(item));
  const squares = sums.reduce((sum, own) => sum + own * own, 0);
  // Groups of unequal sizes weigh unequally, and then all conversations are worth less.
  const worth = squares < 1e-24 ? Number.POSITIVE_INFINITY : (share * (1 - share)) / squares;
  const { low, high } = shareInterval(share, Math.min(worth, effectiveTrials(share, { sums, sizes }, 0.95)));
  return { low: range.low + width * low, high: range.high - width * (1 - high) };
}

/** Pairs of several groups, and the group of the line over all of them. */
interface GroupedComparison extends Omit<ComparedPairs, "pairs"> {
  readonly parts: readonly ComparedPairs["pairs"][];
}

/** All pairs of some groups in one line, each once: `micro`. */
export function compareMicro(request: RateRequest, { parts, ...rest }: GroupedComparison): ComparisonLine {
  const pairs = [...new Set(parts.flat())].sort(([one], [other]) => one - other);
  return compareRate(request, { ...rest, pairs });
}

/**
 * The means over groups of the rates of both sides, each group with the same weight, and their difference: `macro`. The error counts all
 * that an item adds, also where it is in several groups.
 */
export function compareMacro(request: RateRequest, compared: GroupedComparison): ComparisonLine {
  const pooled = compareMicro(request, compared);
  const groups = compared.parts.flatMap((pairs) => {
    const effect = groupEffect(request, { ...compared, pairs });
    return effect === null ? [] : [effect];
  });
  const [a, b] = [meanOf(groups.map((group) => group.a)), meanOf(groups.map((group) => group.b))];
  if (a === null || b === null) return pooled;
  const difference = b - a;
  const line = { ...pooled, a, b, difference };
  const influence = combined(groups.map((group) => group.influence));
  const [error, items] = [influenceError(influence), influence.size];
  if (error === null) return line;
  if (error <= 1e-12 * Math.max(1, Math.abs(difference))) {
    // Without noise within groups, only the pooled pairs give an error.
    if (Math.abs(difference - (pooled.difference ?? 0)) <= 1e-12) return line;
    const none = { interval: null, p: null, method: null, detectable: null };
    return { ...line, ...none, reason: "no variance within groups" };
  }
  const reach = studentQuantile(0.95, items - 1) * error;
  return {
    ...line,
    method: "clustered",
    interval: within({ low: difference - reach, high: difference + reach }, pooled.kind),
    p: studentTwoSided(difference / error, items - 1),
    detectable: detectableOf(error, items, pooled.kind),
  };
}

/** Both means of a group, and by how much each item moves their difference. */
function groupEffect(
  request: RateRequest,
  compared: ComparedPairs,
): { readonly a: number; readonly b: number; readonly influence: ReadonlyMap<string, number> } | null {
  const overItems = itemwise(request.declaration);
  const { values } = pairedValues(request, compared);
  const counted: readonly Pick<PairedValue, "item" | "a" | "b">[] =
    overItems === null ? values : overReplicates(values, overItems.value);
  const [a, b] = [meanOf(counted.map((value) => value.a)), meanOf(counted.map((value) => value.b))];
  return a === null || b === null ? null : { a, b, influence: pairInfluence(counted, { a, b }) };
}
