import { memoize } from "../../../core/lazy.ts";
import { RunError } from "../../../engine/journal/failure.ts";
import { type JudgeHealth, POOR_SHARE } from "../../../engine/journal/judge-health.ts";
import type {
  ConversationFilter,
  ConversationScore,
  ResultRow,
  RunSummary,
  Store,
} from "../../../engine/journal/store/store.ts";
import { type Comparison, compareAll, type Side } from "./compare-sides.ts";
import { macroGroups, needsRowValues } from "./grouping.ts";
import { emptyLine, type RateLine, singleItems } from "./rate-line.ts";
import { type RatedOutcome, ratesOf, wantedScores } from "./rates.ts";
import { type RunCounts, resultsOf, runCounts, type Tested, testedKey } from "./run-counts.ts";
import { type RunFacts, runFacts } from "./run-facts.ts";

/** The results of a run, over all its scenarios. */
export interface RunRates extends RunCounts {
  /** One that is true or false in some scenarios and a number in others stands twice. */
  readonly outcomes: readonly RatedOutcome[];
  /** The health of each judge model; empty without judges. */
  readonly health: readonly JudgeHealth[];
  /** By outcome, who is better than every other subject; only if paired comparisons show it. As `testedKey`. */
  readonly best?: ReadonlyMap<string, string>;
}

/** The rates of a run: outcomes in the order in which its scenarios declare them, then the declared rates. */
export function runRates(
  store: Store,
  { run, start, judges }: RunSummary,
  filter: ConversationFilter = {},
): RunRates {
  // The plan of the whole run does not apply to a part of it.
  const plan = Object.keys(filter).length === 0 ? start : undefined;
  const counts = runCounts(resultsOf(store, run, filter), plan);
  const facts = runFacts(store, [run]);
  const rowValues = needsRowValues(macroGroups(facts));
  // Turns are read only if an outcome is inconclusive: reading them takes as long as the rest.
  const turns = store
    .tallies(run)
    .some(({ outcomes }) => outcomes.some(({ value }) => value === "inconclusive"));
  const scores = wantedScores(store.scores(run, { turns, rowValues }), filter);
  const all = { ...facts, hidden: new Set<string>() };
  const { lines } = ratesOf(scores, all, { by: ["subject", "judge"] });
  const factor = smallFactor(scores);
  const levels = factor === undefined ? [] : ratesOf(scores, all, { by: ["subject", "judge", factor] }).lines;
  const outcomes = [...Map.groupBy(lines, ({ name }) => name).values()].flatMap((own) => {
    const isRate = ({ kind }: RateLine): boolean => kind === "rate";
    // What is not decided anywhere may be either.
    const known = own.filter(({ estimate }) => estimate !== null);
    const isBoth = known.some(isRate) && known.some(({ kind }) => kind === "mean");
    const parts = isBoth ? [own.filter(isRate), own.filter((line) => !isRate(line))] : [own];
    return parts.flatMap((part) =>
      ratedOutcomes(part, counts.totals).map((rated): RatedOutcome => {
        const own = levels.filter(
          ({ name, kind, group }) =>
            name === rated.outcome && kind === rated.kind && group[factor ?? ""] !== null,
        );
        return {
          ...rated,
          ...(own.length === 0 ? {} : { levels: own }),
          ...(facts.hidden?.has(rated.outcome) ? { shown: false } : {}),
        };
      }),
    );
  });
  // What rules leave is not a random part, so that without a judge nobody can be called the best.
  const isByRulesAlone = judges.length === 0 && counts.missing.some(({ unread }) => unread.count > 0);
  const best = isByRulesAlone ? new Map<string, string>() : bestSubjects(scores, outcomes, facts);
  return { ...counts, outcomes, health: judges, best };
}

/** More levels would make the table long. */
const MOST_LEVELS = 4;

