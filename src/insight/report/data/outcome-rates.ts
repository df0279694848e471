import { RULES_JUDGE, SELF_JUDGE } from "../../../core/defaults.ts";
import { shareInterval } from "../../../core/statistics/bounded-mean.ts";
import { type JudgeHealth, POOR_SHARE } from "../../../engine/journal/judge-health.ts";
import type { NodeTurns, ResultRow } from "../../../engine/journal/store/store.ts";
import { type Missing, missingOf } from "./missing.ts";
import { type RateLine, singleItems } from "./rate-line.ts";
import {
  type Plan,
  type SubjectTotal,
  subjectTotals,
  sumOfTotals,
  type Tested,
  testedKey,
} from "./subject-totals.ts";

/** The counts of a rate line that reports show. */
type LineCounts = Pick<
  RateLine,
  | "n"
  | "inconclusive"
  | "notApplicable"
  | "items"
  | "variants"
  | "replicates"
  | "interval"
  | "method"
  | "reason"
  | "excluded"
  | "macro"
>;

/** One outcome of one subject and judge, over all scenarios that have it. */
export interface OutcomeLine extends Tested, LineCounts {
  /** Not decided, since the conversation did not finish or the judge failed. */
  readonly infrastructure: number;
}

/** True if its interval respects that conversations about one item belong together. */
export function isClustered({ method, n, items }: OutcomeLine): boolean {
  return method === "clustered" || (method === "life_table" && n > items);
}

/** How often an assertion is true. */
export interface AssertionLine extends OutcomeLine, Pick<RateLine, "yes" | "bounds" | "decided"> {
  /** What to report, perhaps from a life table. Null if nothing is decided. */
  readonly rate: number | null;
}

/** What a number is on average. */
export interface NumberLine extends OutcomeLine {
  /** Null if n is 0. */
  readonly mean: number | null;
}

/** An outcome with a line for each subject and judge; `undecided` if it was never decided, so that its kind is unknown. */
export type RatedOutcome = { readonly outcome: string } & (
  | { readonly kind: "assertion"; readonly lines: readonly AssertionLine[] }
  | { readonly kind: "number"; readonly lines: readonly NumberLine[] }
  | { readonly kind: "undecided"; readonly lines: readonly OutcomeLine[] }
);

/** The results of a run, pooled over its scenarios. */
export interface OutcomeRates {
  /** In the order in which the rows have them; one that is an assertion here and a number there stands twice. */
  readonly outcomes: readonly RatedOutcome[];
  /** In the order of the plan, or else of the rows. */
  readonly totals: readonly SubjectTotal[];
  /** All totals together. */
  readonly sum: Omit<SubjectTotal, keyof Tested>;
  readonly judges: readonly string[];
  /** Conversations in which some outcome is not decided, each counted once however many outcomes it leaves open. */
  readonly open: Readonly<Record<"inconclusive" | "infrastructure", number>>;
  /** The health of each judge model; empty without judges. */
  readonly health: readonly JudgeHealth[];
  /** By outcome, who is better than every other subject; only if paired comparisons show it. As `testedKey`. */
  readonly best?: ReadonlyMap<string, string>;
  /** Where replies were not read, the largest share first. */
  readonly unread: readonly UnreadShare[];
  /** What counts in no rate, in the order of the totals. */
  readonly missing: readonly (Tested & Missing)[];
  /** How many turns were read by `rules`, by each subject's own model (`self`), by other judges, and by nobody (null). */
  readonly readers: readonly { readonly reader: string | null; readonly turns: number }[];
}

/**
 * Pools the rows of a run. Rows do not contain items, so each conversation counts as an item of its own; reports use `runRates`, which has
 * items. With a plan, a subject without conversations has a line with n = 0.
 */
