import type { Spending } from "../journal/spending.ts";
import { costText, countedText } from "./figure-text.ts";

/** What was spent, in words: `3 calls, 1 known answer, 420 tokens, 0.0012 USD`. Answers that were known cost nothing. */
export function spendingText({ calls, cached, tokens, cost }: Spending): string {
  const known = cached === 0 ? [] : [countedText(cached, "known answer")];
  if (calls === 0) return ["no calls", ...known].join(", ");
  return [
    countedText(calls, "call"),
    ...known,
    tokens === null ? "tokens unknown" : countedText(tokens, "token"),
    cost === null ? "cost unknown" : `${costText(cost)} USD`,
  ].join(", ");
}
