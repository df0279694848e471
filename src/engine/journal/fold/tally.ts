import { RULES_JUDGE } from "../../../core/defaults.ts";
import { END } from "../../../core/scenario/definition.ts";
import { type ConversationStatus, isFinished } from "../../../core/state/state.ts";
import { canonicalJson } from "../../../core/values/json.ts";
import type { ErrorCategory } from "../../models/model-error.ts";
import { type JudgeCounts, type JudgeReason, JudgeTally } from "../judge-health.ts";
import type { Cell, OutcomeEvent } from "../run-event.ts";
import { addSpending, NOTHING_SPENT, type Spending } from "../spending.ts";
import type { TurnVerdict } from "../turn.ts";
import type { Conversation } from "./conversation.ts";

/** What is counted; see `conversationCounts`. */
export type CountKind =
  | "open"
  | "status"
  | "turn"
  | "reader"
  | "visit"
  | "edge"
  | "path"
  | "outcome"
  | "judge"
  | "reason"
  | "failed judges"
  | "unreadable judges"
  | "arms"
  | "spending"
  | "simulator";

/** Counts of one cell. All are whole numbers, so that adding and taking away is exact in any order. */
export class Counts {
  readonly #counts = new Map<string, number>();

  /** Adds to the count of a kind, a name and a value. */
  add(kind: CountKind, name: string, value = "", count = 1): void {
    const key = JSON.stringify([kind, name.toWellFormed(), value.toWellFormed()]);
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + count);
  }

  /** Adds all counts of another one, or takes them away. */
  merge(other: Counts, sign: 1 | -1 = 1): void {
    for (const [key, count] of other.#counts)
      this.#counts.set(key, (this.#counts.get(key) ?? 0) + sign * count);
  }

  /** In the order in which they were first added. */
  *entries(): Generator<readonly [kind: CountKind, name: string, value: string, count: number]> {
    for (const [key, count] of this.#counts) {
      // Written by `add`.
      const [kind, name, value] = JSON.parse(key) as [CountKind, string, string];
      yield [kind, name, value, count];
    }
  }
}

/** Costs are counted in units of this many to the dollar. */
const COST_UNITS = 1e12;

/**
 * What an outcome is worth in a conversation: true, false or a number; `inconclusive` if a reply could not be read; `error` if the
 * conversation did not finish or the judge could not be asked; `not_applicable` where it says so itself.
 */
export type OutcomeScore = boolean | number | "inconclusive" | "error" | "not_applicable";

/** What a conversation adds to the counts of its cell. */
export function conversationCounts(conversation: Conversation): Counts {
  const { status, failure, judges, outcomes, verdicts, path, arms } = conversation;
  const counts = new Counts();
  if (status === null) counts.add("open", "");
  else counts.add("status", status, failure?.category);
  countTurns(conversation, counts);
  if (isFinished(status)) counts.add("path", JSON.stringify(path));
  const scored = { status, unjudged: verdicts.unjudged };
  for (const { name, value, status: decided } of outcomes.values()) {
    counts.add("outcome", name, String(outcomeScore({ value, status: decided }, scored)));
  }
  for (const { judge, reasons, ...results } of judges.counts) {
    for (const [result, count] of Object.entries(results))
      if (count > 0) counts.add("judge", judge, result, count);
    for (const { result, category = null, reason, count } of reasons)
      counts.add("reason", judge, JSON.stringify([result, category, reason]), count);
  }
  if (isFinished(status) && judges.failed > 0) counts.add("failed judges", "");
  if (isFinished(status) && judges.unreadable > 0) counts.add("unreadable judges", "");
  if (arms.length > 0) counts.add("arms", "", "", arms.length);
  countSpending("spending", conversation.spending, counts);
  if (conversation.simulator !== NOTHING_SPENT) countSpending("simulator", conversation.simulator, counts);
  return counts;
}

/** What an outcome is worth; something else than replies may have kept its conversation from being decided. */
export function outcomeScore(
  { value, status }: Pick<OutcomeEvent, "value" | "status">,
  conversation: { readonly status: ConversationStatus | null; readonly unjudged: number },
): OutcomeScore {
  if (status === "not_applicable") return "not_applicable";
  if (status === "decided" && value !== null) return value;
  return conversation.unjudged > 0 || !isFinished(conversation.status) ? "error" : "inconclusive";
}

/**
 * A visit is a question that was asked, answered or not; while the conversation goes on, its last question is not one yet. An edge is
 * followed if the question it leads to was asked, or if it leads to `END`.
 */
