import type { ConversationScore } from "../../journal/store/store.ts";
import { studentQuantile, studentTwoSided } from "../../statistics/distributions.ts";
import { mean } from "../../statistics/means.ts";
import { type Interval, scoreInterval } from "../../statistics/proportions.ts";
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
import { itemInfluence, itemwise, type RateLine, type RateRequest, rateLine } from "./rate-line.ts";
import type { RunFacts } from "./run-facts.ts";

/** A group, its conversations and its line. */
export interface LinedGroup {
  readonly members: readonly ConversationScore[];
  readonly line: RateLine;
}

/** A line as its rate declares it: over all conversations, or the mean over groups of them. */
export function declaredLine(
  request: RateRequest,
  members: readonly ConversationScore[],
  at: { readonly group: GroupValues; readonly facts: RunFacts },
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
export function microLine(
  request: RateRequest,
  parts: readonly LinedGroup[],
  { group, facts }: { readonly group: GroupValues; readonly facts: RunFacts },
): RateLine {
  const members = new Set(parts.flatMap((part) => part.members));
  return declaredLine(request, [...members], { group, facts });
}

/**
 * The mean of the estimates of some groups, each with the same weight: `macro`. The error counts all that an item adds, also where it is in
 * several groups.
 */
export function macroLine(
  request: RateRequest,
  parts: readonly LinedGroup[],
  { group, facts }: { readonly group: GroupValues; readonly facts: RunFacts },
): RateLine {
  const pooled = microLine(request, parts, { group, facts });
  if (request.declaration.average !== undefined) return pooled;
  const known = parts.filter(({ line }) => line.estimate !== null);
  const estimate = mean(known.map(({ line }) => line.estimate as number));
  const kind = known[0]?.line.kind ?? pooled.kind;
  const line = { ...pooled, kind, estimate, bounds: null, decided: null, method: null, interval: null };
  if (estimate === null) return line;
  const error = combinedError(
    known.map(({ members, line: { method } }) => itemInfluence(request, members, { method, facts })),
  );
  if (error === null) return { ...line, reason: "one item only" };
  const { reason: _, ...rest } = line;
  return { ...rest, interval: intervalOf(estimate, error, rest), method: "clustered" };
}

/** The standard error of a mean over groups, from the contribution of each item to each group. */
function combinedError(
  groups: readonly ReadonlyMap<string, number>[],
): { readonly error: number; readonly items: number } | null {
  const influence = new Map<string, number>();
  for (const group of groups)
    for (const [item, own] of group) influence.set(item, (influence.get(item) ?? 0) + own / groups.length);
  const error = influenceError(influence);
  return error === null ? null : { error, items: influence.size };
}

/** Of a rate, within 0 and 1, as for the rates of single groups. */
function intervalOf(
  estimate: number,
  { error, items }: { readonly error: number; readonly items: number },
  { kind, n }: Pick<RateLine, "kind" | "n">,
): Interval {
  const quantile = studentQuantile(0.95, items - 1);
  if (kind !== "rate") return { low: estimate - quantile * error, high: estimate + quantile * error };
  const spread = estimate * (1 - estimate);
  // Without any noise within groups, each item counts once.
  const effective = spread < 1e-12 || error < 1e-12 ? items : Math.min(n, spread / (error * error));
  return scoreInterval(estimate, effective, quantile);
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
  const found = combinedError(groups.map(({ influence }) => influence));
  if (found === null) return line;
  const { error, items } = found;
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
