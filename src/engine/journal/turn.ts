import type { Truth } from "../../core/logic/kleene.ts";
import type { RoutingDecision } from "../../core/state/routing.ts";
import type { UserState } from "../../core/state/state.ts";
import type { JudgementPart } from "../grading/judge/judge-turn.ts";
import type { ReplyConclusion, TurnLabels } from "../grading/verify/conclude-reply.ts";
import type { Message, ToolCall } from "../models/message.ts";
import type { ErrorCategory } from "../models/model-error.ts";
import type { RunFailure } from "./failure.ts";
import type { Spending } from "./spending.ts";

/**
 * One visit of one node, from its question to its verdict. A turn grows: it is asked, replied to, judged, and then finished. What
 * has not happened yet is missing. Everything that shows or keeps turns uses this type, or a `Pick` of it.
 */
export interface Turn {
  /** From 1. */
  readonly turn: number;
  readonly node: string;
  /** True of a turn that an arm of a fork has from its parent: asked, paid and counted there. */
  readonly ofParent?: true;
  /** The name of the agent; missing where the scenario has none. */
  readonly agent?: string;

  // Asked. Stored replies that are graded again are not asked for.
  readonly model?: string;
  readonly instructions?: string;
  /** The question of the node, without what a handover added. */
  readonly question?: string;
  /** What the simulated user did, at a node that has one. */
  readonly user?: UserState;
  /** The text that was sent. */
  readonly questionText?: string;
  /** What was sent after the messages that the agent had seen before. */
  readonly messages?: readonly Message[];
  readonly startedAt?: number;

  // Replied.
  readonly reply?: string;
  /** All messages of the model and of tools, in order; the last is the reply. */
  readonly replyMessages?: readonly Message[];
  readonly finish?: string;
  /** True if the model still wanted tools when the limit of steps was reached. */
  readonly stepLimit?: true;
  /** Of `toolCalls`, those that the agent made itself and reports. */
  readonly reportedCalls?: readonly ToolCall[];
  readonly toolCalls?: readonly ToolCall[];
  /** What others have read of a recorded reply. */
  readonly labels?: TurnLabels;
  /** Of the subject's calls that were really made, together. */
  readonly latencyMs?: number;

  // Judged.
  /** The answers of the judge so far, by the position of their request. */
  readonly judgements?: readonly (JudgementPart | null)[];
  /** Fields that the judge reads because their rules found nothing, or several answers. */
  readonly unreadByRules?: readonly string[];
  /** Why the judge could not be asked. */
  readonly judgeFailure?: RunFailure;
  /** The judge that read fields; missing if rules read all of them. */
  readonly readBy?: string;

  // Finished: read and verified.
  readonly verifyResult?: Truth;
  /** True if the template does not verify such a reply. */
  readonly notVerified?: true;
  readonly score?: ReplyConclusion["score"];
  readonly parsed?: ReplyConclusion["parsed"];
  readonly fields?: ReplyConclusion["fields"];
  readonly traits?: ReplyConclusion["traits"];
  readonly rubric?: ReplyConclusion["rubric"];
  readonly refused?: Truth;
  /** Unreadable if an answer of the judge could not be read, or the judge could not be asked. */
  readonly readStatus?: "read" | "unreadable";
  /** Why fields are null, by name. */
  readonly notes?: ReplyConclusion["notes"];
  /** Passages of the reply that state fields. */
  readonly quotes?: Readonly<Record<string, string>>;
  readonly verdict?: TurnVerdict;
  readonly endedAt?: number;

  // Routed, perhaps while the judge still reads.
  readonly hop?: RoutingDecision;
  /** Where the conversation went next: a node, `END`, or null if it went nowhere. */
  readonly next?: string | null;

  readonly spending?: Spending;
  readonly retries?: readonly Retry[];
  readonly warnings?: readonly TurnWarning[];
}

export type { TurnLabels };

/** A call that failed in a way that may pass, and is made again. */
export interface Retry {
  readonly call: string;
  /** The number of the attempt that failed, from 1. */
  readonly attempt: number;
  readonly category: ErrorCategory;
  readonly message: string;
  /** Of the response, if there was one. */
  readonly statusCode?: number;
  readonly delayMs: number;
}

/** Something a person should know about a turn that changes no result. */
export interface TurnWarning {
  readonly code: string;
  readonly message: string;
}

type FinishedKey =
  | "turn"
  | "node"
  | "questionText"
  | "reply"
  | "finish"
  | "verifyResult"
  | "score"
  | "parsed"
  | "fields"
  | "traits"
  | "rubric"
  | "refused"
  | "readStatus"
  | "notes"
  | "quotes"
  | "next"
  | "spending";

/** A finished turn as results and journals have it. */
export interface FinishedTurn
  extends Required<Pick<Turn, FinishedKey>>,
    Pick<
      Turn,
      "agent" | "judgeFailure" | "notVerified" | "ofParent" | "user" | "toolCalls" | "unreadByRules"
    > {}

/** True once a turn has been read and verified. */
export function isFinishedTurn(turn: Turn): turn is Turn & FinishedTurn {
  return turn.fields !== undefined;
}

/** The verdict on a turn in one word. A wrong answer, an unreadable one and a judge that failed are three different things. */
export type TurnVerdict = "pass" | "fail" | "unreadable" | "unjudged" | "unverified" | "not_verified";

/**
 * `unverified` if the node has no template; `not_verified` if its template does not verify such a reply; without a verdict, `unreadable` if a reply or a judgement could not be read, and
 * `unjudged` if the judge could not be asked, or there is none and a field needs one.
 */
export function turnVerdict({
  verifyResult,
  fields,
  parsed,
  judgeFailure,
  notVerified,
}: Pick<FinishedTurn, "verifyResult" | "fields" | "parsed" | "judgeFailure" | "notVerified">): TurnVerdict {
  if (notVerified === true) return "not_verified";
  if (verifyResult !== null) return verifyResult ? "pass" : "fail";
  // A template has at least one field.
  if (Object.keys(fields).length === 0) return "unverified";
  if (judgeFailure !== undefined) return "unjudged";
  // Rules and judges leave a null where they find nothing; a field that is not there was read by neither.
  const isUnjudged = Object.entries(fields).some(
    ([name, { result }]) => result === null && !Object.hasOwn(parsed, name),
  );
  return isUnjudged ? "unjudged" : "unreadable";
}

/** How many turns have which verdict. */
export type VerdictCounts = Record<TurnVerdict, number>;

/** No turns at all. */
export function noVerdicts(): VerdictCounts {
  return { pass: 0, fail: 0, unreadable: 0, unjudged: 0, unverified: 0, not_verified: 0 };
}
