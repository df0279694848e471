import type { ResultRow } from "../journal/store.ts";
import { NO_COUNTS, type OutcomeCounts, tallyOutcomes } from "./outcome-tally.ts";
import { type Plan, type SubjectTotal, subjectTotals, type Tested, testedKey } from "./subject-totals.ts";
import { type Interval, wilsonInterval } from "./wilson-interval.ts";

/** One outcome of one subject and judge, over all scenarios that have it. */
export interface OutcomeLine extends Tested {
  /** Conversations in which it is decided. */
  readonly n: number;
  /** Not decided, since what a reply says could not be told. */
  readonly inconclusive: number;
  /** Not decided, since the conversation was cut short or the judge could not be asked. */
  readonly infrastructure: number;
}

/** How often an assertion is true. */
export interface AssertionLine extends OutcomeLine {
  readonly yes: number;
  /** Null if n is 0. */
  readonly rate: number | null;
  readonly interval: Interval | null;
}

/** What a number is on average. */
export interface NumberLine extends OutcomeLine {
  /** Null if n is 0. */
  readonly mean: number | null;
}

/** An outcome with a line for each subject and judge; `undecided` if it never was decided, so that nobody knows its kind. */
export type RatedOutcome = { readonly outcome: string } & (
  | { readonly kind: "assertion"; readonly lines: readonly AssertionLine[] }
  | { readonly kind: "number"; readonly lines: readonly NumberLine[] }
  | { readonly kind: "undecided"; readonly lines: readonly OutcomeLine[] }
);

/** What the results of a run say, pooled over its scenarios. */
export interface OutcomeRates {
  /** In the order in which the rows have them; one that is an assertion here and a number there stands twice. */
  readonly outcomes: readonly RatedOutcome[];
  /** In the order of the plan, or else of the rows. */
  readonly totals: readonly SubjectTotal[];
  readonly judges: readonly string[];
}

/** Pools the rows of a run. With its plan, a subject that was never asked shows as such: with n = 0. */
export function outcomeRates(rows: readonly ResultRow[], plan?: Plan): OutcomeRates {
  const totals = subjectTotals(rows, plan);
  const outcomes: RatedOutcome[] = [];
  for (const { outcome, kind, counts } of tallyOutcomes(rows)) {
    const lines = totals.map((tested) => ({ tested, counts: counts.get(testedKey(tested)) ?? NO_COUNTS }));
    if (kind === "assertion") outcomes.push({ outcome, kind, lines: lines.map(assertionLine) });
    else if (kind === "number") outcomes.push({ outcome, kind, lines: lines.map(numberLine) });
    else outcomes.push({ outcome, kind, lines: lines.map((line) => ({ ...openLine(line), n: 0 })) });
  }
  return { outcomes, totals, judges: [...new Set(totals.map(({ judge }) => judge))] };
}

interface CountedLine {
  readonly tested: Tested;
  readonly counts: OutcomeCounts;
}

function openLine({ tested, counts }: CountedLine): Omit<OutcomeLine, "n"> {
  const { subject, judge } = tested;
  const { inconclusive, infrastructure } = counts;
  return { subject, judge, inconclusive, infrastructure };
}

function assertionLine(line: CountedLine): AssertionLine {
  const { yes, no } = line.counts;
  const n = yes + no;
  return { ...openLine(line), n, yes, rate: n === 0 ? null : yes / n, interval: wilsonInterval(yes, n) };
}

function numberLine(line: CountedLine): NumberLine {
  const { numbers: n, sum } = line.counts;
  return { ...openLine(line), n, mean: n === 0 ? null : sum / n };
}
