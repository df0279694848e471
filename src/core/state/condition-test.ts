import { compileComparison } from "../checks/shorthand.ts";
import { errorMessage } from "../error-message.ts";
import { anyTrue, atLeastTrue, negate, type Truth } from "../logic/kleene.ts";
import { isRecord } from "../values/json.ts";
import { plainState } from "./advance-state.ts";
import type { Condition, ConditionFunction, ExplicitStateCheck } from "./condition.ts";
import { describeCondition } from "./describe-condition.ts";
import type { ScenarioState } from "./state.ts";
import { compilePath } from "./state-path.ts";

/** What testing a condition found. */
export interface ConditionAnswer {
  /** Unknown (null) means that it cannot be evaluated. */
  readonly truth: Truth;
  /** Why it does not hold. */
  readonly reason: string;
  /** The value that was found, where the answer is about one value. */
  readonly actual: unknown;
  /** True if the answer is unknown because code threw or returned a promise. */
  readonly failed: boolean;
}

/** A condition prepared for repeated tests; never throws. */
export type ConditionTest = (state: ScenarioState) => ConditionAnswer;

/** An answer that is about no single value. */
export function answered(truth: Truth, reason: string, failed = false): ConditionAnswer {
  return { truth, reason, actual: null, failed };
}

const HOLDS = answered(true, "it holds");

/** Prepares a condition for repeated tests. */
export function compileCondition(condition: Condition): ConditionTest {
  switch (condition.type) {
    case "state_check":
      return compileStateCheck(condition);
    case "function": {
      const { code } = condition;
      // The author's type of `parsed` is a promise about the template; nothing narrower is known here.
      if (typeof code === "function") return (state) => ask(code as ConditionFunction<unknown>, state);
      const unknown = answered(
        null,
        `a source string runs only within a run: ${describeCondition(condition)}`,
      );
      return () => unknown;
    }
    case "all_of":
      return compileAllOf(condition.conditions.map(compileCondition));
    default:
      return compileComposition(condition);
  }
}

function compileStateCheck(condition: ExplicitStateCheck): ConditionTest {
  const read = compilePath(condition.field);
  const check = compileComparison(condition.verifyWith);
  const { expected = null } = condition;
  const needs = `needs ${describeCondition(condition)}`;
  return (state) => {
    const actual = read(state);
    const { passes, evaluable, reason } = check(actual, expected);
    if (passes) return HOLDS;
    return evaluable
      ? { truth: false, reason: needs, actual, failed: false }
      : { truth: null, reason: `${needs}, which cannot be evaluated: ${reason}`, actual, failed: false };
  };
}

function ask(fn: ConditionFunction<unknown>, state: ScenarioState): ConditionAnswer {
  try {
    const answer: unknown = fn(state.accumulated, state.parsed, plainState(state));
    if (isRecord(answer) && typeof answer.then === "function")
      return answered(null, "the function returned a promise, but must return its result at once", true);
    return answer ? HOLDS : answered(false, "the function answered false");
  } catch (error) {
    return answered(null, `the function threw: ${errorMessage(error)}`, true);
  }
}

/** Its answer is that of the first part which does not hold. */
function compileAllOf(parts: readonly ConditionTest[]): ConditionTest {
  return (state) => {
    let unknown: ConditionAnswer | undefined;
    for (const test of parts) {
      const answer = test(state);
      if (answer.truth === false) return answer;
      if (answer.truth === null) unknown ??= answer;
    }
    return unknown ?? HOLDS;
  };
}

function compileComposition(
  condition: Extract<Condition, { type: "any_of" | "at_least_n" | "not" }>,
): ConditionTest {
  const conditions = condition.type === "not" ? [condition.condition] : condition.conditions;
  const parts = conditions.map(compileCondition);
  const needs = `needs ${describeCondition(condition)}`;
  const composed = (truths: readonly Truth[]): Truth => {
    if (condition.type === "not") return negate(truths[0] ?? null);
    return condition.type === "any_of" ? anyTrue(truths) : atLeastTrue(condition.n, truths);
  };
  return (state) => {
    const answers = parts.map((test) => test(state));
    const truth = composed(answers.map((answer) => answer.truth));
    const unknown = answers.find((answer) => answer.truth === null);
    return truth !== null || unknown === undefined
      ? answered(truth, needs)
      : answered(null, `${needs}; ${unknown.reason}`, unknown.failed);
  };
}