/** The only factor of all variants, if it has few levels: `variant.style`. */
function smallFactor(scores: readonly ConversationScore[]): string | undefined {
  const variants = new Set(scores.map(({ variant }) => variant).filter((variant) => variant !== null));
  const factors = new Set([...variants].flatMap(Object.keys));
  const levels = new Set([...variants].flatMap((variant) => Object.values(variant)));
  const isSmall = factors.size === 1 && levels.size > 1 && levels.size <= MOST_LEVELS;
  return isSmall ? `variant.${[...factors][0]}` : undefined;
}

/** The lines of an outcome or rate, one for each subject and judge; a ratio has one for each level. */
function ratedOutcomes(lines: readonly RateLine[], totals: readonly Tested[]): readonly RatedOutcome[] {
  const kind = lines.find(({ estimate }) => estimate !== null)?.kind ?? null;
  const levelOf = ({ group: { subject: _, judge: __, ...rest } }: RateLine): string =>
    Object.values(rest).join(", ");
  return [...Map.groupBy(lines, levelOf)].map(([level, own]): RatedOutcome => {
    const name = own[0]?.name ?? "";
    return {
      outcome: level === "" ? name : `${name} (${level})`,
      kind,
      lines: totals.map(
        ({ subject, judge }) =>
          own.find(({ group }) => group.subject === subject && group.judge === judge) ??
          emptyLine({ name, kind: kind ?? "rate", group: { subject, judge } }),
      ),
    };
  });
}

/** The rates without those that are not to be shown. */
export function shownRates<Rates extends Pick<RunRates, "outcomes">>(rates: Rates): Rates {
  return { ...rates, outcomes: rates.outcomes.filter(({ shown }) => shown !== false) };
}

/** What is shown of the rates, without intervals and declared rates, added up by the store: quick, for lists of runs. */
export function pooledRates(store: Store, { run, start }: RunSummary): RunRates {
  const rows = store.results(run);
  const counts = runCounts(rows, start);
  const { outcomes: order, hidden } = runFacts(store, [run]);
  const placeOf = ({ outcome }: RatedOutcome): number =>
    order.includes(outcome) ? order.indexOf(outcome) : order.length;
  const outcomes = pooledOutcomes(rows, counts.totals)
    .filter(({ outcome }) => hidden?.has(outcome) !== true)
    .sort((one, other) => placeOf(one) - placeOf(other));
  return { ...counts, outcomes, health: [] };
}

/** Outcomes as the rows of a run count them. Which conversations belong together is not known here, and so no interval is. */
export function pooledOutcomes(rows: readonly ResultRow[], totals: readonly Tested[]): RatedOutcome[] {
  const byTested = Map.groupBy(rows, testedKey);
  const names = new Set(rows.flatMap(({ outcomes }) => Object.keys(outcomes)));
  return [...names].flatMap((outcome): readonly RatedOutcome[] => {
    const linesOf = (kind: "rate" | "mean"): readonly RateLine[] =>
      totals.map(({ subject, judge }) =>
        pooledLine(byTested.get(testedKey({ subject, judge })) ?? [], {
          ...{ name: outcome, kind, group: { subject, judge } },
        }),
      );
    const rated = (["rate", "mean"] as const)
      .map((kind) => ({ outcome, kind, lines: linesOf(kind) }))
      .filter(({ lines }) => lines.some(({ n }) => n > 0));
    return rated.length > 0 ? rated : [{ outcome, kind: null, lines: linesOf("rate") }];
  });
}

