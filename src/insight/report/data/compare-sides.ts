import { SELF_JUDGE } from "../../../core/defaults.ts";
import { memoize } from "../../../core/lazy.ts";
import { holm } from "../../../core/statistics/many-tests.ts";
import { itemName } from "../../../engine/journal/cell.ts";
import { RunError } from "../../../engine/journal/failure.ts";
import type { ConversationScore, ScoreOptions, Store } from "../../../engine/journal/store/store.ts";
import { storedRun } from "../../../engine/journal/transfer/stored-run.ts";
import { compareMacro, compareMicro } from "./averages.ts";
import { type ComparedPairs, type ComparisonLine, compareRate, type Pair } from "./comparison.ts";
import {
  type Grouper,
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
  const tables = new SideTables(pairs.flat());
  const compared = pairs.map(([a, b]) => compareSides(a, b, options, tables));
  const adjusted = holm(compared.flatMap(({ lines }) => lines.map(({ p }) => p)));
  let next = 0;
  return compared.map((comparison) => ({
    ...comparison,
    lines: comparison.lines.map((line) => ({ ...line, adjusted: adjusted[next++] ?? null })),
  }));
}

/** The tables of sides. One that is compared several times is read once. */
class SideTables {
  /** The sides that are compared again, with their tables. */
  readonly #kept = new Map<Side, Map<boolean, ScoreTable>>();
  readonly #numbers = new Map<boolean, PlaceNumbers>();

  constructor(sides: readonly Side[]) {
    const seen = new Set<Side>();
    for (const side of sides) {
      if (seen.has(side)) this.#kept.set(side, new Map());
      seen.add(side);
    }
  }

