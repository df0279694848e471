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
import type { Missing } from "./missing.ts";
import {
  emptyLine,
  itemMeans,
  type RateKind,
  type RateLine,
  type RateRequest,
  singleItems,
} from "./rate-line.ts";
import { resultsOf, runCounts } from "./run-counts.ts";
import { type RunFacts, runFacts } from "./run-facts.ts";
import { fitsFilter, type Tested } from "./subject-totals.ts";

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
  if (Object.keys(filter).length === 0) return [...scores];
  const wanted: ConversationScore[] = [];
  for (const score of scores) {
    const hasStatus = filter.status === undefined || filter.status === score.status;
    if (hasStatus && fitsFilter(score, filter)) wanted.push(score);
  }
  return wanted;
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
  const found = new Set(facts.outcomes);
  for (const { outcomes } of scores) for (const name of outcomes.keys()) found.add(name);
  const kinds = scenarioKinds(scores);
  return declaredRequests(found, facts, names).flatMap((declared): readonly RateRequest[] => {
    const range = rangeOf(declared, scores, facts);
    const request = range === undefined ? declared : { ...declared, range };
    const { assertion, number } = kinds.get(request.name) ?? {};
    if (assertion === undefined || number === undefined) return [request];
    // An assertion in one scenario and a number in another are two things.
    return [assertion, number].map((scenarios) => ({ ...request, scenarios }));
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

/** Some outcomes and all declared rates, or those that are named. Throws `RunError` for a name that is neither. */
export function declaredRequests(
  outcomes: ReadonlySet<string>,
  facts: RunFacts,
  names?: readonly string[],
): readonly RateRequest[] {
  const declared = new Map<string, RateDeclaration>([
    ...[...outcomes].map((name) => [name, { of: name }] as const),
    ...facts.rates,
  ]);
  if (names === undefined) return [...declared].map(([name, declaration]) => ({ name, declaration }));
  return names.map((name) => {
    const declaration = declared.get(name);
    if (declaration !== undefined) return { name, declaration };
    const { nearest } = nearestOf(name, declared.keys());
    const there = declared.size === 0 ? "There are none." : `There are ${[...declared.keys()].join(", ")}.`;
    const hint = nearest === undefined ? there : `Did you mean "${nearest}"?`;
    throw new RunError([`There is no outcome or rate "${name}". ${hint}`]);
  });
}

/** The scenarios in which an outcome is an assertion, and those in which it is a number. */
function scenarioKinds(
  scores: readonly ConversationScore[],
): ReadonlyMap<string, Partial<Record<"assertion" | "number", Set<string>>>> {
  const kinds = new Map<string, Partial<Record<"assertion" | "number", Set<string>>>>();
  for (const { scenario, outcomes } of scores)
    for (const [name, value] of outcomes) {
      const kind = typeof value === "boolean" ? "assertion" : typeof value === "number" ? "number" : null;
      if (kind === null) continue;
      const known = memoize(kinds, name, (): Partial<Record<"assertion" | "number", Set<string>>> => ({}));
      known[kind] ??= new Set();
      known[kind].add(scenario);
    }
  return kinds;
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
  { name, declaration }: RateRequest,
  ratio: RatioDeclaration,
  scores: readonly ConversationScore[],
  group: GroupValues,
): readonly RateLine[] {
  const found = factorOf(ratio.over, scores);
  if (found === null) return [];
  const [factor, base] = found;
  const at = (level: string): readonly ConversationScore[] =>
    scores.filter(({ variant }) => variant?.[factor] === level);
  const levels = new Set(
    scores.flatMap(({ variant }) => (variant?.[factor] === undefined ? [] : [variant[factor]])),
  );
  const below = itemMeans(at(base), declaration);
  return [...levels]
    .filter((level) => level !== base)
    .map((level) => {
      const above = itemMeans(at(level), declaration);
      const pairs = [...above].flatMap(([item, value]) => {
        const other = below.get(item);
        return other === undefined ? [] : [[value, other] as const];
      });
      const usable = ratio.as === "ratio_of_means" ? pairs : pairs.filter(([, other]) => other !== 0);
      const line = emptyLine({
        name,
        kind: "ratio",
        group: { ...group, [`variant.${factor}`]: `${level} over ${base}` },
      });
      const counts = {
        ...singleItems(usable.length),
        n: usable.length,
        excluded: pairs.length - usable.length,
      };
      return { ...line, ...counts, ...ratioEstimate(usable, ratio.as ?? "mean_of_ratios") };
    });
}

type Estimate = Pick<RateLine, "estimate" | "interval" | "method" | "reason">;

function ratioEstimate(
  pairs: readonly (readonly [number, number])[],
  as: NonNullable<RatioDeclaration["as"]>,
): Estimate {
  if (pairs.length === 0) return { estimate: null, interval: null, method: null, reason: "no pair of items" };
  if (as === "mean_of_ratios") {
    const result = clusteredMean(
      pairs.map(([above, below]) => above / below),
      null,
    );
    return asEstimate(result?.mean ?? null, result?.standardError ?? null, pairs.length);
  }
  const top = mean(pairs.map(([above]) => above)) as number;
  const bottom = mean(pairs.map(([, below]) => below)) as number;
  if (bottom === 0) return { estimate: null, interval: null, method: null, reason: "the denominator is 0" };
  const ratio = top / bottom;
  // The ratio of two means moves with each item by its distance from the line through both means.
  const error = clusteredMean(
    pairs.map(([above, below]) => (above - ratio * below) / bottom),
    null,
  )?.standardError;
  return asEstimate(ratio, error ?? null, pairs.length);
}

function asEstimate(estimate: number | null, error: number | null, items: number): Estimate {
  if (estimate === null || error === null || items < 2)
    return { estimate, interval: null, method: null, reason: "one item only" };
  if (error === 0) return { estimate, interval: null, method: null, reason: "all values are equal" };
  const reach = studentQuantile(0.95, items - 1) * error;
  // What is counted is not negative, and so is no ratio.
  const low = Math.max(Math.min(0, estimate), estimate - reach);
  return { estimate, interval: { low, high: estimate + reach }, method: "t" };
}
