import { memoize } from "../../../core/lazy.ts";
import type { RateDeclaration, RatioDeclaration } from "../../../core/outcomes/rate.ts";
import { nearestOf } from "../../../core/schema/nearest-name.ts";
import { clusteredMean } from "../../../core/statistics/clusters.ts";
import { studentQuantile } from "../../../core/statistics/distributions.ts";
import { mean } from "../../../core/statistics/means.ts";
import type { Interval } from "../../../core/statistics/proportions.ts";
import { RunError } from "../../../engine/journal/failure.ts";
import type { ConversationFilter, ConversationScore, Store } from "../../../engine/journal/store/store.ts";
import { storedRun } from "../../../engine/journal/transfer/stored-run.ts";
import { declaredLine, type LinedGroup, macroLine, microLine } from "./averages.ts";
import {
  type GroupValues,
  groupedScores,
  grouper,
  groupKey,
  macroGroups,
  needsRowValues,
  withinSubject,
} from "./grouping.ts";
import {
  emptyLine,
  itemMeans,
  type RateKind,
  type RateLine,
  type RateRequest,
  singleItems,
} from "./rate-line.ts";
import { fitsFilter, type Missing, resultsOf, runCounts, type Tested } from "./run-counts.ts";
import { type RunFacts, runFacts } from "./run-facts.ts";

/** What `rates` computes. */
export interface RatesOptions {
  /** What to group by within each subject, and each judge where there are several: `scenario`, `arm`, `tag`, `variant.<factor>`, `row.<column>`, … */
  readonly by?: readonly string[];
  /** The outcomes and declared rates to compute (default: all). */
  readonly names?: readonly string[];
  /** Adds a line over the groups of a subject: pooled, or the mean of their estimates. */
  readonly average?: Average;
  readonly filter?: ConversationFilter;
}

/** The numbers of a run. */
export interface RateReport {
  readonly by: readonly string[];
  /** In the order of outcomes and rates, then of groups. */
  readonly lines: readonly RateLine[];
  /** Conversations that did not finish and replies that were not read, by subject and judge. Where there are many, rates may be wrong. */
  readonly missing: readonly (Tested & Missing)[];
}

/** An outcome or declared rate, with a line for each subject and judge in the order of the totals of a run. */
export interface RatedOutcome {
  readonly outcome: string;
  /** Null if no conversation decides it: then nobody knows what it is. */
  readonly kind: RateKind | null;
  readonly lines: readonly RateLine[];
  /** The lines by level, of a run whose variants have one factor with few levels. */
  readonly levels?: readonly RateLine[];
  /** False for what tables and pages leave out. */
  readonly shown?: false;
}

/** The lines of one subject and judge by level. */
export function levelsOf({ levels = [] }: RatedOutcome, { group }: RateLine): readonly RateLine[] {
  return levels.filter((line) => line.group.subject === group.subject && line.group.judge === group.judge);
}

/**
 * The rates of a run: outcomes and what its scenarios declare, by group, with intervals that know which conversations belong together.
 *
 * @example
 * rates(store, run, { by: ["variant.challenger"], names: ["resistance"] })
 */
export function rates(store: Store, run: string, options: RatesOptions = {}): RateReport {
  const { run: name } = storedRun(store, run);
  const facts = runFacts(store, [name]);
  const rowValues = needsRowValues([...(options.by ?? []), ...macroGroups(facts)]);
  const scores = wantedScores(store.scores(name, { turns: true, rowValues }), options.filter);
  const { missing } = runCounts(resultsOf(store, name, options.filter ?? {}));
  return { ...ratesOf(scores, facts, options), missing };
}

/** The scores that a filter lets through. */
export function wantedScores(
  scores: Iterable<ConversationScore>,
  filter: ConversationFilter = {},
): readonly ConversationScore[] {
  return Array.from(scores).filter((score) => fitsFilter(score, filter));
}

