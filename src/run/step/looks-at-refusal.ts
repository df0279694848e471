import { memoize } from "../../core/lazy.ts";
import { isComposition } from "../../core/logic/composition.ts";
import type { OutcomeCheck } from "../../core/outcomes/outcome-check.ts";
import type { ScenarioDefinition } from "../../core/scenario/definition.ts";
import { routedOn } from "../../core/scenario/routed-on.ts";

const known = new WeakMap<ScenarioDefinition, { readonly answer: boolean }>();

/** True if a condition or an outcome looks at whether a reply declines to answer. Code that might look is not asked. */
export function looksAtRefusal(definition: ScenarioDefinition): boolean {
  return memoize(known, definition, () => ({
    answer:
      [...routedOn(definition).values()].some(({ refused, everything }) => refused && !everything) ||
      definition.outcomes.some(({ check }) => checksRefusal(check)),
  })).answer;
}

function checksRefusal(check: OutcomeCheck): boolean {
  if (typeof check !== "object") return false;
  if (isComposition(check))
    return check.type === "not" ? checksRefusal(check.condition) : check.conditions.some(checksRefusal);
  switch (check.type) {
    case "turn_check":
      return check.field === "refused";
    case "cross_turn_check":
      return check.sourceField === "refused" || check.targetField === "refused";
    default:
      return false;
  }
}
