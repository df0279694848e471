import type { Spending } from "../spending.ts";
import type { ConversationRows, OutcomeRow, TurnRow } from "./conversation-rows.ts";

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
}

/** The columns of a conversation that are kept up to date, in the order of `savedColumns`. */
export const SAVED: readonly string[] = [
  "position scenario scenario_hash subject judge replicate row status failure attempt turns passed failed unreadable",
  "unjudged unverified calls cached tokens cost started_at ended_at",
]
  .join(" ")
  .split(" ");

/** The columns of a turn, in the order of `turnColumns`. */
export const TURN: readonly string[] = [
  "node agent model verdict read_status score refused next calls cached tokens cost latency_ms started_at",
  "ended_at",
]
  .join(" ")
  .split(" ");

/** A conversation as columns. */
export function savedColumns(rows: ConversationRows): Column[] {
  const { cell, counts, spending } = rows;
  return [
    cell.index,
    cell.scenario,
    rows.scenarioHash,
    cell.subject,
    cell.judge,
    cell.replicate,
    cell.row ?? null,
    rows.status,
    rows.failure,
    rows.attempt,
    rows.finishedTurns,
    counts.pass,
    counts.fail,
    counts.unreadable,
    counts.unjudged,
    counts.unverified,
    spending.calls,
    spending.cached,
    spending.tokens,
    spending.cost,
    rows.startedAt,
    rows.endedAt,
  ];
}

/** A row of the table `turn`. */
export interface TurnColumns {
  readonly turn: number;
  readonly node: string;
  readonly agent: string | null;
  readonly model: string | null;
  readonly verdict: TurnRow["verdict"];
  readonly read_status: TurnRow["readStatus"];
  readonly score: number | null;
  readonly refused: number | null;
  readonly next: string | null;
  readonly calls: number | null;
  readonly cached: number | null;
  readonly tokens: number | null;
  readonly cost: number | null;
  readonly latency_ms: number | null;
  readonly started_at: number | null;
  readonly ended_at: number | null;
}

/** A row of the table `outcome`. */
export interface OutcomeColumns {
  readonly name: string;
  readonly kind: string;
  readonly value: number | null;
  readonly status: OutcomeRow["status"];
}

/** A turn as columns. */
export function turnColumns(row: TurnRow): Column[] {
  const { spending, refused } = row;
  return [
    row.node,
    row.agent,
    row.model,
    row.verdict,
    row.readStatus,
    row.score,
    numberOf(refused),
    row.next,
    spending?.calls ?? null,
    spending?.cached ?? null,
    spending?.tokens ?? null,
    spending?.cost ?? null,
    row.latencyMs,
    row.startedAt,
    row.endedAt,
  ];
}

/** The turn of a row. */
export function turnRow(columns: TurnColumns): TurnRow {
  const { turn, node, agent, model, verdict, score, refused, next, calls, cached } = columns;
  return {
    turn,
    node,
    agent,
    model,
    verdict,
    readStatus: columns.read_status,
    score,
    refused: refused === null ? null : refused === 1,
    next,
    spending: calls === null || cached === null ? null : spendingOf({ ...columns, calls, cached }),
    latencyMs: columns.latency_ms,
    startedAt: columns.started_at,
    endedAt: columns.ended_at,
  };
}

/** An outcome as columns. */
export function outcomeColumns({ value, status }: OutcomeRow): Column[] {
  return [typeof value, numberOf(value), status];
}

/** The outcome of a row. */
export function outcomeRow({ name, kind, value, status }: OutcomeColumns): OutcomeRow {
  return { name, value: kind === "boolean" && value !== null ? value === 1 : value, status };
}

/** What a row says was spent. */
export function spendingOf({ calls, cached, tokens, cost }: Spending): Spending {
  return { calls, cached, tokens, cost };
}

function numberOf(value: boolean | number | null): number | null {
  return typeof value === "boolean" ? Number(value) : value;
}