/** The same for scores that have been read. */
export function ratesOf(
  scores: readonly ConversationScore[],
  facts: RunFacts,
  { by: wanted = [], names, average }: RatesOptions = {},
): Omit<RateReport, "missing"> {
  const by = withinSubject(wanted, scores);
  const groups = groupedScores(scores, grouper(by, scores, facts));
  const lines = requestsOf(facts, scores, names).flatMap((request): readonly RateLine[] => {
    const { ratio } = request.declaration;
    if (ratio !== undefined)
      return groups.flatMap(({ group, members }) => ratioLines(request, ratio, members, group));
    // Groups whose scenarios do not have the outcome are left out.
    const outcome = request.declaration.of ?? request.declaration.mean ?? "";
    const each = groups
      .filter(({ members }) => members.some(({ outcomes }) => outcomes.has(outcome)))
      .map(({ group, members }) => ({ members, line: declaredLine(request, members, { group, facts }) }));
    return [
      ...each.map(({ line }) => line),
      ...(average === undefined ? [] : averageLines(request, each, { by, average, facts })),
    ];
  });
  return { by, lines };
}

/** For each subject one line over its groups: pooled, or the mean of their estimates. */
function averageLines(
  request: RateRequest,
  groups: readonly LinedGroup[],
  {
    by,
    average,
    facts,
  }: { readonly by: readonly string[]; readonly average: Average; readonly facts: RunFacts },
): readonly RateLine[] {
  const others = by.filter((name) => name !== "subject" && name !== "judge");
  if (others.length === 0 || request.declaration.ratio !== undefined) return [];
  const subjects = new Map<string, { readonly group: GroupValues; readonly parts: LinedGroup[] }>();
  for (const part of groups) {
    const group = overallGroup(part.line.group, others, average);
    memoize(subjects, groupKey(group), () => ({ group, parts: [] })).parts.push(part);
  }
  const lineOf = average === "macro" ? macroLine : microLine;
  return [...subjects.values()].map(({ group, parts }) => lineOf(request, parts, { group, facts }));
}

/** How groups are averaged. */
export type Average = "micro" | "macro";

/** The group of a line over several groups. */
export function overallGroup(group: GroupValues, over: readonly string[], average: Average): GroupValues {
  return Object.fromEntries(
    Object.entries(group).map(([name, value]) => [name, over.includes(name) ? `all (${average})` : value]),
  );
}

/** The numbers to compute: all outcomes and declared rates that appear, or those that are named. */
function requestsOf(
  facts: RunFacts,
  scores: readonly ConversationScore[],
  names?: readonly string[],
): readonly RateRequest[] {
  const assertions = new Map<string, Set<string>>();
  const numbers = new Map<string, Set<string>>();
  const found = new Set(facts.outcomes);
  for (const { scenario, outcomes } of scores)
    for (const [name, value] of outcomes) {
      found.add(name);
      if (typeof value === "string") continue;
      const kinds = typeof value === "boolean" ? assertions : numbers;
      memoize(kinds, name, () => new Set<string>()).add(scenario);
    }
  return declaredRequests(found, facts, names).flatMap((declared): readonly RateRequest[] => {
    const range = rangeOf(declared, scores, facts);
    const request = range === undefined ? declared : { ...declared, range };
    const kinds = [assertions.get(request.name), numbers.get(request.name)];
    // An assertion in one scenario and a number in another are two things.
    return kinds.includes(undefined)
      ? [request]
      : kinds.flatMap((scenarios) => (scenarios === undefined ? [] : [{ ...request, scenarios }]));
  });
}

/** What an outcome that counts turns lies between: by its definition, or where a loop asks nodes again, by the largest value of the run. */
function rangeOf(
  { declaration: { of, mean: number } }: RateRequest,
  scores: readonly ConversationScore[],
  facts: RunFacts,
): Interval | undefined {
  const outcome = of ?? number ?? "";
  let range: Interval | undefined;
  for (const { scenario, outcomes } of scores) {
    const value = outcomes.get(outcome);
    if (typeof value !== "number") continue;
    const own = facts.scenarios.get(scenario)?.ranges.get(outcome);
    if (own === undefined) return undefined;
    range = {
      low: Math.min(own.low, range?.low ?? own.low),
      high: Math.max(own.high, value, range?.high ?? own.high),
    };
  }
  return range;
}

