import { placeTexts } from "../../../engine/journal/cell.ts";
import type { ConversationSummary } from "../../../engine/journal/store/store.ts";
import { printableText } from "../../../system/terminal/printable-text.ts";
import type { Tested } from "../data/run-counts.ts";

/** Subject and judge as one name; the judge is named only where there are several. */
export function testedName({ subject, judge }: Tested, judges: readonly string[]): string {
  return printableText(judges.length > 1 ? `${subject}, judge ${judge}` : subject);
}

/** A conversation within its scenario: `openai/gpt-5-mini, replicate 3, row q17, order=a`. */
export function conversationName(
  conversation: Pick<ConversationSummary, "subject" | "judge" | "replicate"> &
    Parameters<typeof placeTexts>[0],
  judges: readonly string[],
): string {
  const { replicate } = conversation;
  const parts = [testedName(conversation, judges), `replicate ${replicate}`, ...placeTexts(conversation)];
  return parts.join(", ");
}
