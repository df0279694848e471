import { SELF_JUDGE } from "../../../core/defaults.ts";
import { memoize } from "../../../core/lazy.ts";
import { holm } from "../../../core/statistics/many-tests.ts";
import { RunError } from "../../../engine/journal/failure.ts";
import type { ConversationScore, ScoreOptions, Store } from "../../../engine/journal/store/store.ts";
import { storedRun } from "../../../engine/journal/transfer/stored-run.ts";
import { compareMacro, compareMicro } from "./averages.ts";
import { type ComparedPairs, type ComparisonLine, compareRate, type Pair } from "./comparison.ts";
import {
  type GroupValues,
  groupKey,
  groupsBy,
  macroGroups,
  needsRowValues,
  refuseUnknownGroups,
} from "./grouping.ts";
import type { RateRequest } from "./rate-line.ts";
import { type Average, declaredRequests, overallGroup } from "./rates.ts";
import { type Missing, missingOf, resultsOf, totalOf } from "./run-counts.ts";
import { type RunFacts, runFacts } from "./run-facts.ts";
import { PlaceNumbers, ScoreTable } from "./score-table.ts";

/** One side of a comparison: the conversations of a subject, or of a run. */
export interface Side {
  readonly label: string;
  /** Read once. */
  readonly scores: (options?: ScoreOptions) => Iterable<ConversationScore>;
  readonly facts: RunFacts;
  readonly judges: number;
  /** What of it counts in no rate, if it is known. */
  readonly missing?: Missing;
}

/** What is compared, and how. */
export interface CompareOptions {
  /** The outcomes and declared rates (default: all that both sides have). */
  readonly names?: readonly string[];
  /** Compares within each group. */
  readonly by?: readonly string[];
  /** Adds a line over all groups: pooled, or the mean over groups. */
  readonly average?: Average;
  /** True to compare scenarios although their definitions differ, and rows although their content does. */
  readonly acrossVersions?: boolean;
}

/** Why conversations have no partner. */
export interface Unpaired {
  readonly reason: string;
  readonly count: number;
  /** Some of their scenarios or items, as text. */
  readonly examples: readonly string[];
}

/** A scenario whose definition is not the same on both sides. */
export interface OtherVersion {
  readonly scenario: string;
  readonly a: string;
  readonly b: string;
}

/** Two sides compared. */
export interface Comparison {
  readonly a: string;
  readonly b: string;
  readonly pairs: number;
  readonly lines: readonly ComparisonLine[];
  readonly unpaired: readonly Unpaired[];
  /** Left out, unless versions may differ. */
  readonly versions: readonly OtherVersion[];
  readonly acrossVersions: boolean;
  /** Who read the replies of each side. `isOwn` if these are the subjects' own models on both. */
  readonly judges: { readonly a: readonly string[]; readonly b: readonly string[]; readonly isOwn: boolean };
  /** What counts in no rate: if it is much on either side, the comparison may be unfair. */
  readonly missing: { readonly a: Missing | null; readonly b: Missing | null };
}

/** Compares pairs of sides; p-values are adjusted for all lines of all comparisons. */
export function compareAll(
  pairs: readonly (readonly [Side, Side])[],
  options: CompareOptions = {},
): readonly Comparison[] {
  const kept: KeptTables = new Map();
  const compared = pairs.map((pair) => compareSides(pair, options, kept));
  const adjusted = holm(compared.flatMap(({ lines }) => lines.map(({ p }) => p)));
  let next = 0;
  return compared.map((comparison) => ({
    ...comparison,
    lines: comparison.lines.map((line) => ({ ...line, adjusted: adjusted[next++] ?? null })),
  }));
}

/**
 * Compares two runs of a store, conversation by conversation.
 *
 * @example
 * const { lines } = compareRuns(store, "monday", "tuesday");
 */
