import type { Check } from "../checks/check.ts";
import type { ScenarioState } from "../state/state.ts";
import { resolvePath } from "../state/state-path.ts";
import { isRecord, type JsonValue, ownValue } from "../values/json.ts";

/** A truth, and how to compare with it in this case. */
export interface CaseTruth {
  readonly truth: JsonValue;
  readonly check?: Check;
}

/** A truth that depends on the past: the value at a path of the state selects the case. */
export interface TruthFrom {
  readonly from: string;
  /** By the text of the value: `{ "A": "B", "true": { truth: 3, check: … } }`. */
  readonly cases: Readonly<Record<string, JsonValue | CaseTruth>>;
  /** For every other value, and if there is none; without it there is no truth then, and the field is null. */
  readonly otherwise?: JsonValue | CaseTruth;
}

/**
 * A truth that depends on what was said before.
 *
 * @example
 * truthFrom("node_results.ask.parsed.letter", { cases: { A: "B", B: "A" }, otherwise: "A" })
 */
export function truthFrom(path: string, options: Pick<TruthFrom, "cases" | "otherwise">): TruthFrom {
  return { from: path, ...options };
}

/** True if a truth depends on the past; plain truths are never objects with `from`. */
export function isTruthFrom(truth: JsonValue | TruthFrom): truth is TruthFrom {
  return isRecord(truth) && Object.hasOwn(truth, "from");
}

/** The truth in a state, or undefined if no case applies. */
export function resolveTruth(truth: JsonValue | TruthFrom, state: ScenarioState): CaseTruth | undefined {
  if (!isTruthFrom(truth)) return { truth };
  const value = resolvePath(truth.from, state);
  const chosen = value === null ? undefined : ownValue(truth.cases, String(value));
  // Null is a truth, too: only a case that is missing gives way.
  const found = (chosen === undefined ? truth.otherwise : chosen) as JsonValue | CaseTruth | undefined;
  if (found === undefined) return undefined;
  return isCaseTruth(found) ? found : { truth: found };
}

/** True for a case that brings its own check. */
export function isCaseTruth(value: JsonValue | CaseTruth): value is CaseTruth {
  return isRecord(value) && Object.hasOwn(value, "truth");
}