/** Those of some outcomes that are shown, and all declared rates; or those that are named. Throws `RunError` for a name that is neither. */
export function declaredRequests(
  outcomes: ReadonlySet<string>,
  facts: RunFacts,
  names?: readonly string[],
): readonly RateRequest[] {
  const declared = new Map<string, RateDeclaration>([
    ...[...outcomes].map((name) => [name, { of: name }] as const),
    ...facts.rates,
  ]);
  if (names === undefined)
    return [...declared]
      .filter(([name]) => facts.hidden?.has(name) !== true)
      .map(([name, declaration]) => ({ name, declaration }));
  return names.map((name) => {
    const declaration = declared.get(name);
    if (declaration !== undefined) return { name, declaration };
    const { nearest } = nearestOf(name, declared.keys());
    const there = declared.size === 0 ? "There are none." : `There are ${[...declared.keys()].join(", ")}.`;
    const hint = nearest === undefined ? there : `Did you mean "${nearest}"?`;
    throw new RunError([`There is no outcome or rate "${name}". ${hint}`]);
  });
}

/** The factor of a denominator: `variant` stands for whatever factor has the level. */
function factorOf(
  over: RatioDeclaration["over"],
  scores: readonly ConversationScore[],
): readonly [string, string] | null {
  const [[factor, level] = ["", ""]] = Object.entries(over);
  const variants = scores.flatMap(({ variant }) => (variant === null ? [] : [variant]));
  if (variants.some((variant) => Object.hasOwn(variant, factor))) return [factor, level];
  if (factor !== "variant") return null;
  const found = variants.flatMap((variant) => Object.entries(variant)).find(([, value]) => value === level);
  return found === undefined ? null : [found[0], level];
}

/** One line for each other level of the factor: its items' means over those of the denominator. */
function ratioLines(
  request: RateRequest,
  ratio: RatioDeclaration,
  scores: readonly ConversationScore[],
  group: GroupValues,
): readonly RateLine[] {
  const [factor = "", base] = factorOf(ratio.over, scores) ?? [];
  const levels = Map.groupBy(scores, ({ variant }) => variant?.[factor]);
  const below = itemMeans(request, levels.get(base) ?? []);
  return [...levels].flatMap(([level, members]) => {
    if (base === undefined || level === undefined || level === base) return [];
    const pairs = [...itemMeans(request, members)].flatMap(([item, value]) => {
      const other = below.get(item);
      return other === undefined ? [] : [[value, other] as const];
    });
    const usable = ratio.as === "ratio_of_means" ? pairs : pairs.filter(([, other]) => other !== 0);
    const place = { ...group, [`variant.${factor}`]: `${level} over ${base}` };
    return {
      ...emptyLine({ name: request.name, kind: "ratio", group: place }),
      ...singleItems(usable.length),
      n: usable.length,
      excluded: pairs.length - usable.length,
      ...ratioEstimate(usable, ratio.as ?? "mean_of_ratios"),
    };
  });
}

function ratioEstimate(
  pairs: readonly (readonly [number, number])[],
  as: NonNullable<RatioDeclaration["as"]>,
): Pick<RateLine, "estimate" | "interval" | "method" | "reason"> {
  const none = { estimate: null, interval: null, method: null };
  const [top, bottom] = [mean(pairs.map(([above]) => above)), mean(pairs.map(([, below]) => below))];
  if (top === null || bottom === null) return { ...none, reason: "no pair of items" };
  const isOfMeans = as === "ratio_of_means";
  if (isOfMeans && bottom === 0) return { ...none, reason: "the denominator is 0" };
  const ratio = top / bottom;
  // The ratio of two means moves with each item by its distance from the line through both means.
  const values = pairs.map(([above, below]) =>
    isOfMeans ? (above - ratio * below) / bottom : above / below,
  );
  const result = clusteredMean(values, null);
  const estimate = isOfMeans ? ratio : (result?.mean ?? null);
  const error = result?.standardError ?? null;
  if (estimate === null || error === null) return { ...none, estimate, reason: "one item only" };
  if (error === 0) return { ...none, estimate, reason: "all values are equal" };
  const reach = studentQuantile(0.95, pairs.length - 1) * error;
  // What is counted is not negative, and so is no ratio.
  const low = Math.max(Math.min(0, estimate), estimate - reach);
  return { estimate, interval: { low, high: estimate + reach }, method: "t" };
}
