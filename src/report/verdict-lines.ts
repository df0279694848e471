import type { TurnResult } from "../journal/turn-result.ts";
import { turnVerdict } from "../journal/turn-verdict.ts";
import type { Style } from "../terminal/terminal.ts";
import { failureSentence } from "./failure-sentence.ts";
import { meanText } from "./figure-text.ts";
import { paintedLines } from "./value-text.ts";
import { verdictWord } from "./verdict-words.ts";

interface Layout {
  readonly style: Style;
  /** Columns. */
  readonly room: number;
}

/** Why the judge did not read a reply; none if it did, or was not asked. */
export function judgeLines(
  { judgeFailure, readStatus }: TurnResult,
  { style, room }: Layout,
): readonly string[] {
  if (judgeFailure !== undefined) return paintedLines(failureSentence(judgeFailure), room, style.yellow);
  if (readStatus === "read") return [];
  return paintedLines("An answer of the judge could not be read.", room, style.yellow);
}

/** What code says about a turn. */
export function verdictLines(result: TurnResult, { style, room }: Layout): readonly string[] {
  const { refused, score, verifyResult } = result;
  const { word, paint } = verdictWord(turnVerdict(result), style);
  const isTelling = score !== null && score !== (verifyResult === true ? 1 : 0);
  const remarks = [
    ...(isTelling ? [`score ${meanText(score)}`] : []),
    ...(refused === true ? ["it declines to answer"] : []),
  ];
  return paintedLines(remarks.length === 0 ? word : `${word} (${remarks.join(", ")})`, room, paint);
}