export function compareRuns(store: Store, a: string, b: string, options: CompareOptions = {}): Comparison {
  const [comparison] = compareAll([[runSide(store, a), runSide(store, b)]], options);
  return comparison as Comparison;
}

/** A run as a side; with a subject, only its conversations. */
export function runSide(store: Store, run: string, subject?: string): Side {
  const { run: name, start } = storedRun(store, run);
  return {
    label: subject ?? name,
    scores: (options) => store.scores(name, { ...options, ...(subject === undefined ? {} : { subject }) }),
    facts: runFacts(store, [name]),
    judges: start.judges.length,
    missing: missingOf(totalOf(resultsOf(store, name, subject === undefined ? {} : { subject }))),
  };
}

function compareSides(
  sides: readonly [Side, Side],
  { by = [], acrossVersions = false, average, names }: CompareOptions,
  kept: KeptTables,
): Comparison {
  const [sideA, sideB] = sides;
  const facts = mergedFacts(sideA.facts, sideB.facts);
  const groupings = [by, ...macroGroups(facts).map((name) => [name])].filter((one) => one.length > 0);
  const tables = tablesOf(sides, { groupings, facts, kept });
  const { a, b } = tables;
  refuseUnknownGroups(by, {
    factors: new Set([...a.names.factors, ...b.names.factors]),
    columns: new Set([...a.names.columns, ...b.names.columns]),
    facts,
  });
  const versions = otherVersions(a, b);
  const { pairs, unpaired } = pairUp(tables, {
    labels: [sideA.label, sideB.label],
    apart: new Set(acrossVersions ? [] : versions.map(({ scenario }) => scenario)),
    acrossVersions,
  });
  if (pairs.length === 0) throw new RunError([nothingShared(sides, { tables, versions, unpaired })]);
  const requests = requestsFor(facts, tables, names);
  const groups = by.length === 0 ? [{ group: {}, pairs }] : groupedPairs(tables, by, pairs);
  const overall = average === undefined ? [] : overallGroups(groups, by, average);
  const lines = [
    ...groups.flatMap((own) => requests.map((request) => compareDeclared(request, { ...tables, ...own }))),
    ...requests.flatMap((request) =>
      overall.map((own) => {
        if (request.declaration.average !== undefined)
          return compareDeclared(request, { ...tables, ...own, pairs: [...new Set(own.parts.flat())] });
        return (average === "macro" ? compareMacro : compareMicro)(request, { ...tables, ...own });
      }),
    ),
  ].filter(({ pairs: found, left }) => found + left.inconclusive + left.errors > 0);
  return {
    a: sideA.label,
    b: sideB.label,
    pairs: pairs.length,
    ...{ lines, unpaired, versions, acrossVersions },
    judges: {
      a: judgesOf(a),
      b: judgesOf(b),
      isOwn: a.judges.has(SELF_JUDGE) && b.judges.has(SELF_JUDGE),
    },
    missing: { a: sideA.missing ?? null, b: sideB.missing ?? null },
  };
}

/** The conversations of both sides. */
type Tables = Pick<ComparedPairs, "a" | "b">;

/** The tables that several comparisons may need, by whether conversations are paired by judge. */
type KeptTables = Map<boolean, { readonly numbers: PlaceNumbers; readonly tables: Map<Side, ScoreTable> }>;

/** Reads both sides. One that is compared several times is read once, unless its groups depend on the other side. */
function tablesOf(
  sides: readonly [Side, Side],
  {
    groupings,
    facts,
    kept,
  }: { readonly groupings: readonly (readonly string[])[]; readonly facts: RunFacts; kept: KeptTables },
): Tables {
  // Where each side has several judges, those of a pair are the same.
  const hasJudges = sides.every(({ judges }) => judges > 1);
  const known = groupings.length === 0 ? kept : (new Map() as KeptTables);
  const { numbers, tables } = memoize(known, hasJudges, () => ({
    numbers: new PlaceNumbers(hasJudges),
    tables: new Map<Side, ScoreTable>(),
  }));
  const groupers = groupings.map((by) => groupsBy(by, facts));
  const rowValues = needsRowValues(groupings.flat());
  const [a, b] = sides.map((side) =>
    memoize(
      tables,
      side,
      () =>
        new ScoreTable(side.scores(rowValues ? { rowValues } : {}), {
          numbers,
          groupsOf: (score) => groupers.flatMap((groupsOf) => groupsOf(score)),
        }),
    ),
  ) as [ScoreTable, ScoreTable];
  return { a, b };
}

