import { type CleanText, cleanText } from "../../core/text/clean-text.ts";
import { answerRanges } from "./reasoning.ts";

/** Makes a reply readable for rules; working in `<think>` blocks is left out. */
export function cleanReply(reply: string): CleanText {
  return cleanText(reply, answerRanges(reply));
}
