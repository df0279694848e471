import type { ModelReference } from "../core/scenario/scenario-node.ts";
import { canonicalJson } from "../core/values/canonical-json.ts";

/** What a run remembers the model by that a node names. */
export function overrideKey(reference: ModelReference): string {
  return typeof reference === "string" ? reference : canonicalJson(reference);
}
