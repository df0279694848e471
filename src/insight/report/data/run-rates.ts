import { hasLevels } from "../../../engine/journal/cell.ts";
import { RunError } from "../../../engine/journal/failure.ts";
import { POOR_SHARE } from "../../../engine/journal/judge-health.ts";
import { resultRows } from "../../../engine/journal/store/results.ts";
import type {
  ConversationFilter,
  ConversationScore,
  ResultRow,
  RunSummary,
  Store,
} from "../../../engine/journal/store/store.ts";
import { type Comparison, compareAll, type Side } from "./compare-sides.ts";
import { macroGroups, needsRowValues } from "./grouping.ts";
import { type OutcomeLine, type OutcomeRates, outcomeRates, type RatedOutcome } from "./outcome-rates.ts";
import { type RateLine, singleItems } from "./rate-line.ts";
import { ratesOf, wantedScores } from "./rates.ts";
import { type RunFacts, runFacts } from "./run-facts.ts";
import { fitsFilter, type Tested, testedKey } from "./subject-totals.ts";

/**
 * The rates of a run: outcomes in the order in which its scenarios declare them, then the declared rates.
 */
export function runRates(
  store: Store,
  { run, start, judges }: RunSummary,
  filter: ConversationFilter = {},
): OutcomeRates {
  const isPart = Object.keys(filter).length > 0;
  const rows = resultsOf(store, run, filter);
  // The plan of the whole run does not apply to a part of it.
  const pooled = isPart ? outcomeRates(rows) : outcomeRates(rows, start);
  const facts = runFacts(store, [run]);
  const rowValues = needsRowValues(macroGroups(facts));
  const scores = ratedScores(store, run, filter, rowValues);
  const report = ratesOf(scores, facts, { by: ["subject", "judge"] });
  const names = [...new Set(report.lines.map(({ name }) => name))];
  const outcomes = names.flatMap((name) => {
    const own = report.lines.filter((line) => line.name === name);
    const isRate = (line: RateLine): boolean => line.kind === "rate";
    // What is not decided anywhere may be either.
    const known = own.filter(({ estimate }) => estimate !== null);
    // An assertion in one scenario and a number in another stand one after the other.
    const parts =
      known.some(isRate) && known.some((line) => line.kind === "mean")
        ? [own.filter(isRate), own.filter((line) => !isRate(line))]
        : [own];
    return parts.flatMap((lines) => ratedOutcomes(name, lines, pooled));
  });
  // What rules leave is not a random part, so that without a judge nobody can be called the best.
  const isByRulesAlone = judges.length === 0 && pooled.missing.some(({ unread }) => unread.count > 0);
  const winners = bestSubjects(scores, facts, () => wantedScores(store.scores(run, { rowValues }), filter));
  const best = new Map(
    (isByRulesAlone ? [] : [...winners]).filter(([name, winner]) =>
      outcomes.every((rated) => rated.outcome !== name || standsOut(rated, winner, directionOf(name, facts))),
    ),
  );
  return { ...pooled, outcomes, health: judges, best };
}

/** The scores that rates are computed from. Turns are read only if an outcome is inconclusive: reading them takes as long as the rest. */
function ratedScores(
  store: Store,
  run: string,
  filter: ConversationFilter,
  rowValues: boolean,
): readonly ConversationScore[] {
  const turns = store
    .tallies(run)
    .some(({ outcomes }) => outcomes.some(({ value }) => value === "inconclusive"));
  return wantedScores(store.scores(run, { turns, rowValues }), filter);
}

/** The results of a part of a run. */
export function resultsOf(store: Store, run: string, filter: ConversationFilter): readonly ResultRow[] {
  const { variant } = filter;
  if (variant === undefined) return store.results(run).filter((row) => fitsFilter(row, filter));
  const tallies = store.tallies(run).filter((tally) => hasLevels(tally.variant, variant));
  return resultRows(tallies).filter((row) => fitsFilter(row, filter));
}

/** The same without intervals and declared rates, added up by the store: quick, for lists of runs. */
export function pooledRates(store: Store, { run, start }: RunSummary): OutcomeRates {
  const pooled = outcomeRates(store.results(run), start);
  const order = runFacts(store, [run]).outcomes;
  const placeOf = ({ outcome }: RatedOutcome): number =>
    order.includes(outcome) ? order.indexOf(outcome) : order.length;
  const outcomes = pooled.outcomes
    .map((rated): RatedOutcome => {
      // Which conversations belong together is not known here, and so no interval is.
      if (rated.kind !== "assertion") return rated;
      return { ...rated, lines: rated.lines.map((line) => ({ ...line, interval: null, method: null })) };
    })
    .sort((one, other) => placeOf(one) - placeOf(other));
  return { ...pooled, outcomes };
}

interface TotalLine {
  readonly total: Tested;
  readonly line: RateLine | undefined;
}