export function outcomeRates(rows: readonly ResultRow[], plan?: Plan): OutcomeRates {
  const totals = subjectTotals(rows, plan);
  const outcomes: RatedOutcome[] = [];
  for (const { outcome, kind, counts } of tallyOutcomes(rows)) {
    const lines = totals.map((tested) => ({ tested, counts: counts.get(testedKey(tested)) ?? NO_COUNTS }));
    if (kind === "assertion") outcomes.push({ outcome, kind, lines: lines.map(assertionLine) });
    else if (kind === "number") outcomes.push({ outcome, kind, lines: lines.map(numberLine) });
    else outcomes.push({ outcome, kind, lines: lines.map((line) => ({ ...openLine(line), n: 0 })) });
  }
  const judges = [...new Set(totals.map(({ judge }) => judge))];
  const open = { inconclusive: openIn(rows, "inconclusive"), infrastructure: openIn(rows, "infrastructure") };
  const missing = totals.map((total) => {
    const { subject, judge } = total;
    return { subject, judge, ...missingOf(total) };
  });
  const arms = rows.reduce((sum, row) => sum + (row.arms ?? 0), 0);
  const sum = sumOfTotals(totals, plan === undefined ? null : plan.conversations + arms);
  return {
    outcomes,
    totals,
    sum,
    judges,
    open,
    health: [],
    unread: unreadShares(rows),
    missing,
    readers: readersIn(rows),
  };
}

function readersIn(rows: readonly ResultRow[]): OutcomeRates["readers"] {
  // In the order of reports.
  const counts = new Map<string | null, number>([[RULES_JUDGE, 0]]);
  const add = (reader: string | null, count: number): void =>
    void counts.set(reader, (counts.get(reader) ?? 0) + count);
  for (const { judge, subject, readers } of rows)
    for (const [reader, count] of Object.entries(readers))
      add(judge === SELF_JUDGE && reader === subject ? SELF_JUDGE : reader, count);
  for (const { turns } of rows) add(null, turns.unreadable + turns.unjudged);
  return [...counts].map(([reader, turns]) => ({ reader, turns }));
}

/** The outcomes of a scenario are about the same conversations, so the one that is most often open counts them. */
function openIn(rows: readonly ResultRow[], why: keyof OutcomeRates["open"]): number {
  return rows.reduce(
    (sum, { outcomes }) => sum + Math.max(0, ...Object.values(outcomes).map((outcome) => outcome[why])),
    0,
  );
}

interface CountedLine {
  readonly tested: Tested;
  readonly counts: OutcomeCounts;
}

function openLine({ tested, counts }: CountedLine): Omit<OutcomeLine, "n"> {
  const { subject, judge } = tested;
  const { inconclusive, infrastructure, notApplicable } = counts;
  const nothing = { ...singleItems(0), interval: null, method: null, excluded: 0 };
  return { subject, judge, inconclusive, infrastructure, notApplicable, ...nothing };
}

function assertionLine(line: CountedLine): AssertionLine {
  const { yes, no, inconclusive, infrastructure } = line.counts;
  const n = yes + no;
  const open = inconclusive + infrastructure;
  const interval = n < 2 ? null : shareInterval(yes / n, n);
  const rate = n === 0 ? null : yes / n;
  return {
    ...openLine(line),
    ...singleItems(n),
    n,
    yes,
    rate,
    interval,
    method: "beta",
    bounds: open === 0 ? null : { low: yes / (n + open), high: (yes + open) / (n + open) },
    decided: null,
  };
}

function numberLine(line: CountedLine): NumberLine {
  const { numbers: n, sum } = line.counts;
  return { ...openLine(line), ...singleItems(n), n, mean: n === 0 ? null : sum / n };
}

/** True or false, a number, or never decided. */
type OutcomeKind = "assertion" | "number" | "undecided";

/** How many conversations have which value of an outcome; `sum` is the sum of the numbers. */
type OutcomeCounts = Readonly<
  Record<"yes" | "no" | "numbers" | "sum" | "inconclusive" | "infrastructure" | "notApplicable", number>
>;

/** No conversation. */
const NO_COUNTS: OutcomeCounts = Object.freeze({
  yes: 0,
  no: 0,
  numbers: 0,
  sum: 0,
  inconclusive: 0,
  infrastructure: 0,
  notApplicable: 0,
});

/** The counts of an outcome, by `testedKey`. */
interface OutcomeTally {
  readonly outcome: string;
  readonly kind: OutcomeKind;
  readonly counts: ReadonlyMap<string, OutcomeCounts>;
}

