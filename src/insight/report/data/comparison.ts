import type { RateDeclaration } from "../../../core/outcomes/rate.ts";
import { shareInterval } from "../../../core/statistics/bounded-mean.ts";
import { pairedDifference } from "../../../core/statistics/clusters.ts";
import {
  normalQuantileUpper,
  studentQuantile,
  studentTwoSided,
} from "../../../core/statistics/distributions.ts";
import { signTest } from "../../../core/statistics/paired-tests.ts";
import { type Interval, mcnemarExact, newcombePaired } from "../../../core/statistics/proportions.ts";
import type { OutcomeScore } from "../../../engine/journal/fold/tally.ts";
import type { GroupValues } from "./grouping.ts";
import {
  conditionOf,
  itemCounts,
  itemwise,
  type RateKind,
  type RateLine,
  type RateRequest,
} from "./rate-line.ts";
import type { ScoreTable } from "./score-table.ts";

/** One outcome or rate of two sides, over the conversations that both of them have. */
export interface ComparisonLine {
  readonly name: string;
  readonly kind: RateKind;
  /** Empty without grouping. */
  readonly group: GroupValues;
  /** The rates or means over the pairs. Null if nothing could be paired. */
  readonly a: number | null;
  readonly b: number | null;
  /** b − a. */
  readonly difference: number | null;
  readonly interval: Interval | null;
  readonly p: number | null;
  /** Adjusted for all lines of the table (Holm). */
  readonly adjusted: number | null;
  /** McNemar's exact test for one conversation per item, otherwise a cluster-robust paired difference. */
  readonly method: "mcnemar" | "clustered" | null;
  /** Why there is no interval. */
  readonly reason?: string;
  readonly pairs: number;
  readonly items: number;
  readonly variants: RateLine["variants"];
  readonly replicates: RateLine["replicates"];
  /** Pairs of which only one side is true, as the names of both conversations. */
  readonly onlyA: readonly Discordant[];
  readonly onlyB: readonly Discordant[];
  /** Pairs that do not count, because a side is inconclusive, has an error, or does not apply. */
  readonly left: { readonly inconclusive: number; readonly errors: number; readonly notApplicable: number };
  /** A difference below this would probably be missed (80 % power). */
  readonly detectable: number | null;
}

/** Two conversations of a pair that differ. */
export interface Discordant {
  readonly item: string;
  /** The item in words. */
  readonly name: string;
  readonly a: string;
  readonly b: string;
}

/** Places of the two conversations of a pair. */
export type Pair = readonly [a: number, b: number];

/** The values of a pair. */
export interface PairedValue {
  readonly item: string;
  /** The item with its variant and arm. */
  readonly cell: string;
  readonly pair: Pair;
  /** Null if the condition of the rate is not met. */
  readonly a: number | null;
  readonly b: number | null;
}

/** The conversations of both sides, and those that are compared. */
export interface ComparedPairs {
  readonly a: ScoreTable;
  readonly b: ScoreTable;
  readonly pairs: readonly Pair[];
  readonly group: GroupValues;
}

/** The values of each pair, and how many pairs do not count. */
export function pairedValues(
  { declaration, scenarios }: RateRequest,
  { a, b, pairs }: Omit<ComparedPairs, "group">,
): { readonly values: readonly PairedValue[]; readonly isNumber: boolean } & Pick<ComparisonLine, "left"> {
  const left = { inconclusive: 0, errors: 0, notApplicable: 0 };
  const values: PairedValue[] = [];
  let isNumber = declaration.mean !== undefined;
  for (const pair of pairs) {
    if (scenarios !== undefined && !scenarios.has(a.scenarios[pair[0]] as string)) continue;
    const first = scoreIn(declaration, a, pair[0]);
    const second = scoreIn(declaration, b, pair[1]);
    if (first === undefined || second === undefined) continue;
    const problem = [first, second].find((value) => typeof value === "string" && value !== "excluded");
    if (problem === "inconclusive") left.inconclusive++;
    else if (problem === "not_applicable") left.notApplicable++;
    else if (problem !== undefined) left.errors++;
    else if (first !== "excluded" || second !== "excluded") {
      if (typeof first === "number" || typeof second === "number") isNumber = true;
      values.push({
        ...{ pair, item: a.items[pair[0]] as string, cell: a.cells[pair[0]] as string },
        a: first === "excluded" ? null : Number(first),
        b: second === "excluded" ? null : Number(second),
      });
    }
  }
  return { values, left, isNumber };
}

