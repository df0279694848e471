import type { JudgeHealth } from "../../../engine/journal/judge-health.ts";
import type {
  ConversationFilter,
  ResultRow,
  RunSummary,
  Store,
} from "../../../engine/journal/store/store.ts";
import { bestSubjects } from "./best-subjects.ts";
import { macroGroups, needsRowValues } from "./grouping.ts";
import { emptyLine, type RateLine, singleItems } from "./rate-line.ts";
import { type RatedOutcome, ratesOf, wantedScores } from "./rates.ts";
import { type RunCounts, resultsOf, runCounts, type Tested, testedKey } from "./run-counts.ts";
import { runFacts } from "./run-facts.ts";

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
  const { lines } = ratesOf(scores, facts, { by: ["subject", "judge"] });
  const outcomes = [...Map.groupBy(lines, ({ name }) => name).values()].flatMap((own) => {
    const isRate = ({ kind }: RateLine): boolean => kind === "rate";
    // What is not decided anywhere may be either.
    const known = own.filter(({ estimate }) => estimate !== null);
    const isBoth = known.some(isRate) && known.some(({ kind }) => kind === "mean");
    const parts = isBoth ? [own.filter(isRate), own.filter((line) => !isRate(line))] : [own];
    return parts.flatMap((part) => ratedOutcomes(part, counts.totals));
  });
  // What rules leave is not a random part, so that without a judge nobody can be called the best.
  const isByRulesAlone = judges.length === 0 && counts.missing.some(({ unread }) => unread.count > 0);
  const best = isByRulesAlone ? new Map<string, string>() : bestSubjects(scores, outcomes, facts);
  return { ...counts, outcomes, health: judges, best };
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

/** The same without intervals and declared rates, added up by the store: quick, for lists of runs. */
export function pooledRates(store: Store, { run, start }: RunSummary): RunRates {
  const rows = store.results(run);
  const counts = runCounts(rows, start);
  const order = runFacts(store, [run]).outcomes;
  const placeOf = ({ outcome }: RatedOutcome): number =>
    order.includes(outcome) ? order.indexOf(outcome) : order.length;
  const outcomes = pooledOutcomes(rows, counts.totals).sort((one, other) => placeOf(one) - placeOf(other));
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