/** The lines of an outcome or rate, one for each subject and judge; a ratio has one for each level. */
function ratedOutcomes(
  name: string,
  lines: readonly RateLine[],
  { totals }: OutcomeRates,
): readonly RatedOutcome[] {
  const known = lines.filter(({ estimate }) => estimate !== null);
  const levels = new Set(lines.map(({ group }) => levelOf(group)));
  return [...levels].map((level): RatedOutcome => {
    const outcome = level === "" ? name : `${name} (${level})`;
    const own = totals.map(
      (total): TotalLine => ({
        total,
        line: lines.find(
          ({ group }) =>
            group.subject === total.subject && group.judge === total.judge && levelOf(group) === level,
        ),
      }),
    );
    if (known.length === 0)
      return { outcome, kind: "undecided", lines: own.map((one) => ({ ...outcomeLine(one), n: 0 })) };
    if (known.every(({ kind }) => kind === "rate"))
      return {
        outcome,
        kind: "assertion",
        lines: own.map((one) => ({
          ...outcomeLine(one),
          yes: one.line?.yes ?? 0,
          rate: one.line?.estimate ?? null,
          bounds: one.line?.bounds ?? null,
          decided: one.line?.decided ?? null,
        })),
      };
    return {
      outcome,
      kind: "number",
      lines: own.map((one) => ({ ...outcomeLine(one), mean: one.line?.estimate ?? null })),
    };
  });
}

function levelOf({ subject: _, judge: __, ...rest }: RateLine["group"]): string {
  return Object.values(rest).join(", ");
}

const NO_LINE: Omit<RateLine, "name" | "kind" | "group" | "estimate"> = Object.freeze({
  ...{ ...singleItems(0), n: 0, yes: 0, excluded: 0, inconclusive: 0, errors: 0, notApplicable: 0 },
  ...{ interval: null, method: null, bounds: null, decided: null },
});

function outcomeLine({ total, line: known }: TotalLine): OutcomeLine {
  const { subject, judge } = total;
  const line = known ?? NO_LINE;
  const { n, items, variants, replicates, interval, method, reason, macro } = line;
  const { excluded, inconclusive, notApplicable } = line;
  return {
    ...{ subject, judge, n, items, variants, replicates, interval, method },
    ...{ excluded, inconclusive, notApplicable, infrastructure: line.errors },
    ...(reason === undefined ? {} : { reason }),
    ...(macro === undefined ? {} : { macro }),
  };
}

/** Comparing all pairs of more subjects takes too long for a table. */
const MOST = 8;
const LEVEL = 0.05;

/**
 * By outcome with a direction (`good`), the subject that is better than every other one in adjusted paired comparisons; empty with several
 * judges, or more than eight subjects. `named` gives the scores with the replicate of each, for pairs.
 */
function bestSubjects(
  scores: readonly ConversationScore[],
  facts: RunFacts,
  named: () => readonly ConversationScore[],
): ReadonlyMap<string, string> {
  const subjects = [...new Set(scores.map(({ subject }) => subject))];
  const judges = new Set(scores.map(({ judge }) => judge));
  const best = new Map<string, string>();
  if (subjects.length < 2 || subjects.length > MOST || judges.size !== 1) return best;
  // With one item only, no comparison has a p-value.
  if (new Set(scores.map(({ item }) => item)).size < 2) return best;
  if (![...facts.rates.keys(), ...facts.outcomes].some((name) => directionOf(name, facts) !== undefined))
    return best;
  const [judge = ""] = judges;
  const paired = named();
  const sides = subjects.map((subject): Side => {
    const own = paired.filter((score) => score.subject === subject);
    return { label: subject, scores: () => own, facts, judges: 1 };
  });
  const pairs = sides.flatMap((a, i) => sides.slice(i + 1).map((b) => [a, b] as const));
  const wins = new Map<string, Map<string, number>>();
  for (const { a, b, lines } of comparedOrNone(pairs))
    for (const { name, adjusted, difference } of lines) {
      const isGood = directionOf(name, facts);
      if (isGood === undefined || (adjusted ?? 1) >= LEVEL || difference === null) continue;
      const winner = difference > 0 === isGood ? b : a;
      const counts = wins.get(name) ?? new Map<string, number>();
      wins.set(name, counts.set(winner, (counts.get(winner) ?? 0) + 1));
    }
  for (const [name, counts] of wins)
    for (const [subject, count] of counts)
      if (count === subjects.length - 1) best.set(name, testedKey({ subject, judge }));
  return best;
}

/**
 * True if the bounds of the best subject do not overlap with those of any other, so that nothing undecided can change who is best. A number
 * has no bounds: then at most 5 % may be undecided.
 */
function standsOut(rated: RatedOutcome, winner: string, isGood: boolean | undefined): boolean {
  if (rated.kind !== "assertion")
    return rated.lines.every(({ n, inconclusive, infrastructure }: OutcomeLine) => {
      const open = inconclusive + infrastructure;
      return open === 0 || open / (n + open) <= POOR_SHARE;
    });
  const spans = rated.lines.flatMap((line) => {
    const open = line.inconclusive + line.infrastructure;
    const known = line.rate === null ? { low: 0, high: 1 } : { low: line.rate, high: line.rate };
    const span = line.bounds ?? known;
    return line.n + open === 0 ? [] : [{ ...span, isWinner: testedKey(line) === winner }];
  });
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
