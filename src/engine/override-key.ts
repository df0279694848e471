import type { ModelReference } from "../scenario/scenario-node.ts";
import { canonicalJson } from "../value/canonical-json.ts";

/** What a run remembers the model by that a node names. */
export function overrideKey(reference: ModelReference): string {
  return typeof reference === "string" ? reference : canonicalJson(reference);
}
