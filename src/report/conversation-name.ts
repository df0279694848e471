import type { ConversationSummary } from "../journal/store/store.ts";
import { testedName } from "./subject-totals.ts";

/** How people tell the conversations of a scenario apart: `openai/gpt-5-mini, replicate 3, row 2`. Rows count from 0, as in tables. */
export function conversationName(
  { subject, judge, replicate, row }: Pick<ConversationSummary, "subject" | "judge" | "replicate" | "row">,
  judges: readonly string[],
): string {
  const place = row === null ? "" : `, row ${row}`;
  return `${testedName({ subject, judge }, judges)}, replicate ${replicate}${place}`;
}
