import { RULES_JUDGE, SELF_JUDGE } from "../../../core/defaults.ts";
import { type ConversationStatus, countStatuses, isFinished } from "../../../core/state/state.ts";
import { twoProportionZ } from "../../../core/statistics/proportions.ts";
import { hasLevels } from "../../../engine/journal/cell.ts";
import { POOR_SHARE } from "../../../engine/journal/judge-health.ts";
import type { RunStart } from "../../../engine/journal/run-event.ts";
import { addSpending, NOTHING_SPENT, type Spending } from "../../../engine/journal/spending.ts";
import { resultRows } from "../../../engine/journal/store/results.ts";
import type {
  ConversationFilter,
  ConversationSummary,
  NodeTurns,
  ResultRow,
  Store,
} from "../../../engine/journal/store/store.ts";

/** A subject, and the judge of its replies. */
export interface Tested {
  readonly subject: string;
  readonly judge: string;
}

/** Some conversations added up. */
export interface Total {
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

/** What is counted in a run without looking at single conversations. */
export interface RunCounts {
  /** The conversations of each subject and judge over all scenarios, in the order of the plan, or else of the rows. */
  readonly totals: readonly (Tested & Total)[];
  /** All totals together. */
  readonly sum: Total;
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

/** How many of some things. */
interface Part {
  readonly count: number;
  readonly of: number;
}

/** What counts in no rate. */
export interface Missing {
  /** Conversations that an error, a limit, a record or a simulated user ended early, of all that ended. */
  readonly unfinished: Part;
  /** Replies without a verdict, of those to questions with a template. */
  readonly unread: Part;
}

/** The conversations that a run was planned to have. */
export type Plan = Pick<RunStart, "conversations" | "subjects" | "judges"> &
  Partial<Pick<RunStart, "configuration">>;

/** The results of a part of a run. */
export function resultsOf(store: Store, run: string, filter: ConversationFilter): readonly ResultRow[] {
  return resultRows(store.tallies(run).filter((tally) => fitsFilter(tally, filter)));
}

/** True if scenario, subject, judge, variant and status, as far as they are known, are those of a filter. */
export function fitsFilter(
  place: Tested & Pick<ConversationSummary, "scenario"> & Partial<ConversationFilter | ConversationSummary>,
  { variant, ...wanted }: ConversationFilter,
): boolean {
  const fits = (["scenario", "subject", "judge", "status"] as const).every(
    (key) => wanted[key] === undefined || place[key] === undefined || wanted[key] === place[key],
  );
  return fits && (place.variant === undefined || hasLevels(place.variant, variant));
}

/** A key of subject and judge for maps. */
export function testedKey({ subject, judge }: Tested): string {
  return JSON.stringify([subject, judge]);
}

/** Adds up the rows of a run. With a plan, subjects without conversations have a total, too. */
export function runCounts(rows: readonly ResultRow[], plan?: Plan): RunCounts {
  const totals = subjectTotals(rows, plan);
  return {
    totals,
    sum: sumOf(totals, plan === undefined ? null : plan.conversations + armsIn(rows)),
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

function subjectTotals(rows: readonly ResultRow[], plan?: Plan): RunCounts["totals"] {
  const { subjects = [], judges = [], conversations = 0, configuration = {} } = plan ?? {};
  const pairs = subjects.flatMap((subject) => judges.map((judge) => ({ subject, judge })));
  // Conversations are a product of all that a run multiplies, so each pair has its share. Records and shards are no product.
  const { recorded, shard } = configuration;
  const isProduct = pairs.length > 0 && recorded === undefined && shard === undefined;
  return [...Map.groupBy([...pairs, ...rows], testedKey).values()].map((own) => {
    const [{ subject, judge }] = own as [Tested];
    const members = own.filter((one): one is ResultRow => "statuses" in one);
    const planned = isProduct ? conversations / pairs.length + armsIn(members) : null;
    return { subject, judge, ...totalOf(members, planned) };
  });
}

/** Rows as one total. */
export function totalOf(rows: readonly ResultRow[], planned: number | null = null): Total {
  const totals = rows.map(({ conversations, statuses, turns, spending, simulator = NOTHING_SPENT }) => ({
    begun: conversations,
    ended: countStatuses(statuses, () => true),
    ...{ planned, statuses, turns, spending, simulator },
  }));
  return sumOf(totals, planned);
}

function sumOf(totals: readonly Total[], planned: number | null): Total {
  const spent = (key: "spending" | "simulator"): Spending =>
    totals.map((total) => total[key]).reduce(addSpending, NOTHING_SPENT);
  return {
    begun: totals.reduce((sum, { begun }) => sum + begun, 0),
    ended: totals.reduce((sum, { ended }) => sum + ended, 0),
    planned,
    statuses: totals.map(({ statuses }) => statuses).reduce(addCounts, {}),
    turns: totals.map(({ turns }) => turns).reduce(addCounts, NO_TURNS),
    spending: spent("spending"),
    simulator: spent("simulator"),
  };
}

const NO_TURNS = { passed: 0, failed: 0, unreadable: 0, unjudged: 0, unverified: 0 };

function addCounts<Counts extends Readonly<Record<string, number>>>(one: Counts, other: Counts): Counts {
  const sums: Record<string, number> = { ...one };
  for (const [key, count] of Object.entries(other)) sums[key] = (sums[key] ?? 0) + count;
  return sums as Counts;
}

function armsIn(rows: readonly ResultRow[]): number {
  return rows.reduce((sum, { arms = 0 }) => sum + arms, 0);
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

/** What is missing of some conversations. */
export function missingOf({ ended, statuses, turns }: Total): Missing {
  const unread = turns.unreadable + turns.unjudged;
  return {
    unfinished: { count: countStatuses(statuses, (status) => !isFinished(status)), of: ended },
    unread: { count: unread, of: turns.passed + turns.failed + unread },
  };
}

const LEVEL = 0.05;

/**
 * Those whose share is worth a warning, the largest first: above 5 %, or, where the shares of two differ by more than chance explains
 * (two proportions, adjusted for the number of pairs), the two that differ most. Empty if there are none.
 */
export function conspicuous<One>(all: readonly One[], partOf: (one: One) => Part): readonly One[] {
  const shareOf = (one: One): number => partOf(one).count / partOf(one).of;
  // A store may be damaged.
  const sorted = all
    .filter((one) => partOf(one).of > 0 && Number.isSafeInteger(partOf(one).of))
    .sort((one, other) => shareOf(other) - shareOf(one));
  const [largest, smallest] = [sorted[0], sorted.at(-1)];
  if (largest === undefined || smallest === undefined) return [];
  const [a, b] = [partOf(largest), partOf(smallest)];
  const pairs = (sorted.length * (sorted.length - 1)) / 2;
  const differ = (twoProportionZ(a.count, a.of, b.count, b.of)?.p ?? 1) * pairs < LEVEL;
  const high = sorted.filter((one) => shareOf(one) > POOR_SHARE);
  return [...new Set([...high, ...(differ && pairs > 0 ? [largest, smallest] : [])])];
}
