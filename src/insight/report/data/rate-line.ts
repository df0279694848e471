import { memoize } from "../../../core/lazy.ts";
import type { RateDeclaration } from "../../../core/outcomes/rate.ts";
import { isUnscored } from "../../../core/state/state.ts";
import { boundedMean } from "../../../core/statistics/bounded-mean.ts";
import { clusteredMean } from "../../../core/statistics/clusters.ts";
import { type Followed, lifeTableInfluence, lifeTableRate } from "../../../core/statistics/life-table.ts";
import { passAtK, passHatK } from "../../../core/statistics/many-tests.ts";
import { mean, percentile } from "../../../core/statistics/means.ts";
import type { Interval } from "../../../core/statistics/proportions.ts";
import type { OutcomeScore } from "../../../engine/journal/fold/tally.ts";
import type { ConversationScore, ScoredTurn } from "../../../engine/journal/store/store.ts";
import type { GroupValues } from "./grouping.ts";
import type { RunFacts } from "./run-facts.ts";

/** What a number is: a share, a mean, a ratio of two conditions, or something over the replicates of an item. */
export type RateKind = "rate" | "mean" | "ratio" | "percentile" | "spread" | "pass_at" | "pass_hat";

/** How an interval was computed: for one conversation per item, for clusters of them, from a life table, or with Student's t. */
export type IntervalMethod = "beta" | "clustered" | "life_table" | "t";

/** One number of one group of conversations, with all that it is computed from. */
export interface RateLine {
  /** The name of an outcome, or of a rate that scenarios declare. */
  readonly name: string;
  readonly kind: RateKind;
  readonly group: GroupValues;
  /** What to report; null if nothing is decided. */
  readonly estimate: number | null;
  /** The 95 % interval; null with fewer than two items. */
  readonly interval: Interval | null;
  readonly method: IntervalMethod | null;
  /** Why there is no interval. */
  readonly reason?: string;
  /** Conversations that count. */
  readonly n: number;
  /** The items that they are about: scenarios with their rows. */
  readonly items: number;
  /** The least and the most variants (and arms of forks) of one item. */
  readonly variants: Range;
  /** The least and the most conversations about one item in one variant. */
  readonly replicates: Range;
  /** Of a rate: how many are true. */
  readonly yes: number;
  /** Left out, because the condition (`given`) is false. */
  readonly excluded: number;
  /** Not decided, because a reply could not be read. */
  readonly inconclusive: number;
  /** Not decided, because the conversation did not finish or the judge could not be asked. */
  readonly errors: number;
  readonly notApplicable: number;
  /** Of a rate with undecided conversations (inconclusive or errors): what it would be if all of them were false, and if all were true. */
  readonly bounds: Interval | null;
  /** Of an estimate from a life table: the rate of the decided conversations alone. */
  readonly decided: number | null;
  /** Of a mean over groups (`average: { macro }`): what it is grouped by. */
  readonly macro?: string;
}

/** The least and the most of something. */
interface Range {
  readonly least: number;
  readonly most: number;
}

/** A number to compute: the outcome of the name, or a declared rate. */
export interface RateRequest {
  readonly name: string;
  readonly declaration: RateDeclaration;
  /** Only these scenarios: an outcome may be an assertion in some and a number in others. */
  readonly scenarios?: ReadonlySet<string>;
  /** The least and the greatest value that a number can have, if that is known. */
  readonly range?: Interval;
}

/** A conversation with its value, while a line is computed. */
interface Counted {
  readonly score: ConversationScore;
  readonly value: number;
}

/** Conversations by whether and how they count for a rate. */
interface Sorted {
  readonly counted: Counted[];
  excluded: number;
  inconclusive: number;
  errors: number;
  notApplicable: number;
  isNumber: boolean;
  /** The undecided ones: whose value is not known, and whose value counts if their condition is met. */
  readonly undecided: { unknown: number; yes: number; no: number };
  /** All that meet the condition, decided or not, for a life table; not those that are never scored. */
  readonly followed: ConversationScore[];
}

/** The outcome that a rate is conditional on, and the value that it must have; null without a condition. */
export function conditionOf({
  given,
}: RateDeclaration): { readonly name: string; readonly is: boolean } | null {
  if (given === undefined) return null;
  return typeof given === "string" ? { name: given, is: true } : { name: given.not, is: false };
}

/** What replicates repeat: an item in a variant, and in an arm of a fork. */
export function cellOf({ item, variant, arm }: Pick<ConversationScore, "item" | "variant" | "arm">): string {
  if (variant === null && arm === null) return item;
  return JSON.stringify([item, Object.entries(variant ?? {}).sort(), arm]);
}