function countTurns({ status, turns, fork }: Conversation, counts: Counts): void {
  if (fork !== null && (turns.length > 0 || fork.target === END)) counts.add("edge", String(fork.edge));
  for (const [index, { node, hop, verdict, readBy = RULES_JUDGE, labels }] of turns.entries()) {
    const isEnd = hop !== undefined && (hop.target === null || hop.target === END);
    // A hop that nothing follows was decided, but not made: at the limit of turns, or where something broke.
    const isMade = isEnd || (hop !== undefined && hop.target === turns[index + 1]?.node);
    if (isMade || status !== null) counts.add("visit", node);
    // The edges of a fork are followed by its arms.
    if (isMade && hop.edge !== null && hop.fork === undefined) counts.add("edge", String(hop.edge));
    if (verdict !== undefined) counts.add("turn", node, verdict);
    if ((verdict === "pass" || verdict === "fail") && labels === undefined) counts.add("reader", readBy);
  }
}

function countSpending(
  kind: "spending" | "simulator",
  { calls, unanswered = 0, cached, tokens, cost }: Spending,
  counts: Counts,
): void {
  counts.add(kind, "calls", "", calls);
  if (unanswered > 0) counts.add(kind, "unanswered", "", unanswered);
  counts.add(kind, "cached", "", cached);
  if (tokens === null) counts.add(kind, "tokens", "unknown");
  else counts.add(kind, "tokens", "", tokens);
  if (cost === null) counts.add(kind, "cost", "unknown");
  else counts.add(kind, "cost", "", Math.round(cost * COST_UNITS));
}

/** Which conversations are counted together. */
type TallyCell = Pick<Cell, "scenario" | "subject" | "judge" | "variant" | "arm">;

/** What the conversations of one scenario, subject, judge, variant and arm come to. Everything is counted while a run is written. */
export interface CellTally {
  readonly scenario: string;
  readonly subject: string;
  readonly judge: string;
  readonly variant: Readonly<Record<string, string>> | null;
  readonly arm: string | null;
  /** All that have begun. */
  readonly conversations: number;
  /** Of those, the ones that have not ended. */
  readonly open: number;
  /** How the others ended, and because of what. */
  readonly statuses: readonly {
    readonly status: ConversationStatus;
    readonly failure: ErrorCategory | null;
    readonly count: number;
  }[];
  /** Finished turns. */
  readonly turns: readonly {
    readonly node: string;
    readonly verdict: TurnVerdict;
    readonly count: number;
  }[];
  /** Who read the turns that are right or wrong: `rules`, or a judge. Labels are read by neither. */
  readonly readers: ReadonlyMap<string, number>;
  /** Each value that an outcome has, with how often it has it. */
  readonly outcomes: readonly {
    readonly name: string;
    readonly value: OutcomeScore;
    readonly count: number;
  }[];
  /** How often a node was asked. */
  readonly visits: ReadonlyMap<string, number>;
  /** How often an edge was followed, by its position in the scenario. */
  readonly edges: ReadonlyMap<number, number>;
  /** The nodes of finished conversations, in order; null for all paths that came after too many different ones. */
  readonly paths: readonly { readonly path: readonly string[] | null; readonly count: number }[];
  readonly judges: readonly JudgeCounts[];
  /** Finished conversations with requests to judges that failed, and with answers that could not be read. */
  readonly unjudged: number;
  readonly unreadable: number;
  /** In how many arms they continue. */
  readonly arms: number;
  readonly spending: Spending;
  /** Of that, what simulated users took. */
  readonly simulator: Spending;
}

/** The counts of a cell, in words. */
function cellTally({ scenario, subject, judge, variant, arm }: TallyCell, counts: Counts): CellTally {
  const of = new Map<CountKind, (readonly [name: string, value: string, count: number])[]>();
  for (const [kind, name, value, count] of counts.entries()) {
    const entries = of.get(kind) ?? [];
    of.set(kind, entries);
    if (count !== 0) entries.push([name, value, count]);
  }
  // Conversations end in any order; what they come to has one order. Judges are in the order in which they were asked.
  const inOrder = (kind: CountKind): readonly (readonly [string, string, number])[] => of.get(kind) ?? [];
  const listed = (kind: CountKind): readonly (readonly [string, string, number])[] =>
    inOrder(kind).toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
  const single = (kind: CountKind): number => listed(kind)[0]?.[2] ?? 0;
  const statuses = listed("status").map(([status, failure, count]) => ({
    // Written by `conversationCounts`, here and below.
    status: status as ConversationStatus,
    failure: failure === "" ? null : (failure as ErrorCategory),
    count,
  }));
  const open = single("open");
  return {
    scenario,
    subject,
    judge,
    variant: variant ?? null,
    arm: arm ?? null,
    conversations: statuses.reduce((sum, { count }) => sum + count, open),
    open,
    statuses,
    turns: listed("turn").map(([node, verdict, count]) => ({ node, verdict: verdict as TurnVerdict, count })),
    readers: new Map(listed("reader").map(([reader, , count]) => [reader, count])),
    outcomes: listed("outcome").map(([name, value, count]) => ({ name, value: outcomeValue(value), count })),
    visits: new Map(listed("visit").map(([node, , count]) => [node, count])),
    edges: new Map(listed("edge").map(([edge, , count]) => [Number(edge), count])),
    paths: listed("path").map(([path, , count]) => ({
      path: path === "" ? null : (JSON.parse(path) as readonly string[]),
      count,
    })),
    judges: judgesIn(inOrder("judge"), listed("reason")),
    unjudged: single("failed judges"),
    unreadable: single("unreadable judges"),
    arms: single("arms"),
    spending: spendingIn(listed("spending")),
    simulator: spendingIn(listed("simulator")),
  };
}

