import type { Conversation } from "../fold/conversation.ts";
import type { Store } from "../store/store.ts";
import { type CellColumns, type FailureColumns, failureColumns, type Table, tableOf } from "./table.ts";

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
  return tableOf<ConversationRow>(store, run, {
    columns: COLUMNS,
    rows: (conversation) => [columnsOf(conversation)],
  });
}

function columnsOf(conversation: Conversation): Columns {
  const { failure, verdicts, path, attempt, startedAt, endedAt, status } = conversation;
  // While the conversation goes on, calls under way are not counted yet.
  const spending = status === null ? undefined : conversation.spending;
  return {
    ...failureColumns(failure),
    failure_node: failure?.node ?? null,
    failure_turn: failure?.turn ?? null,
    turns: path.length,
    passed: verdicts.pass,
    failed: verdicts.fail,
    unreadable: verdicts.unreadable,
    unjudged: verdicts.unjudged,
    unverified: verdicts.unverified,
    path: path.join(" "),
    attempts: attempt,
    started_at: timeOf(startedAt),
    ended_at: timeOf(endedAt),
    calls: spending?.calls ?? null,
    cached: spending?.cached ?? null,
    tokens: spending?.tokens ?? null,
    cost: spending?.cost ?? null,
  };
}

/** The latest time that a date can be. */
const LAST_TIME = 8.64e15;

function timeOf(at: number | null): string | null {
  return at === null || Math.abs(at) > LAST_TIME ? null : new Date(at).toISOString();
}
