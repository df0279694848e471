import type { Truth } from "../../core/logic/kleene.ts";
import { type ConversationStatus, isFinished } from "../../core/state/state.ts";
import { type FinishedTurn, type TurnVerdict, turnVerdict } from "../../journal/turn.ts";
import type { Style } from "../../terminal/terminal.ts";
import { failureSentence } from "./failure-sentence.ts";
import { meanText } from "./figures.ts";
import { paintedLines } from "./text-blocks.ts";

/** A word, and the colour that says the same. */
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

interface Layout {
  readonly style: Style;
  /** Columns. */
  readonly room: number;
}

/** Why the judge did not read a reply; empty if it did, or was not asked. */
export function judgeLines(
  { judgeFailure, readStatus }: FinishedTurn,
  { style, room }: Layout,
): readonly string[] {
  if (judgeFailure !== undefined) return paintedLines(failureSentence(judgeFailure), room, style.yellow);
  if (readStatus === "read") return [];
  return paintedLines("The judge's answer could not be read.", room, style.yellow);
}

/** The verdict on a turn, with its score. */
export function verdictLines(result: FinishedTurn, { style, room }: Layout): readonly string[] {
  const { refused, score, verifyResult } = result;
  const { word, paint } = verdictWord(turnVerdict(result), style);
  const isTelling = score !== null && score !== (verifyResult === true ? 1 : 0);
  const remarks = [
    ...(isTelling ? [`score ${meanText(score)}`] : []),
    ...(refused === true ? ["it refused to answer"] : []),
  ];
  return paintedLines(remarks.length === 0 ? word : `${word} (${remarks.join(", ")})`, room, paint);
}
