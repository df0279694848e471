import type { Store } from "../store/store.ts";
import { type TurnVerdict, turnVerdict } from "../turn-verdict.ts";
import { type ConversationFacts, type FailureColumns, failureColumns } from "./conversation-facts.ts";
import { type CellColumns, type Table, tableOf } from "./table.ts";

/** A conversation in columns. */
export type ConversationRow = CellColumns &
  FailureColumns & {
    readonly failure_node: string | null;
    readonly failure_turn: number | null;
    /** Turns that came to their end, and how many of them are what. */
    readonly turns: number;
    readonly passed: number;
    readonly failed: number;
    readonly unreadable: number;
    readonly unjudged: number;
    readonly unverified: number;
    /** The nodes in order, with spaces in between. */
    readonly path: string;
    readonly attempts: number;
    /** ISO 8601, in UTC. */
    readonly started_at: string | null;
    readonly ended_at: string | null;
    readonly calls: number | null;
    readonly cached: number | null;
    readonly tokens: number | null;
    readonly cost: number | null;
  };

type Columns = Omit<ConversationRow, keyof CellColumns>;

const COLUMNS: readonly (keyof Columns)[] = [
  "failure_category",
  "failure_stage",
  "failure_message",
  "failure_node",
  "failure_turn",
  "turns",
  "passed",
  "failed",
  "unreadable",
  "unjudged",
  "unverified",
  "path",
  "attempts",
  "started_at",
  "ended_at",
  "calls",
  "cached",
  "tokens",
  "cost",
];

/** The conversations of a run, one row each, in the order of results. */
export function conversationTable(store: Store, run: string): Table<ConversationRow> {
  return tableOf<ConversationRow>(store, run, { columns: COLUMNS, rows: (facts) => [columnsOf(facts)] });
}

function columnsOf({ turns, end, attempts, startedAt, endedAt }: ConversationFacts): Columns {
  const verdicts = turns.map(turnVerdict);
  const counted = (verdict: TurnVerdict): number => verdicts.filter((found) => found === verdict).length;
  return {
    ...failureColumns(end?.failure),
    failure_node: end?.failure?.node ?? null,
    failure_turn: end?.failure?.turn ?? null,
    turns: turns.length,
    passed: counted("pass"),
    failed: counted("fail"),
    unreadable: counted("unreadable"),
    unjudged: counted("unjudged"),
    unverified: counted("unverified"),
    path: turns.map(({ node }) => node).join(" "),
    attempts,
    started_at: timeOf(startedAt),
    ended_at: timeOf(endedAt),
    calls: end?.spending.calls ?? null,
    cached: end?.spending.cached ?? null,
    tokens: end?.spending.tokens ?? null,
    cost: end?.spending.cost ?? null,
  };
}

/** The latest time that a date can be. */
const LAST_TIME = 8.64e15;

function timeOf(at: number | null): string | null {
  return at === null || Math.abs(at) > LAST_TIME ? null : new Date(at).toISOString();
}
