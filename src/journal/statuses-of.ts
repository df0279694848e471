import type { ConversationStatus } from "../core/state/state.ts";
import type { RunSummary } from "./store/store.ts";

/** How many conversations have ended how. */
export function statusesOf(
  rows: readonly { readonly status: ConversationStatus | null; readonly count: number }[],
): RunSummary["statuses"] {
  const statuses: Partial<Record<ConversationStatus, number>> = {};
  for (const { status, count } of rows)
    if (status !== null) statuses[status] = (statuses[status] ?? 0) + count;
  return statuses;
}
