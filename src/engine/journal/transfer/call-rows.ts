import { foldCalls } from "../fold/calls.ts";
import { foldConversation } from "../fold/conversation.ts";
import type { Store } from "../store/store.ts";
import { storedRun } from "./stored-run.ts";
import {
  CELL_COLUMNS,
  type CellColumns,
  cellColumns,
  type FailureColumns,
  failureColumns,
  type Table,
} from "./tables.ts";

/** A call of a model or tool in columns. */
export type CallRow = CellColumns &
  FailureColumns & {
    /** From 1. */
    readonly turn: number;
    /** Unique within its conversation: `3.subject.1`. */
    readonly call: string;
    readonly purpose: string;
    readonly model: string;
    /** True if the answer was known already; null while the call is under way. */
    readonly cached: boolean | null;
    readonly attempts: number | null;
    /** ISO 8601, in UTC. */
    readonly started_at: string;
    readonly ended_at: string | null;
    readonly latency_ms: number | null;
    readonly input_tokens: number | null;
    readonly output_tokens: number | null;
    readonly cache_read_tokens: number | null;
    readonly cache_write_tokens: number | null;
    readonly reasoning_tokens: number | null;
    readonly cost: number | null;
  };

const COLUMNS: readonly Exclude<keyof CallRow, keyof CellColumns>[] = [
  "failure_category",
  "failure_stage",
  "failure_message",
  "turn",
  "call",
  "purpose",
  "model",
  "cached",
  "attempts",
  "started_at",
  "ended_at",
  "latency_ms",
  "input_tokens",
  "output_tokens",
  "cache_read_tokens",
  "cache_write_tokens",
  "reasoning_tokens",
  "cost",
];

/** The calls of a run, one row for each, in the order of results and then of time. */
export function callTable(store: Store, run: string): Table<CallRow> {
  const name = storedRun(store, run).run;
  return {
    columns: [...CELL_COLUMNS, ...COLUMNS],
    *[Symbol.iterator]() {
      for (const summary of store.conversations(name)) {
        const events = [...store.events(name, summary.conversation)];
        const cell = cellColumns(summary, foldConversation(events));
        for (const { turn, call, purpose, model, startedAt, end } of foldCalls(events))
          yield {
            ...cell,
            ...failureColumns(end?.failure),
            turn,
            call,
            purpose,
            model,
            cached: end?.cached ?? null,
            attempts: end?.attempts ?? null,
            started_at: new Date(startedAt).toISOString(),
            ended_at: end === undefined ? null : new Date(end.at).toISOString(),
            // The latency of a known answer says nothing.
            latency_ms: end === undefined || end.cached ? null : end.latencyMs,
            input_tokens: end?.usage?.inputTokens ?? null,
            output_tokens: end?.usage?.outputTokens ?? null,
            cache_read_tokens: end?.usage?.cacheReadTokens ?? null,
            cache_write_tokens: end?.usage?.cacheWriteTokens ?? null,
            reasoning_tokens: end?.usage?.reasoningTokens ?? null,
            cost: end?.cost ?? null,
          };
      }
    },
  };
}
