import { isInterrupted } from "../core/state/state.ts";
import type { Store } from "../journal/store/store.ts";

/** How many conversations of each subject stay as they are when a run is taken up again; the others go on. */
export function finishedBefore(
  store: Store,
  run: string,
  { retryErrors = false }: { readonly retryErrors?: boolean } = {},
): ReadonlyMap<string, number> {
  const finished = new Map<string, number>();
  for (const { subject, statuses } of store.results(run)) {
    let count = finished.get(subject) ?? 0;
    // The keys of such a record are statuses.
    for (const [status, conversations] of Object.entries(statuses) as [keyof typeof statuses, number][])
      if (!isInterrupted(status) && !(retryErrors && status === "error")) count += conversations;
    finished.set(subject, count);
  }
  return finished;
}