type ItemCounts = Pick<RateLine, "items" | "variants" | "replicates">;

/** How many items there are, in how many variants, and how many conversations are about one of these. */
export function itemCounts(counted: Iterable<{ readonly item: string; readonly cell: string }>): ItemCounts {
  const items = new Map<string, Set<string>>();
  const cells = new Map<string, number>();
  for (const { item, cell } of counted) {
    memoize(items, item, () => new Set<string>()).add(cell);
    cells.set(cell, (cells.get(cell) ?? 0) + 1);
  }
  const variants = rangeOf([...items.values()].map(({ size }) => size));
  return { items: items.size, variants, replicates: rangeOf([...cells.values()]) };
}

function rangeOf(sizes: readonly number[]): Range {
  return sizes.reduce(
    ({ least, most }, size) => ({ least: Math.min(least, size), most: Math.max(most, size) }),
    { least: sizes[0] ?? 0, most: 0 },
  );
}

/** The counts of so many items with one conversation each. */
export function singleItems(items: number): ItemCounts {
  const one = { least: Math.min(1, items), most: Math.min(1, items) };
  return { items, variants: one, replicates: one };
}

/** A line of which nothing is known. */
export function emptyLine({ name, kind, group }: Pick<RateLine, "name" | "kind" | "group">): RateLine {
  return {
    ...{ name, kind, group, estimate: null, interval: null, method: null },
    ...{ ...singleItems(0), n: 0, yes: 0, excluded: 0, inconclusive: 0, errors: 0, notApplicable: 0 },
    ...{ bounds: null, decided: null },
  };
}

/** True if its interval respects that conversations about one item belong together. */
export function isClustered({ method, n, items }: RateLine): boolean {
  return method === "clustered" || (method === "life_table" && n > items);
}

/** True of a turn with a template that verifies its reply. */
export function isVerified({ verdict }: Pick<ScoredTurn, "verdict">): boolean {
  return verdict !== "unverified" && verdict !== "not_verified";
}

/** The conversations that count for a number: decided, and with its condition met. */
export function countedScores(
  request: RateRequest,
  scores: readonly ConversationScore[],
): readonly Counted[] {
  return sorted(request, scores).counted;
}

/** The value of each conversation for a rate. */
function sorted({ declaration, scenarios }: RateRequest, scores: readonly ConversationScore[]): Sorted {
  const { of, mean: number, ratio } = declaration;
  const outcome = of ?? number ?? ratio?.of ?? "";
  const condition = conditionOf(declaration);
  const found: Sorted = {
    ...{ counted: [], followed: [], undecided: { unknown: 0, yes: 0, no: 0 }, isNumber: false },
    ...{ excluded: 0, inconclusive: 0, errors: 0, notApplicable: 0 },
  };
  for (const score of scores) {
    const value = score.outcomes.get(outcome);
    const holds = condition === null ? true : score.outcomes.get(condition.name);
    // The scenario has no such outcome.
    if (value === undefined || holds === undefined || scenarios?.has(score.scenario) === false) continue;
    const isOpen = holds === "inconclusive" || holds === "error";
    if (holds === "not_applicable" || (condition !== null && !isOpen && holds !== condition.is))
      found.excluded++;
    else if (value === "not_applicable") found.notApplicable += isOpen ? 0 : 1;
    else {
      if (!isOpen && !isUnscored(score.status)) found.followed.push(score);
      if (isOpen || value === "inconclusive" || value === "error") {
        if (holds === "error" || value === "error") found.errors++;
        else found.inconclusive++;
        found.undecided[typeof value === "boolean" ? (value ? "yes" : "no") : "unknown"]++;
      } else {
        if (typeof value === "number") found.isNumber = true;
        found.counted.push({ score, value: Number(value) });
      }
    }
  }
  return found;
}

/** What a rate can be at the least and at the most, whatever the undecided conversations really were. */
function boundsOf({ counted, undecided: { unknown, yes, no } }: Sorted): Interval | null {
  const n = counted.length;
  // Where nothing is decided, not even the kind of the outcome is known.
  if (unknown + yes + no === 0 || n === 0) return null;
  const sum = counted.reduce((total, { value }) => total + value, 0);
  // What is true or false only if its condition is met counts where that moves the rate in the wanted direction.
  return { low: sum / (n + unknown + no), high: (sum + unknown + yes) / (n + unknown + yes) };
}

