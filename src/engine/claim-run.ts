import type { Store } from "../journal/store.ts";
import { remember } from "../value/remember.ts";
import { RunError } from "./run-error.ts";

const claimed = new WeakMap<Store, Set<string>>();

/** Two of us must not write one run; other processes are the business of the store. Returns what ends the claim. */
export function claimRun(store: Store, run: string): () => void {
  const runs = remember(claimed, store, () => new Set<string>());
  if (runs.has(run)) throw new RunError([`The run "${run}" is being held already. Wait for it to end.`]);
  runs.add(run);
  return () => void runs.delete(run);
}
