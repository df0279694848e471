import type { ConversationStatus } from "../../../core/state/state.ts";
import { hasLevels } from "../../../engine/journal/cell.ts";
import type { RunStart } from "../../../engine/journal/run-event.ts";
import { addSpending, NOTHING_SPENT, type Spending } from "../../../engine/journal/spending.ts";
import type {
  ConversationFilter,
  ConversationSummary,
  ResultRow,
} from "../../../engine/journal/store/store.ts";

/** A subject, and the judge of its replies. */
export interface Tested {
  readonly subject: string;
  readonly judge: string;
}

/** The conversations that a run was planned to have. */
export type Plan = Pick<RunStart, "conversations" | "subjects" | "judges"> &
  Partial<Pick<RunStart, "configuration">>;

/** The conversations of one subject and judge, over all scenarios. */
export interface SubjectTotal extends Tested {
  readonly begun: number;
  readonly ended: number;
  /** Null if unknown. */
  readonly planned: number | null;
  readonly statuses: Readonly<Partial<Record<ConversationStatus, number>>>;
  readonly turns: ResultRow["turns"];
  readonly spending: Spending;
  /** Of that, what simulated users took. */
  readonly simulator: Spending;
}

const NO_TURNS: ResultRow["turns"] = Object.freeze({
  passed: 0,
  failed: 0,
  unreadable: 0,
  unjudged: 0,
  unverified: 0,
});

/** Adds up the rows of each subject and judge. With a plan, pairs without conversations have a total, too. */
export function subjectTotals(rows: readonly ResultRow[], plan?: Plan): readonly SubjectTotal[] {
  const pairs = (plan?.subjects.length ?? 0) * (plan?.judges.length ?? 0);
  // Conversations are a product of all that a run multiplies, so each pair has its share. Records and shards are no product.
  const { recorded, shard } = plan?.configuration ?? {};
  const isProduct = plan !== undefined && pairs > 0 && recorded === undefined && shard === undefined;
  const planned = isProduct ? plan.conversations / pairs : null;
  const totals = new Map<string, SubjectTotal>();
  for (const subject of plan?.subjects ?? [])
    for (const judge of plan?.judges ?? [])
      totals.set(testedKey({ subject, judge }), emptyTotal({ subject, judge }, planned));
  for (const row of rows) {
    const key = testedKey(row);
    totals.set(key, addRow(totals.get(key) ?? emptyTotal(row, planned), row));
  }
  return [...totals.values()];
}

/** A key of subject and judge for maps. */
export function testedKey({ subject, judge }: Tested): string {
  return JSON.stringify([subject, judge]);
}

/** All totals together, of as many conversations as the run was planned to have. */
export function sumOfTotals(
  totals: readonly SubjectTotal[],
  planned: number | null = null,
): Omit<SubjectTotal, keyof Tested> {
  return { ...totals.reduce<SubjectTotal>(add, emptyTotal({ subject: "", judge: "" }, null)), planned };
}

function emptyTotal({ subject, judge }: Tested, planned: number | null): SubjectTotal {
  const nothing = {
    begun: 0,
    ended: 0,
    statuses: {},
    turns: NO_TURNS,
    spending: NOTHING_SPENT,
    simulator: NOTHING_SPENT,
  };
  return { subject, judge, planned, ...nothing };
}

function addRow(total: SubjectTotal, row: ResultRow): SubjectTotal {
  const { conversations, statuses, turns, spending, simulator = NOTHING_SPENT } = row;
  const ended = Object.values(statuses).reduce((sum, count) => sum + count, 0);
  // The plan of the whole is known already.
  const more = { ...emptyTotal(row, 0), begun: conversations, ended, statuses, turns, spending, simulator };
  const planned = total.planned === null ? null : total.planned + (row.arms ?? 0);
  return { ...add(total, more), planned };
}

function add(one: SubjectTotal, other: SubjectTotal): SubjectTotal {
  const { subject, judge } = one;
  return {
    subject,
    judge,
    begun: one.begun + other.begun,
    ended: one.ended + other.ended,
    planned: one.planned === null || other.planned === null ? null : one.planned + other.planned,
    statuses: addCounts(one.statuses, other.statuses),
    // Both have all kinds of turns.
    turns: addCounts(one.turns, other.turns) as ResultRow["turns"],
    spending: addSpending(one.spending, other.spending),
    simulator: addSpending(one.simulator, other.simulator),
  };
}

function addCounts<Key extends string>(
  one: Readonly<Partial<Record<Key, number>>>,
  other: Readonly<Partial<Record<Key, number>>>,
): Readonly<Partial<Record<Key, number>>> {
  const sums: Partial<Record<Key, number>> = { ...one };
  // Nothing but the keys of the type are in these records.
  for (const key of Object.keys(other) as Key[]) sums[key] = (sums[key] ?? 0) + (other[key] ?? 0);
  return sums;
}

/** The part of a run to report: what `show` can filter by. */
export type ReportFilter = Pick<ConversationFilter, "scenario" | "subject" | "judge" | "variant">;

/** True if scenario, subject, judge and variant are those of a filter. */
export function fitsFilter(
  place: Pick<ConversationSummary, "scenario" | "subject" | "judge"> &
    Partial<Pick<ConversationSummary, "variant">>,
  { variant, ...names }: ReportFilter,
): boolean {
  const fits = (["scenario", "subject", "judge"] as const).every(
    (key) => names[key] === undefined || names[key] === place[key],
  );
  return fits && (place.variant === undefined || hasLevels(place.variant, variant));
}
