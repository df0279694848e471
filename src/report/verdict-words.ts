import type { Truth } from "../core/logic/kleene.ts";
import { type ConversationStatus, cameToItsEnd } from "../core/state/state.ts";
import type { TurnVerdict } from "../journal/turn-verdict.ts";
import type { Style } from "../terminal/terminal.ts";

/** A word, and the colour that says the same. */
export interface PaintedWord {
  readonly word: string;
  readonly paint: (text: string) => string;
}

/** What became of a turn. */
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
      return { word: "not verified", paint: style.dim };
  }
}

/** What code says about a field, with a sign before it. */
export function fieldWord(result: Truth, style: Style): PaintedWord {
  if (result === null) return { word: "? unreadable", paint: style.yellow };
  return result ? { word: "✓ right", paint: style.green } : { word: "✗ wrong", paint: style.red };
}

/** How a conversation ended, or that it has not. */
export function statusWord(status: ConversationStatus | null, style: Style): PaintedWord {
  if (status === null) return { word: "under way", paint: style.yellow };
  const word = status.replace("_", " ");
  if (cameToItsEnd(status)) return { word, paint: (text) => text };
  return { word, paint: status === "error" ? style.red : style.yellow };
}