function judgesOf({ judges, subjects }: ScoreTable): readonly string[] {
  return [...judges].flatMap((judge) => (judge === SELF_JUDGE ? [...subjects] : [judge])).sort();
}

/** One line as its rate declares it: over all pairs, or the mean over groups of them. */
function compareDeclared(request: RateRequest, { pairs, ...compared }: ComparedPairs): ComparisonLine {
  const { average, ...declaration } = request.declaration;
  if (average === undefined) return compareRate(request, { ...compared, pairs });
  const parts = groupedPairs(compared, [average.macro], pairs).map((part) => part.pairs);
  return compareMacro({ ...request, declaration }, { ...compared, parts });
}

type GroupedPairs = Pick<ComparedPairs, "group" | "pairs">;

/** The groups that become one line, with their pairs. */
function overallGroups(
  groups: readonly GroupedPairs[],
  by: readonly string[],
  average: Average,
): readonly { readonly group: GroupValues; readonly parts: readonly (readonly Pair[])[] }[] {
  const others = by.filter((name) => name !== "subject" && name !== "judge");
  if (others.length === 0) return [];
  const overall = groups.map(({ group, pairs }) => ({ group: overallGroup(group, others, average), pairs }));
  return [...Map.groupBy(overall, ({ group }) => groupKey(group)).values()].map((own) => ({
    group: own[0]?.group ?? {},
    parts: own.map(({ pairs }) => pairs),
  }));
}

/** Outcomes and rates of both sides. A ratio of two conditions is not compared. */
function requestsFor(
  facts: RunFacts,
  { a, b }: Tables,
  names: readonly string[] | undefined,
): readonly RateRequest[] {
  const shared = [...a.columns.keys()].filter((name) => b.columns.has(name));
  const order = [...facts.outcomes.filter((name) => shared.includes(name)), ...shared];
  const requests = declaredRequests(new Set(order), facts, names);
  return requests.filter(
    ({ declaration: { of, mean, ratio } }) => ratio === undefined && shared.includes(of ?? mean ?? ""),
  );
}

function mergedFacts(a: RunFacts, b: RunFacts): RunFacts {
  return {
    outcomes: [...new Set([...b.outcomes, ...a.outcomes])],
    hidden: new Set([...(a.hidden ?? []), ...(b.hidden ?? [])]),
    rates: new Map([...a.rates, ...b.rates]),
    scenarios: new Map([...a.scenarios, ...b.scenarios]),
  };
}

function otherVersions(a: ScoreTable, b: ScoreTable): readonly OtherVersion[] {
  return [...a.hashes].flatMap(([scenario, hashes]) => {
    const others = b.hashes.get(scenario);
    const one = [...hashes].sort().join(" ");
    const other = others === undefined ? one : [...others].sort().join(" ");
    return one === other ? [] : [{ scenario, a: one.slice(0, 12), b: other.slice(0, 12) }];
  });
}

/** Why conversations about a row that asks something else are not paired. */
export const CHANGED_ROW = "the content of the row has changed";

