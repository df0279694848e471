import { Cassette } from "../../models/cassette/cassette.ts";
import type { Store } from "../store/store.ts";
import { callOf, storedRun } from "./stored-run.ts";

/**
 * All answered calls of a run as a cassette, which can stand in for its models. Answers that were never kept are not in it:
 * those of simulated models, which need none, and those that were cut off.
 */
export function cassetteFromRun(store: Store, run: string): Cassette {
  const cassette = new Cassette();
  for (const event of store.events(storedRun(store, run).run)) {
    const call = callOf(store.calls, event);
    if (call !== undefined) cassette.set(call);
  }
  return cassette;
}
