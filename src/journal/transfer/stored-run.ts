import type { RecordedCall } from "../../models/cassette/recorded-call.ts";
import { RunError } from "../run-error.ts";
import type { RunEvent } from "../run-event.ts";
import type { CallStore, RunSummary, Store } from "../store/store.ts";

/** The run of this name; throws `RunError` if there is none. */
export function storedRun(store: Store, name: string): RunSummary {
  const summary = store.run(name);
  if (summary === undefined) throw new RunError([`There is no run "${name}" in the store.`]);
  return summary;
}

/** The call that an event begins, if it was answered and the store has the answer. */
export function callOf(calls: CallStore, event: RunEvent): RecordedCall | undefined {
  return event.type === "call-start" && event.identity !== undefined ? calls.get(event.identity) : undefined;
}