function outcomeValue(value: string): OutcomeScore {
  if (value === "true" || value === "false") return value === "true";
  const number = Number(value);
  return Number.isNaN(number) && value !== "NaN" ? (value as OutcomeScore) : number;
}

function judgesIn(
  results: readonly (readonly [string, string, number])[],
  reasons: readonly (readonly [string, string, number])[],
): readonly JudgeCounts[] {
  const tally = new JudgeTally();
  const nothing = { judged: 0, repaired: 0, unreadable: 0, failed: 0, reasons: [] };
  for (const [judge, result, count] of results) tally.merge([{ ...nothing, judge, [result]: count }]);
  // The most frequent first: where there are many, the others are counted with those.
  for (const [judge, json, count] of [...reasons].sort((one, other) => other[2] - one[2])) {
    const [result, category, reason] = JSON.parse(json) as [
      JudgeReason["result"],
      ErrorCategory | null,
      string,
    ];
    const counted = { result, ...(category === null ? {} : { category }), reason, count };
    tally.merge([{ ...nothing, judge, reasons: [counted] }]);
  }
  return tally.counts;
}

function spendingIn(entries: readonly (readonly [string, string, number])[]): Spending {
  const sum = (name: string): number => entries.find((one) => one[0] === name && one[1] === "")?.[2] ?? 0;
  const isKnown = (name: string): boolean => !entries.some((one) => one[0] === name && one[1] === "unknown");
  const unanswered = sum("unanswered");
  return {
    calls: sum("calls"),
    ...(unanswered === 0 ? {} : { unanswered }),
    cached: sum("cached"),
    tokens: isKnown("tokens") ? sum("tokens") : null,
    cost: isKnown("cost") ? sum("cost") / COST_UNITS : null,
  };
}

/** What several cells took. Costs are added in whole units, as within a cell. */
export function sumOfSpending(tallies: readonly Pick<CellTally, "spending">[]): Spending {
  const { cost, ...sum } = tallies.map(({ spending }) => spending).reduce(addSpending, NOTHING_SPENT);
  return { ...sum, cost: cost === null ? null : Math.round(cost * COST_UNITS) / COST_UNITS };
}

/** Counts of a cell, and its place among the results. */
interface PlacedCounts {
  readonly cell: TallyCell;
  /** The least of its conversations. */
  position: number;
  readonly counts: Counts;
}

/** Collects the counts of cells. */
export class CellCounts {
  readonly #cells = new Map<string, PlacedCounts>();

  /** Adds the counts of a conversation, or takes them away. */
  add(cell: TallyCell & Pick<Cell, "index">, counts: Counts, sign: 1 | -1 = 1): void {
    const key = cellKey(cell);
    const known = this.#cells.get(key) ?? { cell, position: cell.index, counts: new Counts() };
    this.#cells.set(key, known);
    known.position = Math.min(known.position, cell.index);
    known.counts.merge(counts, sign);
  }

  /** Each cell with its key. */
  [Symbol.iterator](): IterableIterator<[string, PlacedCounts]> {
    return this.#cells.entries();
  }

  clear(): void {
    this.#cells.clear();
  }

  /** In the order of results. */
  tallies(): readonly CellTally[] {
    return [...this.#cells.values()]
      .sort((one, other) => one.position - other.position)
      .map(({ cell, counts }) => cellTally(cell, counts));
  }
}

function cellKey({ scenario, subject, judge, variant, arm }: TallyCell): string {
  return JSON.stringify([scenario, subject, judge, variantKey(variant), arm ?? null]);
}

/** A variant as a key; empty without one. */
export function variantKey(variant: TallyCell["variant"]): string {
  return variant === undefined ? "" : canonicalJson(variant);
}