/** Compares one rate over pairs of conversations. */
export function compareRate(request: RateRequest, compared: ComparedPairs): ComparisonLine {
  const { name, declaration } = request;
  const { values, left, isNumber } = pairedValues(request, compared);
  const counts = { pairs: values.length, ...itemCounts(values) };
  const base = { name, group: compared.group, adjusted: null, left, ...counts };
  const overItems = itemwise(declaration);
  const kind = overItems?.kind ?? (isNumber ? "mean" : "rate");
  const found = overItems === null ? estimate(values, kind) : itemEstimate(values, overItems.value);
  const differing = kind === "rate" ? values.filter(({ a, b }) => a !== null && b !== null && a !== b) : [];
  const named = ({ item, pair }: PairedValue): Discordant => ({
    item,
    name: compared.b.itemName(pair[1]),
    a: compared.a.conversations[pair[0]] as string,
    b: compared.b.conversations[pair[1]] as string,
  });
  return {
    ...{ ...base, kind, ...found },
    onlyA: differing.filter(({ a }) => a === 1).map(named),
    onlyB: differing.filter(({ a }) => a !== 1).map(named),
  };
}

/** The value of a rate in a conversation; `excluded` if its condition is not met. */
function scoreIn(
  declaration: RateDeclaration,
  table: ScoreTable,
  place: number,
): OutcomeScore | "excluded" | undefined {
  const { of, mean } = declaration;
  const value = table.value(of ?? mean ?? "", place);
  const condition = conditionOf(declaration);
  if (value === undefined || condition === null) return value;
  const holds = table.value(condition.name, place);
  if (typeof holds === "boolean") return holds === condition.is ? value : "excluded";
  return holds === "not_applicable" ? "excluded" : holds;
}

type Estimate = Pick<
  ComparisonLine,
  "a" | "b" | "difference" | "interval" | "p" | "method" | "reason" | "detectable"
>;

function estimate(values: readonly PairedValue[], kind: RateKind): Estimate {
  const a = meanOf(values.map(({ a: value }) => value));
  const b = meanOf(values.map(({ b: value }) => value));
  const items = new Set(values.map(({ item }) => item)).size;
  if (a === null || b === null) return { ...NOTHING, a, b, reason: "no decided pairs" };
  const isComplete = values.every((value) => value.a !== null && value.b !== null);
  const isExact = kind === "rate" && isComplete && items === values.length && items > 1;
  return isExact ? mcnemar(values, { a, b }) : linear(values, { a, b, items, kind });
}

const NOTHING = { difference: null, interval: null, p: null, method: null, detectable: null } as const;

/** The mean of what is known; null if nothing is. */
export function meanOf(values: readonly (number | null)[]): number | null {
  let [sum, count] = [0, 0];
  for (const value of values) if (value !== null) [sum, count] = [sum + value, count + 1];
  return count === 0 ? null : sum / count;
}

/** The means of both sides. */
interface Means {
  readonly a: number;
  readonly b: number;
}

/** One conversation per item, and true or false: exact. */
function mcnemar(values: readonly PairedValue[], means: Means): Estimate {
  const count = (a: number, b: number): number => values.filter((one) => one.a === a && one.b === b).length;
  const [onlyA, onlyB] = [count(1, 0), count(0, 1)];
  // There are values, so there is a difference.
  const { difference, ...interval } = newcombePaired(count(1, 1), onlyB, onlyA, count(0, 0)) as NonNullable<
    ReturnType<typeof newcombePaired>
  >;
  const { p } = mcnemarExact(onlyB, onlyA);
  const error = influenceError(pairInfluence(values, means));
  const detectable = detectableOf(error, values.length, "rate");
  return { ...means, difference, interval: agreeing(interval, p), p, method: "mcnemar", detectable };
}

/** A test at 5 % and a 95 % interval say the same: where the test cannot exclude 0, the interval contains it. */
function agreeing({ low, high }: Interval, p: number): Interval {
  return p < 0.05 ? { low, high } : { low: Math.min(low, 0), high: Math.max(high, 0) };
}

/** The standard error of what items move by these amounts; null with one item. */
export function influenceError(influence: ReadonlyMap<string, number>): number | null {
  const items = influence.size;
  if (items < 2) return null;
  let squares = 0;
  for (const one of influence.values()) squares += one * one;
  return Math.sqrt((items / (items - 1)) * squares);
}

/** By how much each item moves the difference of the two means. */
export function pairInfluence(
  values: readonly Pick<PairedValue, "item" | "a" | "b">[],
  { a, b }: Means,
): ReadonlyMap<string, number> {
  const counts = { a: 0, b: 0 };
  for (const value of values) {
    if (value.a !== null) counts.a++;
    if (value.b !== null) counts.b++;
  }
  const influence = new Map<string, number>();
  for (const value of values) {
    const own =
      (value.b === null ? 0 : (value.b - b) / counts.b) - (value.a === null ? 0 : (value.a - a) / counts.a);
    influence.set(value.item, (influence.get(value.item) ?? 0) + own);
  }
  return influence;
}

/** Any number of conversations per item: the difference of the two means, with a cluster-robust error. */
function linear(
  values: readonly PairedValue[],
  { a, b, items, kind }: Means & { readonly items: number; readonly kind: RateKind },
): Estimate {
  const difference = b - a;
  const error = influenceError(pairInfluence(values, { a, b }));
  if (error === null) return { ...NOTHING, a, b, difference, reason: "one item only" };
  const detectable = detectableOf(error, items, kind);
  const found = { a, b, difference, method: "clustered", detectable } as const;
  if (error <= 1e-12 * Math.max(1, Math.abs(difference)))
    return { ...found, ...withoutNoise(values, difference, kind) };
  const reach = studentQuantile(0.95, items - 1) * error;
  const p = studentTwoSided(difference / error, items - 1);
  return { ...found, interval: within({ low: difference - reach, high: difference + reach }, kind), p };
}

