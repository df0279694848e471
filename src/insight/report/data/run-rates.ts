import type { JudgeHealth } from "../../../engine/journal/judge-health.ts";
import type {
  ConversationFilter,
  ConversationScore,
  ResultRow,
  RunSummary,
  Store,
} from "../../../engine/journal/store/store.ts";
import { bestSubjects } from "./best-subjects.ts";
import { macroGroups, needsRowValues } from "./grouping.ts";
import { emptyLine, type RateKind, type RateLine, singleItems } from "./rate-line.ts";
import { type RatedOutcome, ratesOf, wantedScores } from "./rates.ts";
import { type RunCounts, resultsOf, runCounts } from "./run-counts.ts";
import { runFacts } from "./run-facts.ts";
import { type Tested, testedKey } from "./subject-totals.ts";

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
  const rows = resultsOf(store, run, filter);
  // The plan of the whole run does not apply to a part of it.
  const counts = Object.keys(filter).length > 0 ? runCounts(rows) : runCounts(rows, start);
  const facts = runFacts(store, [run]);
  const rowValues = needsRowValues(macroGroups(facts));
  const scores = ratedScores(store, run, filter, rowValues);
  const { lines } = ratesOf(scores, facts, { by: ["subject", "judge"] });
  const outcomes = [...Map.groupBy(lines, ({ name }) => name).values()].flatMap((own) => {
    const isRate = (line: RateLine): boolean => line.kind === "rate";
    // What is not decided anywhere may be either.
    const known = own.filter(({ estimate }) => estimate !== null);
    const parts =
      known.some(isRate) && known.some((line) => line.kind === "mean")
        ? [own.filter(isRate), own.filter((line) => !isRate(line))]
        : [own];
    return parts.flatMap((part) => ratedOutcomes(part, counts.totals));
  });
  // What rules leave is not a random part, so that without a judge nobody can be called the best.
  const isByRulesAlone = judges.length === 0 && counts.missing.some(({ unread }) => unread.count > 0);
  const best = isByRulesAlone
    ? new Map<string, string>()
    : bestSubjects(scores, outcomes, {
        facts,
        named: () => wantedScores(store.scores(run, { rowValues }), filter),
      });
  return { ...counts, outcomes, health: judges, best };
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

/** The lines of an outcome or rate, one for each subject and judge; a ratio has one for each level. */
function ratedOutcomes(lines: readonly RateLine[], totals: readonly Tested[]): readonly RatedOutcome[] {
  const kind = lines.find(({ estimate }) => estimate !== null)?.kind ?? null;
  return [...Map.groupBy(lines, ({ group }) => levelOf(group))].map(([level, own]): RatedOutcome => {
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

function levelOf({ subject: _, judge: __, ...rest }: RateLine["group"]): string {
  return Object.values(rest).join(", ");
}

/** Outcomes as the rows of a run count them. Which conversations belong together is not known here, and so no interval is. */
export function pooledOutcomes(rows: readonly ResultRow[], totals: readonly Tested[]): RatedOutcome[] {
  const byTested = Map.groupBy(rows, testedKey);
  const names = new Set(rows.flatMap(({ outcomes }) => Object.keys(outcomes)));
  return [...names].flatMap((outcome) => {
    const all = countsOf(rows, outcome);
    const kinds: readonly (RateKind | null)[] = [
      ...(all.yes + all.no > 0 ? (["rate"] as const) : []),
      ...(all.numbers > 0 ? (["mean"] as const) : []),
    ];
    return (kinds.length === 0 ? [null] : kinds).map((kind) => ({
      outcome,
      kind,
      lines: totals.map((total) =>
        pooledLine(countsOf(byTested.get(testedKey(total)) ?? [], outcome), {
          ...{ name: outcome, kind: kind ?? "rate" },
          group: { subject: total.subject, judge: total.judge },
        }),
      ),
    }));
  });
}

type PooledCounts = Readonly<
  Record<"yes" | "no" | "numbers" | "sum" | "inconclusive" | "errors" | "notApplicable", number>
>;

function countsOf(rows: readonly ResultRow[], name: string): PooledCounts {
  const sums = { yes: 0, no: 0, numbers: 0, sum: 0, inconclusive: 0, errors: 0, notApplicable: 0 };
  for (const { outcomes } of rows) {
    const own = Object.hasOwn(outcomes, name) ? outcomes[name] : undefined;
    if (own === undefined) continue;
    sums.yes += own.yes;
    sums.no += own.no;
    sums.numbers += own.numbers;
    // A mean is given back its weight, so that scenarios with more conversations count for more.
    sums.sum += (own.mean ?? 0) * own.numbers;
    sums.inconclusive += own.inconclusive;
    sums.errors += own.infrastructure;
    sums.notApplicable += own.notApplicable ?? 0;
  }
  return sums;
}

function pooledLine(
  { yes, no, numbers, sum, ...open }: PooledCounts,
  what: Pick<RateLine, "name" | "kind" | "group">,
): RateLine {
  const isRate = what.kind === "rate";
  const n = isRate ? yes + no : numbers;
  const undecided = open.inconclusive + open.errors;
  return {
    ...emptyLine(what),
    ...open,
    ...singleItems(n),
    n,
    yes: isRate ? yes : 0,
    estimate: n === 0 ? null : (isRate ? yes : sum) / n,
    bounds:
      !isRate || undecided === 0 || n === 0
        ? null
        : { low: yes / (n + undecided), high: (yes + undecided) / (n + undecided) },
  };
}
