import type { Question } from "../core/scenario/question.ts";
import { describeCondition } from "../core/state/describe-condition.ts";
import type { ScenarioState } from "../core/state/state.ts";
import { defaultFieldCheck } from "../core/templates/field-check.ts";
import { isTruthFrom, resolveTruth } from "../core/templates/truth-from.ts";
import { ownValue } from "../core/values/json.ts";

/**
 * What would have been right: `"Canberra"`, `≥ 3`. Null if the template does not tell. `before` is the state before the
 * turn, without what state updates made of it.
 */
export function expectedText(question: Question, field: string, before: ScenarioState): string | null {
  const fields = question.template?.fields ?? {};
  const known = ownValue(fields, field) === undefined ? undefined : fields[field];
  if (known === undefined) return null;
  if (isTruthFrom(known.truth) && known.truth.from.startsWith("accumulated"))
    return `what follows from ${known.truth.from}`;
  const truth = resolveTruth(known.truth, before);
  if (truth === undefined) return null;
  const verifyWith = truth.check ?? known.check ?? defaultFieldCheck(known);
  const text = describeCondition({
    type: "state_check",
    field: "",
    expected: truth.truth,
    verifyWith,
  }).trim();
  return text.startsWith("= ") ? text.slice(2) : text;
}
