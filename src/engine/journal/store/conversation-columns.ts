import type { ConversationStatus } from "../../../core/state/state.ts";
import { itemKey } from "../cell.ts";
import type { Conversation } from "../fold/conversation.ts";
import type { JudgeCounts } from "../judge-health.ts";
import type { Cell, OutcomeEvent } from "../run-event.ts";
import type { Spending } from "../spending.ts";
import type { Turn } from "../turn.ts";

/** What a column can hold. */
export type Column = string | number | null;

/** A row of the table `conversation`. */
export interface ConversationColumns
  extends Readonly<ReturnType<typeof placeColumns> & ReturnType<typeof savedColumns>> {
  readonly id: number;
  readonly name: string;
  /** Written from an event's status. In an index, so it is written apart from the other columns. */
  readonly status: ConversationStatus | null;
}

/** Which conversation it is, as columns. */
export function placeColumns({ cell, scenarioHash, rowValues, itemHash }: Conversation) {
  return {
    position: cell.index,
    scenario: cell.scenario,
    scenario_hash: scenarioHash,
    subject: cell.subject,
    judge: cell.judge,
    replicate: cell.replicate,
    row: cell.rowIndex ?? null,
    row_id: cell.row ?? null,
    row_name: cell.rowName ?? null,
    variant: cell.variant === undefined ? null : JSON.stringify(cell.variant),
    arm: cell.arm ?? null,
    parent: cell.parent ?? null,
    item: itemKey(cell),
    row_values: rowValues === null ? null : JSON.stringify(rowValues),
    item_hash: itemHash,
  };
}

/** What a conversation has come to, as columns. */
export function savedColumns(conversation: Conversation) {
  const { verdicts, spending } = conversation;
  return {
    failure: conversation.failure?.category ?? null,
    attempt: conversation.attempt,
    turns: conversation.turnCount,
    passed: verdicts.pass,
    failed: verdicts.fail,
    unreadable: verdicts.unreadable,
    unjudged: verdicts.unjudged,
    unverified: verdicts.unverified,
    not_verified: verdicts.not_verified,
    calls: spending.calls,
    cached: spending.cached,
    tokens: spending.tokens,
    cost: spending.cost,
    started_at: conversation.startedAt,
    ended_at: conversation.endedAt,
    judging: JSON.stringify(conversation.judges.counts),
  };
}

/** The cell in columns. */
export function cellOf(columns: ConversationColumns): Cell {
  const { position: index, scenario, subject, judge, replicate } = columns;
  const { row: rowIndex, row_id: row, row_name: rowName, variant, arm, parent } = columns;
  return {
    index,
    scenario,
    subject,
    judge,
    replicate,
    ...(row === null ? {} : { row }),
    ...(rowIndex === null ? {} : { rowIndex }),
    ...(rowName === null ? {} : { rowName }),
    // Written by `placeColumns`.
    ...(variant === null ? {} : { variant: JSON.parse(variant) as Readonly<Record<string, string>> }),
    ...(arm === null ? {} : { arm }),
    ...(parent === null ? {} : { parent }),
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

/** A turn as columns. */
export function turnColumns(turn: Turn) {
  // What a turn took is known when it is finished.
  const isFinished = turn.verdict !== undefined;
  const spent = isFinished ? turn.spending : undefined;
  return {
    node: turn.node,
    agent: turn.agent ?? null,
    model: turn.model ?? null,
    verdict: turn.verdict ?? null,
    read_status: turn.readStatus ?? null,
    score: turn.score ?? null,
    refused: numberOf(turn.refused ?? null),
    next: isFinished ? (turn.next ?? null) : null,
    calls: spent?.calls ?? null,
    cached: spent?.cached ?? null,
    tokens: spent?.tokens ?? null,
    cost: spent?.cost ?? null,
    latency_ms: turn.latencyMs ?? null,
    started_at: turn.startedAt ?? null,
    ended_at: turn.endedAt ?? null,
    edge: turn.hop?.edge ?? null,
  };
}

/** A row of the table `outcome`. */
export interface OutcomeColumns {
  readonly name: string;
  readonly kind: string;
  readonly value: number | null;
  readonly status: OutcomeEvent["status"];
}

/** An outcome as columns. */
export function outcomeColumns({ name, value, status }: OutcomeEvent): OutcomeColumns {
  return { name, kind: typeof value, value: numberOf(value), status };
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
