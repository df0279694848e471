import type { Check } from "../../../core/checks/check.ts";
import { defaultCheck } from "../../../core/checks/shorthand.ts";
import { fillTexts, hasTexts } from "../../../core/liquid/fill-texts.ts";
import { needsOfParts } from "../../../core/liquid/text-needs.ts";
import { TextError } from "../../../core/liquid/text-template.ts";
import { leavesOf } from "../../../core/logic/composition.ts";
import type { OutcomeCheck } from "../../../core/outcomes/outcome-check.ts";
import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { compileWhen, type ExplicitStateCheck, type When } from "../../../core/state/condition.ts";
import type { JsonValue } from "../../../core/values/json.ts";

import { fieldsRead } from "../outcome-reads.ts";

/** A comparison that something makes with a value. */
export interface Comparison {
  readonly check: Check;
  readonly expected: JsonValue;
}

/** The comparisons with the state in a condition. */
export function stateChecks(when: When | undefined): readonly ExplicitStateCheck[] {
  const condition = compileWhen(when);
  return condition === null
    ? []
    : leavesOf(condition).flatMap((leaf) => (leaf.type === "state_check" ? [leaf] : []));
}

/** True if an outcome reads what is accumulated. */
export function readsAccumulated(check: OutcomeCheck): boolean {
  return (
    needsOfParts(check).accumulated || fieldsRead(check).some((field) => field.startsWith("accumulated"))
  );
}

/** The check and the expected value of a comparison; undefined if they depend on the conversation. */
export function fixedComparison(
  { verifyWith, expected }: { readonly verifyWith?: Check; readonly expected?: JsonValue },
  definition: ScenarioDefinition,
): Comparison | undefined {
  const filled = fixedPart({ check: verifyWith, expected: expected ?? null }, definition);
  if (filled === undefined) return undefined;
  const check = filled.check ?? defaultCheck(filled.expected);
  return { check, expected: filled.expected };
}

/** A part with the values of its row and variant; undefined if its texts read the conversation or cannot be rendered. */
export function fixedPart<Part>(part: Part, { given = {} }: ScenarioDefinition): Part | undefined {
  if (!hasTexts(part)) return part;
  if (needsOfParts(part).readsState) return undefined;
  try {
    return fillTexts(part, { ...given });
  } catch (error) {
    if (error instanceof TextError) return undefined;
    throw error;
  }
}
