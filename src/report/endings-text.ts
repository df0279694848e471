import type { ConversationStatus } from "../core/state/state.ts";
import { countedText, countText } from "./figure-text.ts";
import type { SubjectTotal, Tested } from "./subject-totals.ts";

/** Ends that say something about time, money or machines, and nothing about the subject, in words. */
export const CUT_SHORT: Readonly<Partial<Record<ConversationStatus, string>>> = Object.freeze({
  error: "error",
  timeout: "timeout",
  budget_exhausted: "budget exhausted",
  cancelled: "cancelled",
});

/** How many conversations were cut short. */
export function countCutShort(statuses: SubjectTotal["statuses"]): number {
  return endsOf(statuses).reduce((sum, [, count]) => sum + count, 0);
}

/** Sentences on conversations that did not come to their end by themselves; none if all did. */
export function endingsText(total: Omit<SubjectTotal, keyof Tested>): readonly string[] {
  const { begun, ended, planned, statuses } = total;
  const whole = planned ?? begun;
  const kinds = [
    ...endsOf(statuses),
    ["under way", begun - ended] as const,
    ["not begun", whole - begun] as const,
  ].filter(([, count]) => count > 0);
  const missing = kinds.reduce((sum, [, count]) => sum + count, 0);
  const limited = statuses.limit_reached ?? 0;
  const listed = kinds.map(([word, count]) => `${word} ${countText(count)}`).join(", ");
  return [
    ...(missing === 0
      ? []
      : [
          `${countText(missing)} of ${countedText(whole, "conversation")} did not come to ${whole === 1 ? "its" : "their"} end: ${listed}.`,
        ]),
    ...(limited === 0 ? [] : [`${countedText(limited, "conversation")} reached the turn limit.`]),
  ];
}

function endsOf(statuses: SubjectTotal["statuses"]): readonly (readonly [word: string, count: number])[] {
  // The keys of the record are statuses.
  return (Object.entries(CUT_SHORT) as [ConversationStatus, string][])
    .map(([status, word]) => [word, statuses[status] ?? 0] as const)
    .filter(([, count]) => count > 0);
}
