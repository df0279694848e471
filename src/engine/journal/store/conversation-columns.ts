import { itemKey } from "../cell.ts";
import type { Conversation } from "../fold/conversation.ts";
import type { JudgeCounts } from "../judge-health.ts";
import type { Cell, OutcomeEvent } from "../run-event.ts";
import type { Spending } from "../spending.ts";
import type { Turn } from "../turn.ts";

/** What a column can hold. */
export type Column = string | number | null;

/** A row of the table `conversation`. */
export interface ConversationColumns {
  readonly id: number;
  readonly name: string;
  readonly position: number;
  readonly scenario: string;
  readonly scenario_hash: string;
  readonly subject: string;
  readonly judge: string;
  readonly replicate: number;
  readonly row: number | null;
  readonly status: string | null;
  readonly failure: string | null;
  readonly attempt: number;
  readonly turns: number;
  readonly calls: number;
  readonly cached: number;
  readonly tokens: number | null;
  readonly cost: number | null;
  readonly started_at: number | null;
  readonly ended_at: number | null;
  readonly unjudged: number;
  readonly judging: string;
  readonly row_id: string | null;
  readonly variant: string | null;
  readonly arm: string | null;
  readonly parent: number | null;
  readonly item: string;
  readonly row_values: string | null;
  readonly item_hash: string | null;
}

/** The columns that say which conversation it is, in the order of `placeColumns`. */
export const PLACE: readonly string[] =
  // Quoted because PostgreSQL reserves the word.
  'position scenario scenario_hash subject judge replicate "row" row_id variant arm parent item row_values item_hash'.split(
    " ",
  );

/** The columns of a conversation that change with its events, in the order of `savedColumns`. The status is in an index, so it is apart. */
export const SAVED: readonly string[] = [
  "failure attempt turns passed failed unreadable unjudged unverified calls cached tokens cost started_at ended_at",
  "judging not_verified",
]
  .join(" ")
  .split(" ");

/** The columns of a turn, in the order of `turnColumns`. */
export const TURN: readonly string[] = [
  "node agent model verdict read_status score refused next calls cached tokens cost latency_ms started_at",
  "ended_at edge",
]
  .join(" ")
  .split(" ");

/** Which conversation it is, as columns. */
export function placeColumns({ cell, scenarioHash, rowValues, itemHash }: Conversation): Column[] {
  return [
    cell.index,
    cell.scenario,
    scenarioHash,
    cell.subject,
    cell.judge,
    cell.replicate,
    cell.rowIndex ?? null,
    cell.row ?? null,
    cell.variant === undefined ? null : JSON.stringify(cell.variant),
    cell.arm ?? null,
    cell.parent ?? null,
    itemKey(cell),
    rowValues === null ? null : JSON.stringify(rowValues),
    itemHash,
  ];
}

/** What a conversation has come to, as columns. */
export function savedColumns(conversation: Conversation): Column[] {
  const { verdicts, spending } = conversation;
  return [
    conversation.failure?.category ?? null,
    conversation.attempt,
    conversation.turnCount,
    verdicts.pass,
    verdicts.fail,
    verdicts.unreadable,
    verdicts.unjudged,
    verdicts.unverified,
    spending.calls,
    spending.cached,
    spending.tokens,
    spending.cost,
    conversation.startedAt,
    conversation.endedAt,
    JSON.stringify(conversation.judges.counts),
    verdicts.not_verified,
  ];
}

/** The cell in columns. */
export function cellOf(columns: ConversationColumns): Cell {
  const { position: index, scenario, subject, judge, replicate } = columns;
  const { row: rowIndex, row_id: row, variant, arm, parent } = columns;
  return {
    index,
    scenario,
    subject,
    judge,
    replicate,
    ...given("row", row),
    ...given("rowIndex", rowIndex),
    // Written by `savedColumns`.
    ...(typeof variant === "string"
      ? { variant: JSON.parse(variant) as Readonly<Record<string, string>> }
      : {}),
    ...given("arm", arm),
    ...given("parent", parent),
  };
}

/** How many requests to judges failed in a conversation, and how many of their answers could not be read. */
export function judgementsOf({ judging }: Pick<ConversationColumns, "judging">): {
  readonly failedJudgements: number;
  readonly unreadableJudgements: number;
} {
  // Written by `savedColumns`.
  const counts = JSON.parse(judging) as readonly JudgeCounts[];
  return {
    failedJudgements: counts.reduce((sum, { failed }) => sum + failed, 0),
    unreadableJudgements: counts.reduce((sum, { unreadable }) => sum + unreadable, 0),
  };
}

/** A row of the table `outcome`. */
export interface OutcomeColumns {
  readonly name: string;
  readonly kind: string;
  readonly value: number | null;
  readonly status: OutcomeEvent["status"];
}

/** A turn as columns. */
export function turnColumns(turn: Turn): Column[] {
  const { spending } = turn;
  // What a turn took is known when it is finished.
  const spent = turn.verdict === undefined ? undefined : spending;
  return [
    turn.node,
    turn.agent ?? null,
    turn.model ?? null,
    turn.verdict ?? null,
    turn.readStatus ?? null,
    turn.score ?? null,
    numberOf(turn.refused ?? null),
    turn.verdict === undefined ? null : (turn.next ?? null),
    spent?.calls ?? null,
    spent?.cached ?? null,
    spent?.tokens ?? null,
    spent?.cost ?? null,
    turn.latencyMs ?? null,
    turn.startedAt ?? null,
    turn.endedAt ?? null,
    turn.hop?.edge ?? null,
  ];
}

function given<Key extends string, Value>(
  key: Key,
  value: Value | null | undefined,
): Partial<Record<Key, Value>> {
  // One key, or none.
  return (value === null || value === undefined ? {} : { [key]: value }) as Partial<Record<Key, Value>>;
}

/** An outcome as columns. */
export function outcomeColumns({ value, status }: Pick<OutcomeEvent, "value" | "status">): Column[] {
  return [typeof value, numberOf(value), status];
}

/** The value of an outcome in columns. */
export function outcomeValue({ kind, value }: Pick<OutcomeColumns, "kind" | "value">): OutcomeEvent["value"] {
  return kind === "boolean" && value !== null ? value === 1 : value;
}

/** What a row says was spent. */
export function spendingOf({ calls, cached, tokens, cost }: Spending): Spending {
  return { calls, cached, tokens, cost };
}

function numberOf(value: boolean | number | null): number | null {
  return typeof value === "boolean" ? Number(value) : value;
}