/**
 * Adds up the outcomes of rows over scenarios. One that is an assertion in one scenario and a number in another gives two
 * tallies. What is not decided stands where the outcome's decided values in the same scenario stand; if there are none, where
 * those of other scenarios do.
 */
function tallyOutcomes(rows: readonly ResultRow[]): readonly OutcomeTally[] {
  const { overall, within } = findKinds(rows);
  const tallies = new Map<string, Map<OutcomeKind, Map<string, OutcomeCounts>>>();
  for (const [outcome, kinds] of overall)
    tallies.set(outcome, new Map(inOrder(kinds).map((kind) => [kind, new Map<string, OutcomeCounts>()])));
  for (const row of rows) {
    const tested = testedKey(row);
    for (const [outcome, result] of Object.entries(row.outcomes)) {
      const own = within.get(scenarioKey(row.scenario, outcome));
      const kinds = own === undefined || own.size === 0 ? overall.get(outcome) : own;
      for (const kind of inOrder(kinds)) {
        const counts = tallies.get(outcome)?.get(kind);
        counts?.set(tested, addResult(counts.get(tested) ?? NO_COUNTS, result));
      }
    }
  }
  return [...tallies].flatMap(([outcome, byKind]) =>
    [...byKind].map(([kind, counts]) => ({ outcome, kind, counts })),
  );
}

type Kinds = Map<string, Set<OutcomeKind>>;

/** The kinds that an outcome has anywhere, and within each scenario. */
function findKinds(rows: readonly ResultRow[]): { readonly overall: Kinds; readonly within: Kinds } {
  const overall: Kinds = new Map();
  const within: Kinds = new Map();
  const note = (kinds: Kinds, key: string, found: readonly OutcomeKind[]): void => {
    kinds.set(key, new Set([...(kinds.get(key) ?? []), ...found]));
  };
  for (const { scenario, outcomes } of rows) {
    for (const [outcome, { yes, no, numbers }] of Object.entries(outcomes)) {
      const found: OutcomeKind[] = [];
      if (yes + no > 0) found.push("assertion");
      if (numbers > 0) found.push("number");
      note(overall, outcome, found);
      note(within, scenarioKey(scenario, outcome), found);
    }
  }
  return { overall, within };
}

function scenarioKey(scenario: string, outcome: string): string {
  return JSON.stringify([scenario, outcome]);
}

function inOrder(kinds: ReadonlySet<OutcomeKind> | undefined): readonly OutcomeKind[] {
  const found = (["assertion", "number"] as const).filter((kind) => kinds?.has(kind));
  return found.length === 0 ? ["undecided"] : found;
}

/** A mean is given back its weight, so that scenarios with more conversations count for more. */
function addResult(counts: OutcomeCounts, result: ResultRow["outcomes"][string]): OutcomeCounts {
  return {
    yes: counts.yes + result.yes,
    no: counts.no + result.no,
    numbers: counts.numbers + result.numbers,
    sum: counts.sum + (result.mean ?? 0) * result.numbers,
    inconclusive: counts.inconclusive + result.inconclusive,
    infrastructure: counts.infrastructure + result.infrastructure,
    notApplicable: counts.notApplicable + (result.notApplicable ?? 0),
  };
}

/** The share of replies to a subject at a node that have no verdict. */
export interface UnreadShare extends Tested, NodeTurns {
  readonly scenario: string;
  readonly node: string;
  /** Of the turns, those that are unreadable or not judged. */
  readonly share: number;
  /** True above 5 %: what is unread is not random, so that rates may be wrong. */
  readonly isHigh: boolean;
}

/** Nodes and subjects with unread replies, the largest share first. */
function unreadShares(rows: readonly ResultRow[]): readonly UnreadShare[] {
  return rows
    .flatMap(({ scenario, subject, judge, nodes }) =>
      Object.entries(nodes).map(([node, counts]): UnreadShare => {
        const share = (counts.unreadable + counts.unjudged) / counts.turns;
        return { scenario, node, subject, judge, ...counts, share, isHigh: share > POOR_SHARE };
      }),
    )
    .filter(({ share }) => share > 0)
    .sort((one, other) => other.share - one.share);
}