  /** Both tables of a comparison. Where each side has several judges, those of a pair are the same. */
  of(pair: readonly [Side, Side]): readonly [ScoreTable, ScoreTable] {
    const hasJudges = pair.every(({ judges }) => judges > 1);
    const tableOf = (side: Side): ScoreTable => {
      const kept = this.#kept.get(side);
      // The table of a side that is compared once is not kept.
      const numbers = memoize(this.#numbers, hasJudges, () => new PlaceNumbers(hasJudges));
      const make = (): ScoreTable => new ScoreTable(side.scores(), { numbers });
      return kept === undefined ? make() : memoize(kept, hasJudges, make);
    };
    if (!pair.some((side) => this.#kept.has(side))) this.#numbers.clear();
    return [tableOf(pair[0]), tableOf(pair[1])];
  }
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

function compareSides(sideA: Side, sideB: Side, options: CompareOptions, tables: SideTables): Comparison {
  const { by = [], acrossVersions = false } = options;
  const facts = mergedFacts(sideA.facts, sideB.facts);
  const groupings = [by, ...macroGroups(facts).map((name) => [name])].filter((names) => names.length > 0);
  const [a, b] =
    groupings.length === 0 ? tables.of([sideA, sideB]) : groupedTables([sideA, sideB], groupings, facts);
  refuseUnknownGroups(by, {
    factors: new Set([...a.names.factors, ...b.names.factors]),
    columns: new Set([...a.names.columns, ...b.names.columns]),
    facts,
  });
  const versions = otherVersions(a, b);
  const apart = new Set(acrossVersions ? [] : versions.map(({ scenario }) => scenario));
  const { pairs, unpaired } = pairUp({ a, b, labels: [sideA.label, sideB.label], apart, acrossVersions });
  if (pairs.length === 0)
    throw new RunError([
      nothingShared(sideA, sideB, {
        versions,
        unpaired,
        isEmpty: a.conversations.length === 0 || b.conversations.length === 0,
      }),
    ]);
  const requests = requestsFor(facts, a, b, options.names);
  const groups = by.length === 0 ? [{ group: {}, pairs }] : groupedPairs({ a, b, by }, pairs);
  const lines = [
    ...groups.flatMap(({ group, pairs: own }) =>
      requests.map((request) => compareDeclared(request, { a, b, pairs: own, group })),
    ),
    ...(by.length === 0
      ? []
      : requests.flatMap((request) => averageLines(request, { a, b, by, groups, average: options.average }))),
  ].filter(hasPairs);
  return {
    a: sideA.label,
    b: sideB.label,
    pairs: pairs.length,
    lines,
    unpaired,
    versions,
    acrossVersions,
    judges: {
      a: judgesOf(a),
      b: judgesOf(b),
      isOwn: a.judges.has(SELF_JUDGE) && b.judges.has(SELF_JUDGE),
    },
    missing: { a: sideA.missing ?? null, b: sideB.missing ?? null },
  };
}

function judgesOf({ judges, subjects }: ScoreTable): readonly string[] {
  return [...judges].flatMap((judge) => (judge === SELF_JUDGE ? [...subjects] : [judge])).sort();
}

/** One line as its rate declares it: over all pairs, or the mean over groups of them. */
function compareDeclared(request: RateRequest, { a, b, pairs, group }: ComparedPairs): ComparisonLine {
  const { average, ...declaration } = request.declaration;
  if (average === undefined) return compareRate(request, { a, b, pairs, group });
  const parts = groupedPairs({ a, b, by: [average.macro] }, pairs).map((part) => part.pairs);
  return compareMacro({ ...request, declaration }, { a, b, group, parts });
}

/** Tables whose conversations are in groups, which depend on both sides. */
function groupedTables(
  [a, b]: readonly [Side, Side],
  groupings: readonly (readonly string[])[],
  facts: RunFacts,
): readonly [ScoreTable, ScoreTable] {
  const numbers = new PlaceNumbers(a.judges > 1 && b.judges > 1);
  const groupers = groupings.map((by) => groupsBy(by, facts));
  const groupsOf: Grouper = (score) => groupers.flatMap((groups) => groups(score));
  const tableOf = (side: Side): ScoreTable =>
    new ScoreTable(side.scores({ rowValues: needsRowValues(groupings.flat()) }), { numbers, groupsOf });
  return [tableOf(a), tableOf(b)];
}

function hasPairs({ pairs, left }: ComparisonLine): boolean {
  return pairs + left.inconclusive + left.errors > 0;
}

interface GroupedPairs {
  readonly group: ComparisonLine["group"];
  readonly pairs: readonly Pair[];
}

/** Lines over all groups, if the options ask for an average. */
function averageLines(
  request: RateRequest,
  {
    a,
    b,
    by,
    groups,
    average,
  }: {
    readonly a: ScoreTable;
    readonly b: ScoreTable;
    readonly by: readonly string[];
    readonly groups: readonly GroupedPairs[];
    readonly average: Average | undefined;
  },
): readonly ComparisonLine[] {
  const others = by.filter((name) => name !== "subject" && name !== "judge");
  if (average === undefined || others.length === 0) return [];
  const overall = Map.groupBy(groups, ({ group }) => groupKey(overallGroup(group, others, average)));
  return [...overall.values()].map((parts) => {
    const group = overallGroup(parts[0]?.group ?? {}, others, average);
    const compared = { a, b, group, parts: parts.map(({ pairs }) => pairs) };
    if (request.declaration.average !== undefined)
      return compareDeclared(request, { a, b, group, pairs: [...new Set(compared.parts.flat())] });
    return average === "macro" ? compareMacro(request, compared) : compareMicro(request, compared);
  });
}

/** Outcomes and rates of both sides. A ratio of two conditions is not compared. */
function requestsFor(
  facts: RunFacts,
  a: ScoreTable,
  b: ScoreTable,
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

interface PairingSides {
  readonly a: ScoreTable;
  readonly b: ScoreTable;
  readonly labels: readonly [string, string];
  /** Scenarios that are left out, because their versions differ. */
  readonly apart: ReadonlySet<string>;
  readonly acrossVersions: boolean;
}

/** Why conversations about a row that asks something else are not paired. */
export const CHANGED_ROW = "the content of the row has changed";

function pairUp({ a, b, labels, apart, acrossVersions }: PairingSides): {
  readonly pairs: readonly Pair[];
  readonly unpaired: readonly Unpaired[];
} {
  const pairs: Pair[] = [];
  const reasons = new Map<string, { count: number; readonly examples: Set<string> }>();
  const note = (reason: string, example: string): void => {
    const known = reasons.get(reason) ?? { count: 0, examples: new Set() };
    reasons.set(reason, known);
    known.count++;
    if (known.examples.size < 5) known.examples.add(example);
  };
  const itemsOf = (table: ScoreTable): ReadonlySet<string> => new Set(table.items);
  const items = [itemsOf(a), itemsOf(b)] as const;
  const alone = (table: ScoreTable, place: number, side: 0 | 1): void => {
    const other = side === 0 ? b : a;
    const [scenario, item] = [table.scenarios[place] as string, table.items[place] as string];
    if (!other.hashes.has(scenario)) note(`scenario only in ${labels[side]}`, scenario);
    else if (!items[side === 0 ? 1 : 0].has(item)) note(`row only in ${labels[side]}`, itemName(item));
    else note(`variant, arm or replicate only in ${labels[side]}`, itemName(item));
  };
  for (const [key, place] of a.places.entries()) {
    const partner = b.places[key];
    if (place === undefined) continue;
    if (partner === undefined) alone(a, place, 0);
    else if (apart.has(a.scenarios[place] as string))
      note("another version of the scenario", a.scenarios[place] as string);
    else if (!acrossVersions && isOtherContent(a.itemHashes[place], b.itemHashes[partner]))
      note(CHANGED_ROW, itemName(a.items[place] as string));
    else pairs.push([place, partner]);
  }
  for (const [key, place] of b.places.entries())
    if (place !== undefined && a.places[key] === undefined) alone(b, place, 1);
  for (const [table, label] of [
    [a, labels[0]],
    [b, labels[1]],
  ] as const)
    for (const name of table.repeated) note(`more than one conversation in the same place in ${label}`, name);
  const unpaired = [...reasons].map(([reason, { count, examples }]) => ({
    reason,
    count,
    examples: [...examples],
  }));
  return { pairs, unpaired };
}

/** Whether two conversations about the same row asked something else. */
function isOtherContent(a: string | null | undefined, b: string | null | undefined): boolean {
  return a != null && b != null && a !== b;
}

/** Pairs by the groups of their first conversation; by columns of rows that only the other side knows, by those of the second. */
function groupedPairs(
  { a, b, by }: { readonly a: ScoreTable; readonly b: ScoreTable; readonly by: readonly string[] },
  pairs: readonly Pair[],
): readonly GroupedPairs[] {
  const side = needsRowValues(by) && a.names.columns.size === 0 && b.names.columns.size > 0 ? 1 : 0;
  const byPlace = new Map(pairs.map((pair) => [pair[side], pair]));
  return [...(side === 0 ? a : b).groups.values()]
    .filter(({ group }) => Object.keys(group).join() === by.join())
    .map(({ group, members }) => ({
      group,
      pairs: members.flatMap((place) => {
        const pair = byPlace.get(place);
        return pair === undefined ? [] : [pair];
      }),
    }));
}

function nothingShared(
  a: Side,
  b: Side,
  found: {
    readonly versions: readonly OtherVersion[];
    readonly unpaired: readonly Unpaired[];
    readonly isEmpty: boolean;
  },
): string {
  if (found.isEmpty) return `There is nothing to compare: ${a.label} or ${b.label} has no conversations.`;
  if (found.versions.length > 0) {
    const hashes = found.versions
      .slice(0, 5)
      .map(({ scenario, a: one, b: other }) => `${scenario} (${one} and ${other})`);
    return `${a.label} and ${b.label} have other versions of their scenarios: ${hashes.join(", ")}. To compare them anyway: --across-versions`;
  }
  const reasons = found.unpaired.map(
    ({ reason, examples }) => `${reason} (${examples.slice(0, 3).join(", ")})`,
  );
  const hint = found.unpaired.some(({ reason }) => reason === CHANGED_ROW)
    ? " To compare changed rows anyway: --across-versions"
    : "";
  return `${a.label} and ${b.label} have no conversation in common: ${reasons.join("; ")}.${hint}`;
}
