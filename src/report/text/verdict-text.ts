import type { Truth } from "../../core/logic/kleene.ts";
import { type ConversationStatus, isFinished } from "../../core/state/state.ts";
import type { RunFailure, Stage } from "../../journal/failure.ts";
import { type FinishedTurn, type TurnVerdict, turnVerdict } from "../../journal/turn.ts";
import { printableText } from "../../terminal/printable-text.ts";
import type { Style } from "../../terminal/terminal.ts";
import { meanText } from "./figures.ts";
import { paintedLines, type RoomOptions } from "./text-blocks.ts";

/** A word and its colour. */
export interface PaintedWord {
  readonly word: string;
  readonly paint: (text: string) => string;
}

/** The verdict on a turn in a word. */
export function verdictWord(verdict: TurnVerdict, style: Style): PaintedWord {
  switch (verdict) {
    case "pass":
      return { word: "right", paint: style.green };
    case "fail":
      return { word: "wrong", paint: style.red };
    case "unreadable":
      return { word: "unreadable", paint: style.yellow };
    case "unjudged":
      return { word: "not judged", paint: style.yellow };
    case "unverified":
    case "not_verified":
      return { word: "not verified", paint: style.dim };
  }
}

/** The verdict on a field, with a sign before it. */
export function fieldWord(result: Truth, style: Style): PaintedWord {
  if (result === null) return { word: "? unreadable", paint: style.yellow };
  return result ? { word: "✓ right", paint: style.green } : { word: "✗ wrong", paint: style.red };
}

/** How a conversation ended, or that it has not. */
export function statusWord(status: ConversationStatus | null, style: Style): PaintedWord {
  if (status === null) return { word: "unfinished", paint: style.yellow };
  const word = status.replace("_", " ");
  if (isFinished(status)) return { word, paint: (text) => text };
  return { word, paint: status === "error" ? style.red : style.yellow };
}

/** Why the judge did not read a reply; empty if it did, or was not needed. */
export function judgeLines(
  { judgeFailure, readStatus }: FinishedTurn,
  { style, room }: RoomOptions,
): readonly string[] {
  if (judgeFailure !== undefined) return paintedLines(failureSentence(judgeFailure), room, style.yellow);
  if (readStatus === "read") return [];
  return paintedLines("The judge's answer could not be read.", room, style.yellow);
}

/** The verdict on a turn, with its score. */
export function verdictLines(result: FinishedTurn, { style, room }: RoomOptions): readonly string[] {
  const { refused, score, verifyResult } = result;
  const { word, paint } = verdictWord(turnVerdict(result), style);
  const isTelling = score !== null && score !== (verifyResult === true ? 1 : 0);
  const remarks = [
    ...(isTelling ? [`score ${meanText(score)}`] : []),
    ...(refused === true ? ["it refused to answer"] : []),
  ];
  return paintedLines(remarks.length === 0 ? word : `${word} (${remarks.join(", ")})`, room, paint);
}

const WHAT: Readonly<Record<Stage, string>> = {
  subject: "The subject gave no answer",
  judge: "The judge could not be asked",
  tool: "A tool could not be used",
  handover: "The question could not be handed over",
  run: "The run ended the conversation",
  record: "The record does not fit the scenario",
  simulator: "The simulated user broke its contract",
};

/** A failure as one sentence: what did not work, where, of what kind, and what is known about it. */
export function failureSentence(failure: RunFailure): string {
  const { turn, node, cause } = failure;
  const message = printableText(failure.message);
  const place = [
    ...(turn === undefined ? [] : [`turn ${turn}`]),
    ...(node === undefined ? [] : [`node ${printableText(node)}`]),
  ].join(", ");
  const where = place === "" ? "" : ` in ${place}`;
  const behind = cause === undefined ? "" : printableText(cause);
  // The message often contains the answer of the server already.
  const more = message.includes(behind) ? "" : `${/[.!?…]$/.test(message) ? "" : "."} Cause: ${behind}`;
  return `${WHAT[failure.stage]}${where} (${kindOf(failure)}): ${message}${more}`;
}

/** What failed and of what kind, without the place: the same for failures that belong together. */
export function failureKind(failure: Pick<RunFailure, "stage" | "category" | "statusCode">): string {
  return `${WHAT[failure.stage]} (${kindOf(failure)})`;
}

function kindOf({ category, statusCode }: Pick<RunFailure, "category" | "statusCode">): string {
  const kind = category.replaceAll("_", " ");
  return statusCode === undefined ? kind : `${kind}, status ${statusCode}`;
}