/** Computes one line. */
export function rateLine(
  request: RateRequest,
  scores: readonly ConversationScore[],
  { group, facts }: { readonly group: GroupValues; readonly facts: RunFacts },
): RateLine {
  const { name, declaration } = request;
  const all = sorted(request, scores);
  const { counted, excluded, inconclusive, errors, notApplicable } = all;
  const clusters = counted.map(({ score }) => score.item);
  const values = counted.map(({ value }) => value);
  const base = {
    name,
    group,
    n: counted.length,
    ...itemCounts(counted.map(({ score }) => ({ item: score.item, cell: cellOf(score) }))),
    yes: all.isNumber ? 0 : values.reduce((sum, value) => sum + value, 0),
    ...{ excluded, inconclusive, errors, notApplicable },
  };
  const overItems = itemwise(declaration);
  if (overItems !== null) {
    const perCell = cellValues(counted, overItems.value);
    const range = all.isNumber ? request.range : UNIT;
    const within = overItems.kind === "spread" && range ? { low: 0, high: range.high - range.low } : range;
    // A chance of k replicates rests on as many trials as k goes into the replicates.
    const tries = declaration.passAt ?? declaration.passHat ?? Number.POSITIVE_INFINITY;
    const trials = Math.max(1, values.length / Math.max(1, perCell.length) / tries);
    const estimate = meanEstimate(
      perCell.map(({ value }) => value),
      perCell.map(({ item }) => item),
      within,
      within === UNIT ? trials : undefined,
    );
    return { ...base, kind: overItems.kind, ...estimate, bounds: null, decided: null };
  }
  if (all.isNumber || declaration.mean !== undefined) {
    const estimate = meanEstimate(values, clusters, request.range);
    return { ...base, kind: "mean", ...estimate, bounds: null, decided: null };
  }
  const bounds = boundsOf(all);
  const plain = rateEstimate(values, clusters);
  const table =
    inconclusive === 0 || values.length === 0 ? null : tableEstimate(all.followed, request, facts);
  if (table === null) return { ...base, kind: "rate", ...plain, bounds, decided: null };
  return { ...base, kind: "rate", ...table, bounds, decided: plain.estimate };
}

type Estimate = Pick<RateLine, "estimate" | "interval" | "method" | "reason">;

const ONE_ITEM = "one item only";
/** What rates lie between. */
export const UNIT: Interval = Object.freeze({ low: 0, high: 1 });

/** A share of true values. */
export function rateEstimate(values: readonly number[], clusters: readonly string[]): Estimate {
  return meanEstimate(values, clusters, UNIT);
}

/** A mean, with an interval within the range of the values. Without a range it is Student's. */
export function meanEstimate(
  values: readonly number[],
  clusters: readonly string[] | null,
  range: Interval | undefined,
  trials?: number,
): Estimate {
  const bounds = range && {
    minimum: range.low,
    maximum: range.high,
    ...(trials === undefined ? {} : { trials }),
  };
  const result = bounds ? boundedMean(values, clusters, bounds) : clusteredMean(values, clusters);
  if (result === null) return { estimate: null, interval: null, method: null };
  const { mean: estimate, clusters: items } = result;
  const none = { estimate, interval: null, method: null };
  if (items < 2) return { ...none, reason: ONE_ITEM };
  const interval = intervalOf(result);
  if (interval === null || interval.low === interval.high) return { ...none, reason: "all values are equal" };
  return { estimate, interval, method: items < values.length ? "clustered" : bounds ? "beta" : "t" };
}

/** The interval of a result of `statistics`; null if it has none. */
export function intervalOf({ low, high }: Readonly<Record<"low" | "high", number | null>>): Interval | null {
  return low === null || high === null ? null : { low, high };
}

/** What is computed for each item from its replicates, before the mean over items; null of other rates. */
export function itemwise({ of, percentile: at, spread, passAt, passHat }: RateDeclaration): {
  readonly kind: RateKind;
  readonly value: (replicates: readonly number[]) => number | null;
} | null {
  if (of === undefined) return null;
  const passed = (values: readonly number[]): number => values.filter((value) => value === 1).length;
  if (at !== undefined) return { kind: "percentile", value: (values) => percentile(values, at) };
  if (passAt !== undefined)
    return { kind: "pass_at", value: (values) => passAtK(values.length, passed(values), passAt) };
  if (passHat !== undefined)
    return { kind: "pass_hat", value: (values) => passHatK(values.length, passed(values), passHat) };
  if (spread === undefined) return null;
  const spreadOf = (values: readonly number[]): number | null => {
    const [high, low] = spread.map((q) => percentile(values, q));
    return high == null || low == null ? null : high - low;
  };
  return { kind: "spread", value: spreadOf };
}

