import { studentQuantile, studentTwoSided } from "../../statistics/distributions.ts";
import { combinedError } from "./average-line.ts";
import {
  type ComparedPairs,
  type ComparisonLine,
  compareRate,
  detectableOf,
  meanOf,
  overReplicates,
  type PairedValue,
  pairedValues,
  pairInfluence,
  within,
} from "./comparison.ts";
import { itemwise, type RateRequest } from "./rate-line.ts";

/** Pairs of several groups, and the group of the line over all of them. */
export interface GroupedComparison extends Omit<ComparedPairs, "pairs"> {
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
    // Without noise within groups nothing but the pooled pairs says how sure the difference is.
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
  const counted: readonly Omit<PairedValue, "pair">[] =
    overItems === null ? values : overReplicates(values, overItems.value);
  const [a, b] = [meanOf(counted.map((value) => value.a)), meanOf(counted.map((value) => value.b))];
  return a === null || b === null ? null : { a, b, influence: pairInfluence(counted, { a, b }) };
}