/** A difference of two rates lies between −1 and 1. */
export function within({ low, high }: Interval, kind: RateKind): Interval {
  return kind === "rate" ? { low: Math.max(-1, low), high: Math.min(1, high) } : { low, high };
}

/**
 * All items differ by the same amount, so that no error can be computed. That is not certainty: the test counts the items that differ. The
 * interval of a rate is that of as many single conversations as there are items; that of a mean assumes that as many items as could have been
 * missed differ by the same amount in the other direction, or by twice the amount. Where no item differs, a mean has none.
 */
function withoutNoise(
  values: readonly PairedValue[],
  difference: number,
  kind: RateKind,
): Pick<Estimate, "interval" | "p" | "reason"> {
  // A side to which the condition does not apply says nothing about its item.
  const known = values.filter(({ a, b }) => a !== null && b !== null);
  const all = [...Map.groupBy(known, ({ item }) => item).values()].map((own) => {
    const count = (of: (value: PairedValue) => number): number => own.reduce((sum, one) => sum + of(one), 0);
    return {
      n: own.length,
      a: count(({ a }) => a ?? 0),
      b: count(({ b }) => b ?? 0),
      both: count(({ a, b }) => (a === 1 && b === 1 ? 1 : 0)),
    };
  });
  if (all.length === 0) return { interval: null, p: null, reason: "no decided pairs" };
  const p = signTest(all.map((item) => (item.b - item.a) / item.n))?.p ?? 1;
  if (kind !== "rate") return { ...sameAmount(difference, all.length, p), p };
  const share = (count: (item: (typeof all)[number]) => number): number =>
    Math.round(all.reduce((sum, item) => sum + count(item) / item.n, 0));
  const both = share((item) => item.both);
  const onlyB = share((item) => item.b - item.both);
  const onlyA = Math.min(
    share((item) => item.a - item.both),
    all.length - both - onlyB,
  );
  const { low = difference, high = difference } =
    newcombePaired(both, onlyB, onlyA, all.length - both - onlyB - onlyA) ?? {};
  return { interval: agreeing({ low, high }, p), p };
}

function sameAmount(difference: number, items: number, p: number): Pick<Estimate, "interval" | "reason"> {
  if (Math.abs(difference) < 1e-12) return { interval: null, reason: "no item differs" };
  const reach = 2 * Math.abs(difference) * (1 - shareInterval(1, items).low);
  return { interval: agreeing({ low: difference - reach, high: difference + reach }, p) };
}

/** The least number of differing pairs, all in one direction, that McNemar's test can detect. */
const FEWEST = 6;

/** The smallest difference that would be found with 80 % power; without any noise, what an exact test needs. */
export function detectableOf(error: number | null, items: number, kind: RateKind): number | null {
  if (error === null || items < 2) return null;
  if (error > 1e-12) return (studentQuantile(0.95, items - 1) + normalQuantileUpper(0.2)) * error;
  return kind === "rate" && items >= FEWEST ? FEWEST / items : null;
}

/** What is computed for each item from its replicates, and then compared. */
function itemEstimate(
  values: readonly PairedValue[],
  value: (replicates: readonly number[]) => number | null,
): Estimate {
  const usable = overReplicates(values, value);
  const [a, b] = [usable.map(({ a: one }) => one), usable.map(({ b: other }) => other)];
  const items = usable.map(({ item }) => item);
  const result = pairedDifference(b, a, items);
  if (result === null) return { ...NOTHING, a: null, b: null, reason: "no decided pairs" };
  const { difference, low, high, p, standardError } = result;
  const test = signTest(b.map((value, i) => value - (a[i] as number)))?.p ?? 1;
  return {
    ...{ a: meanOf(a), b: meanOf(b), difference, method: "clustered" },
    interval: low === null || high === null ? null : { low, high },
    p,
    ...(low === null ? { reason: "one item only" } : {}),
    ...(standardError === 0 ? { ...sameAmount(difference, new Set(items).size, test), p: test } : {}),
    detectable: detectableOf(standardError, new Set(items).size, "mean"),
  };
}

/** The value of each item in each variant from its replicates, where both sides have one. */
export function overReplicates(
  values: readonly PairedValue[],
  value: (replicates: readonly number[]) => number | null,
): readonly { readonly item: string; readonly a: number; readonly b: number }[] {
  return [...Map.groupBy(values, ({ cell }) => cell).values()].flatMap((own) => {
    const one = value(own.flatMap(({ a }) => a ?? []));
    const other = value(own.flatMap(({ b }) => b ?? []));
    return one === null || other === null ? [] : [{ item: own[0]?.item ?? "", a: one, b: other }];
  });
}
