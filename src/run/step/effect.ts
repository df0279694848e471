import type { ConversationStatus } from "../../core/state/state.ts";
import type { RunFailure } from "../../journal/failure.ts";
import type { Message } from "../../models/message.ts";

/** Ask the subject. */
export interface AskEffect {
  readonly type: "ask";
  /** From 1. */
  readonly turn: number;
  readonly node: string;
  readonly agent: string;
  /** The system prompt. */
  readonly instructions?: string;
  /** All that the model is sent. */
  readonly messages: readonly Message[];
  /** The part of it that this agent has not seen before. */
  readonly added: readonly Message[];
  /** What must stand in the transcript file before the question is asked. */
  readonly transcript?: string;
}

/** Ask the judge one of the requests of a turn. */
export interface JudgeEffect {
  readonly type: "judge";
  readonly turn: number;
  readonly node: string;
  /** Which of the turn's requests, from 0. */
  readonly part: number;
  readonly reply: string;
}

/** The conversation is over. */
export interface FinishEffect {
  readonly type: "finish";
  readonly status: ConversationStatus;
  readonly failure?: RunFailure;
}

/** What is ready to be done. */
export type Effect = AskEffect | JudgeEffect | FinishEffect;