function pairUp(
  { a, b }: Tables,
  {
    labels,
    apart,
    acrossVersions,
  }: {
    readonly labels: readonly [string, string];
    /** Scenarios that are left out, because their versions differ. */
    readonly apart: ReadonlySet<string>;
    readonly acrossVersions: boolean;
  },
): { readonly pairs: readonly Pair[]; readonly unpaired: readonly Unpaired[] } {
  const pairs: Pair[] = [];
  const reasons = new Map<string, { count: number; readonly examples: Set<string> }>();
  const note = (reason: string, example: string): void => {
    const known = memoize(reasons, reason, () => ({ count: 0, examples: new Set<string>() }));
    known.count++;
    if (known.examples.size < 5) known.examples.add(example);
  };
  const [itemsOfA, itemsOfB] = [new Set(a.items), new Set(b.items)];
  const alone = (place: number, isInA: boolean): void => {
    const [table, other, label] = isInA ? [a, b, labels[0]] : [b, a, labels[1]];
    const [scenario, item] = [table.scenarios[place] as string, table.items[place] as string];
    if (!other.hashes.has(scenario)) note(`scenario only in ${label}`, scenario);
    else if (!(isInA ? itemsOfB : itemsOfA).has(item)) note(`row only in ${label}`, table.itemName(place));
    else note(`variant, arm or replicate only in ${label}`, table.itemName(place));
  };
  for (const [key, place] of a.places.entries()) {
    const partner = b.places[key];
    if (place === undefined) continue;
    const scenario = a.scenarios[place] as string;
    const [hash, otherHash] = [a.itemHashes[place], partner === undefined ? null : b.itemHashes[partner]];
    if (partner === undefined) alone(place, true);
    else if (apart.has(scenario)) note("another version of the scenario", scenario);
    else if (!acrossVersions && hash != null && otherHash != null && hash !== otherHash)
      note(CHANGED_ROW, b.itemName(partner));
    else pairs.push([place, partner]);
  }
  for (const [key, place] of b.places.entries())
    if (place !== undefined && a.places[key] === undefined) alone(place, false);
  for (const [i, table] of [a, b].entries())
    for (const name of table.repeated)
      note(`more than one conversation in the same place in ${labels[i]}`, name);
  const unpaired = [...reasons].map(([reason, { count, examples }]) => ({
    reason,
    count,
    examples: [...examples],
  }));
  return { pairs, unpaired };
}

/** Pairs by the groups of their first conversation; by columns of rows that only the other side knows, by those of the second. */
function groupedPairs(
  { a, b }: Tables,
  by: readonly string[],
  pairs: readonly Pair[],
): readonly GroupedPairs[] {
  const side = needsRowValues(by) && a.names.columns.size === 0 && b.names.columns.size > 0 ? 1 : 0;
  const byPlace = new Map(pairs.map((pair) => [pair[side], pair]));
  return [...(side === 0 ? a : b).groups.values()]
    .filter(({ group }) => Object.keys(group).join() === by.join())
    .map(({ group, members }) => ({
      group,
      pairs: members.map((place) => byPlace.get(place)).filter((pair) => pair !== undefined),
    }));
}

function nothingShared(
  [a, b]: readonly [Side, Side],
  { tables, versions, unpaired }: { readonly tables: Tables } & Pick<Comparison, "versions" | "unpaired">,
): string {
  if (tables.a.conversations.length === 0 || tables.b.conversations.length === 0)
    return `There is nothing to compare: ${a.label} or ${b.label} has no conversations.`;
  if (versions.length > 0) {
    const hashes = versions
      .slice(0, 5)
      .map(({ scenario, a: one, b: other }) => `${scenario} (${one} and ${other})`);
    return `${a.label} and ${b.label} have other versions of their scenarios: ${hashes.join(", ")}. To compare them anyway: --across-versions`;
  }
  const reasons = unpaired.map(({ reason, examples }) => `${reason} (${examples.slice(0, 3).join(", ")})`);
  const isChanged = unpaired.some(({ reason }) => reason === CHANGED_ROW);
  const hint = isChanged ? " To compare changed rows anyway: --across-versions" : "";
  return `${a.label} and ${b.label} have no conversation in common: ${reasons.join("; ")}.${hint}`;
}
