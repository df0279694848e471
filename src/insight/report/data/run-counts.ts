import { RULES_JUDGE, SELF_JUDGE } from "../../../core/defaults.ts";
import { hasLevels } from "../../../engine/journal/cell.ts";
import { POOR_SHARE } from "../../../engine/journal/judge-health.ts";
import { resultRows } from "../../../engine/journal/store/results.ts";
import type { ConversationFilter, NodeTurns, ResultRow, Store } from "../../../engine/journal/store/store.ts";
import { type Missing, missingOf } from "./missing.ts";
import {
  fitsFilter,
  type Plan,
  type SubjectTotal,
  subjectTotals,
  sumOfTotals,
  type Tested,
} from "./subject-totals.ts";

/** What is counted in a run without looking at single conversations. */
export interface RunCounts {
  /** In the order of the plan, or else of the rows. */
  readonly totals: readonly SubjectTotal[];
  /** All totals together. */
  readonly sum: Omit<SubjectTotal, keyof Tested>;
  readonly judges: readonly string[];
  /** Conversations in which some outcome is not decided, each counted once however many outcomes it leaves open. */
  readonly open: Readonly<Record<"inconclusive" | "errors", number>>;
  /** Where replies were not read, the largest share first. */
  readonly unread: readonly UnreadShare[];
  /** What counts in no rate, in the order of the totals. */
  readonly missing: readonly (Tested & Missing)[];
  /** How many turns were read by `rules`, by each subject's own model (`self`), by other judges, and by nobody (null). */
  readonly readers: readonly { readonly reader: string | null; readonly turns: number }[];
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

/** The results of a part of a run. */
export function resultsOf(store: Store, run: string, filter: ConversationFilter): readonly ResultRow[] {
  const { variant } = filter;
  if (variant === undefined) return store.results(run).filter((row) => fitsFilter(row, filter));
  const tallies = store.tallies(run).filter((tally) => hasLevels(tally.variant, variant));
  return resultRows(tallies).filter((row) => fitsFilter(row, filter));
}

/** Adds up the rows of a run. With a plan, subjects without conversations are counted, too. */
export function runCounts(rows: readonly ResultRow[], plan?: Plan): RunCounts {
  const totals = subjectTotals(rows, plan);
  const arms = rows.reduce((sum, row) => sum + (row.arms ?? 0), 0);
  return {
    totals,
    sum: sumOfTotals(totals, plan === undefined ? null : plan.conversations + arms),
    judges: [...new Set(totals.map(({ judge }) => judge))],
    open: { inconclusive: openIn(rows, "inconclusive"), errors: openIn(rows, "infrastructure") },
    unread: unreadShares(rows),
    missing: totals.map((total) => ({
      subject: total.subject,
      judge: total.judge,
      ...missingOf(total),
    })),
    readers: readersIn(rows),
  };
}

function readersIn(rows: readonly ResultRow[]): RunCounts["readers"] {
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
function openIn(rows: readonly ResultRow[], why: "inconclusive" | "infrastructure"): number {
  return rows.reduce(
    (sum, { outcomes }) => sum + Math.max(0, ...Object.values(outcomes).map((outcome) => outcome[why])),
    0,
  );
}

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
