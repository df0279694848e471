import type { TurnRecord } from "../core/state/state.ts";
import type { ReplyConclusion } from "../grading/judge/assess-reply.ts";
import type { ToolCall } from "../models/message.ts";
import type { RunFailure } from "./failure.ts";
import type { Spending } from "./spending.ts";

/** A finished turn: what was asked and answered, what was read, and what code says about it. */
export interface TurnResult extends TurnRecord, Omit<ReplyConclusion, "status"> {
  /** From 1. */
  readonly turn: number;
  readonly agent?: string;
  readonly verifyResult: ReplyConclusion["verifyResult"];
  readonly parsed: ReplyConclusion["parsed"];
  readonly rubric: ReplyConclusion["rubric"];
  readonly refused: ReplyConclusion["refused"];
  /** Unreadable if an answer of the judge could not be read, or the judge could not be asked. */
  readonly readStatus: "read" | "unreadable";
  /** Passages of the reply that state fields. */
  readonly quotes: Readonly<Record<string, string>>;
  /** Why the judge could not be asked. */
  readonly judgeFailure?: RunFailure;
  readonly finish: string;
  readonly toolCalls?: readonly ToolCall[];
  /** Where the conversation went next: a node, `END`, or null if it went nowhere. */
  readonly next: string | null;
  readonly spending: Spending;
}