function pooledLine(rows: readonly ResultRow[], what: Pick<RateLine, "kind" | "name" | "group">): RateLine {
  type Counts = ResultRow["outcomes"][string];
  const own = rows.flatMap(({ outcomes }) =>
    Object.hasOwn(outcomes, what.name) ? [outcomes[what.name]] : [],
  );
  const sum = (count: (counts: Counts) => number): number =>
    own.reduce((total, counts) => total + (counts === undefined ? 0 : count(counts)), 0);
  const isRate = what.kind === "rate";
  const yes = isRate ? sum((counts) => counts.yes) : 0;
  const n = isRate ? yes + sum(({ no }) => no) : sum(({ numbers }) => numbers);
  // A mean is given back its weight, so that scenarios with more conversations count for more.
  const total = isRate ? yes : sum(({ mean, numbers }) => (mean ?? 0) * numbers);
  const [inconclusive, errors] = [
    sum((counts) => counts.inconclusive),
    sum((counts) => counts.infrastructure),
  ];
  const all = n + inconclusive + errors;
  return {
    ...emptyLine(what),
    ...singleItems(n),
    ...{ n, yes, inconclusive, errors },
    notApplicable: sum(({ notApplicable = 0 }) => notApplicable),
    estimate: n === 0 ? null : total / n,
    bounds: !isRate || all === n || n === 0 ? null : { low: yes / all, high: (yes + all - n) / all },
  };
}

/** Comparing all pairs of more subjects takes too long for a table. */
const MOST = 8;
const LEVEL = 0.05;

/**
 * By outcome with a direction (`good`), the subject that is better than every other one in adjusted paired comparisons, whatever the
 * undecided conversations really were; empty with several judges, or more than eight subjects. As `testedKey`.
 */
function bestSubjects(
  scores: readonly ConversationScore[],
  outcomes: readonly RatedOutcome[],
  facts: RunFacts,
): ReadonlyMap<string, string> {
  const best = new Map<string, string>();
  const bySubject = Map.groupBy(scores, ({ subject }) => subject);
  const judges = new Set(scores.map(({ judge }) => judge));
  if (bySubject.size < 2 || bySubject.size > MOST || judges.size !== 1) return best;
  // With one item only, no comparison has a p-value.
  if (new Set(scores.map(({ item }) => item)).size < 2) return best;
  if (![...facts.rates.keys(), ...facts.outcomes].some((name) => directionOf(name, facts) !== undefined))
    return best;
  const sides = [...bySubject].map(([label, own]): Side => ({ label, scores: () => own, facts, judges: 1 }));
  const pairs = sides.flatMap((a, i) => sides.slice(i + 1).map((b) => [a, b] as const));
  // How often each subject wins, by outcome.
  const wins = new Map<string, Map<string, number>>();
  for (const { a, b, lines } of comparedOrNone(pairs))
    for (const { name, adjusted, difference } of lines) {
      const isGood = directionOf(name, facts);
      if (isGood === undefined || (adjusted ?? 1) >= LEVEL || difference === null) continue;
      const winner = difference > 0 === isGood ? b : a;
      const counts = memoize(wins, name, () => new Map<string, number>());
      counts.set(winner, (counts.get(winner) ?? 0) + 1);
    }
  const [judge = ""] = judges;
  for (const [name, counts] of wins)
    for (const [subject, count] of counts) {
      const own = outcomes.filter(({ outcome }) => outcome === name);
      const standsOut = own.every((rated) => isApart(rated, subject, directionOf(name, facts)));
      if (count === sides.length - 1 && standsOut) best.set(name, testedKey({ subject, judge }));
    }
  return best;
}

/**
 * True if the bounds of the best subject do not overlap with those of any other, so that nothing undecided can change who is best. A number
 * has no bounds: then at most 5 % may be undecided.
 */
function isApart({ kind, lines }: RatedOutcome, winner: string, isGood: boolean | undefined): boolean {
  const counted = lines.filter(({ n, inconclusive, errors }) => n + inconclusive + errors > 0);
  if (kind !== "rate")
    return counted.every(({ n, inconclusive, errors }) => {
      const open = inconclusive + errors;
      return open / (n + open) <= POOR_SHARE;
    });
  const spans = counted.map(({ estimate, bounds, group }) => ({
    low: bounds?.low ?? estimate ?? 0,
    high: bounds?.high ?? estimate ?? 1,
    isWinner: group.subject === winner,
  }));
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
