import type { Store } from "../journal/store/store.ts";
import { explainMiss } from "../models/cassette/explain-miss.ts";
import { type AskedCall, identityOfAsked } from "../models/cassette/recorded-call.ts";

/** Why a call is not answered from the store: the nearest call that is, and the first part that differs, in a sentence. */
export function whyMiss(store: Store, asked: AskedCall): string {
  if (store.calls.find(identityOfAsked(asked)) !== undefined) return "The answer to this call is known.";
  return explainMiss(
    asked,
    store.calls.near(asked).map((call) => call.asked),
  );
}