/** The value of each item in each variant from its replicates; those for which there is none are left out. */
function cellValues(
  counted: readonly Counted[],
  value: (replicates: readonly number[]) => number | null,
): readonly { readonly item: string; readonly value: number }[] {
  return [...Map.groupBy(counted, ({ score }) => cellOf(score)).values()].flatMap((own) => {
    const found = value(own.map((one) => one.value));
    return found === null ? [] : [{ item: own[0]?.score.item ?? "", value: found }];
  });
}

/** The mean of each item over its conversations that count. */
export function itemMeans(
  request: RateRequest,
  scores: readonly ConversationScore[],
): ReadonlyMap<string, number> {
  const items = Map.groupBy(sorted(request, scores).counted, ({ score }) => score.item);
  return new Map([...items].map(([item, own]) => [item, mean(own.map(({ value }) => value)) as number]));
}

/** By how much each item moves the estimate of a line: what is added to errors of several lines together. */
export function itemInfluence(
  request: RateRequest,
  scores: readonly ConversationScore[],
  { method, facts }: { readonly method: IntervalMethod | null; readonly facts: RunFacts },
): ReadonlyMap<string, number> {
  const { declaration } = request;
  const { counted, followed } = sorted(request, scores);
  const influence = new Map<string, number>();
  const add = (item: string, own: number): void => {
    influence.set(item, (influence.get(item) ?? 0) + own);
  };
  const overItems = itemwise(declaration);
  if (overItems !== null) {
    const values = cellValues(counted, overItems.value);
    const centre = mean(values.map(({ value }) => value)) ?? 0;
    for (const { item, value } of values) add(item, (value - centre) / values.length);
  } else if (method === "life_table") {
    const { sequences, isLoss } = followedBy(followed, request, facts) ?? { sequences: [], isLoss: false };
    const table = lifeTableInfluence(sequences);
    for (const [i, { item }] of followed.entries()) add(item, (isLoss ? -1 : 1) * (table?.influence[i] ?? 0));
  } else {
    const centre = mean(counted.map(({ value }) => value)) ?? 0;
    for (const { score, value } of counted) add(score.item, (value - centre) / counted.length);
  }
  return influence;
}

/** The rate from every readable turn, for an outcome that says "all turns are right" in every scenario. */
function tableEstimate(
  followed: readonly ConversationScore[],
  request: RateRequest,
  facts: RunFacts,
): Estimate | null {
  const table = followedBy(followed, request, facts);
  if (table === null) return null;
  const items = followed.map(({ item }) => item);
  const result = lifeTableRate(table.sequences, items);
  if (result === null) return null;
  const interval = intervalOf(result);
  const mirrored = interval && { low: 1 - interval.high, high: 1 - interval.low };
  return {
    estimate: table.isLoss ? 1 - result.rate : result.rate,
    interval: table.isLoss ? mirrored : interval,
    method: "life_table",
    ...(interval === null ? { reason: ONE_ITEM } : {}),
  };
}

/** How far each conversation can be followed; null if the outcome does not say "all turns are right" or its opposite in every scenario. */
function followedBy(
  followed: readonly ConversationScore[],
  { name, declaration }: RateRequest,
  facts: RunFacts,
): { readonly sequences: readonly Followed[]; readonly isLoss: boolean } | null {
  const outcome = declaration.of ?? name;
  const sequences: Followed[] = [];
  const kinds = new Set<boolean>();
  for (const score of followed) {
    const own = facts.scenarios.get(score.scenario);
    const lost = declaration.turns === undefined ? own?.losses.get(outcome) : undefined;
    const nodes = declaration.turns ?? (lost === undefined ? own?.sequences.get(outcome) : lost);
    if (nodes === undefined) return null;
    kinds.add(lost !== undefined);
    const value = score.outcomes.get(outcome);
    const sequence = followedTo(
      score,
      nodes,
      lost === undefined || typeof value !== "boolean" ? value : !value,
    );
    // The outcome says more than its turns do.
    if (lost !== undefined && typeof value === "boolean" && value !== sequence.wrong) return null;
    sequences.push(sequence);
  }
  return kinds.size > 1 ? null : { sequences, isLoss: kinds.has(true) };
}

/** How far a conversation can be followed. */
export function followedTo(
  { turns }: Pick<ConversationScore, "turns">,
  nodes: readonly string[] | null,
  decided: OutcomeScore | undefined,
): Followed {
  let position = 0;
  for (const { node, verdict } of turns) {
    if ((nodes !== null && !nodes.includes(node)) || !isVerified({ verdict })) continue;
    position++;
    if (verdict !== "pass") return { at: position, wrong: verdict === "fail" };
  }
  if (decided === true) return { at: null, wrong: false };
  // False without a wrong turn: a limit ended it. Otherwise it was cut short.
  return { at: position + 1, wrong: decided === false };
}
