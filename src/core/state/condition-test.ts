import type { CompiledCheck } from "../checks/check-result.ts";
import { compileComparison } from "../checks/shorthand.ts";
import { errorMessage } from "../error-message.ts";
import { anyTrue, atLeastTrue, negate, type Truth } from "../logic/kleene.ts";
import { plainState } from "./advance-state.ts";
import type { Condition, ConditionFunction, ExplicitStateCheck, FunctionLeaf } from "./condition.ts";
import { describeCondition } from "./describe-condition.ts";
import type { ScenarioState } from "./state.ts";
import { compilePath, type StateReader } from "./state-path.ts";

/** A condition prepared for repeated tests. Unknown (null) means that it cannot be evaluated. */
export interface ConditionTest {
  test(state: ScenarioState): Truth;
  /** Why the test just made gave this answer. */
  reason(answer: false | null): string;
  /** The value that the test just made has found, where it is about one value. */
  readonly actual: unknown;
  /** True if the answer just given is unknown because code threw or returned a promise. */
  readonly failed: boolean;
}

/** Prepares a condition; tests of it never throw. */
export function compileCondition(condition: Condition): ConditionTest {
  switch (condition.type) {
    case "state_check":
      return new StateCheckTest(condition);
    case "function":
      return typeof condition.code === "string"
        ? new SourceTest(condition)
        : new FunctionTest(condition.code);
    case "all_of":
      return new AllOfTest(condition);
    default:
      return new CompositionTest(condition);
  }
}

class StateCheckTest implements ConditionTest {
  actual: unknown = null;
  readonly failed = false;
  readonly #read: StateReader;
  readonly #check: CompiledCheck;
  readonly #expected: unknown;
  readonly #needs: string;

  constructor(check: ExplicitStateCheck) {
    this.#read = compilePath(check.field);
    this.#check = compileComparison(check.verifyWith);
    this.#expected = check.expected ?? null;
    this.#needs = `needs ${describeCondition(check)}`;
  }

  test(state: ScenarioState): Truth {
    this.actual = this.#read(state);
    const result = this.#check(this.actual, this.#expected);
    return result.passes ? true : result.evaluable ? false : null;
  }

  reason(answer: false | null): string {
    if (answer === false) return this.#needs;
    return `${this.#needs}, which cannot be evaluated: ${this.#check(this.actual, this.#expected).reason}`;
  }
}

class FunctionTest implements ConditionTest {
  readonly actual = null;
  readonly #fn: ConditionFunction<unknown>;
  #problem: string | undefined;

  constructor(fn: ConditionFunction) {
    // The author's type of `parsed` is a promise about the template; nothing narrower is known here.
    this.#fn = fn as ConditionFunction<unknown>;
  }

  get failed(): boolean {
    return this.#problem !== undefined;
  }

  test(state: ScenarioState): Truth {
    this.#problem = undefined;
    try {
      const answer: unknown = this.#fn(state.accumulated, state.parsed, plainState(state));
      if (!isThenable(answer)) return Boolean(answer);
      this.#problem = "the function returned a promise, but must return its result at once";
    } catch (error) {
      this.#problem = `the function threw: ${errorMessage(error)}`;
    }
    return null;
  }

  reason(answer: false | null): string {
    return answer === false ? "the function answered false" : (this.#problem ?? "");
  }
}

class SourceTest implements ConditionTest {
  readonly actual = null;
  readonly failed = false;
  readonly #reason: string;

  constructor(leaf: FunctionLeaf) {
    this.#reason = `a source string runs only within a run: ${describeCondition(leaf)}`;
  }

  test(): Truth {
    return null;
  }

  reason(): string {
    return this.#reason;
  }
}

class AllOfTest implements ConditionTest {
  readonly #parts: readonly ConditionTest[];
  /** The part that the last answer was due to. */
  #decisive: ConditionTest | undefined;

  constructor(condition: Extract<Condition, { type: "all_of" }>) {
    this.#parts = condition.conditions.map(compileCondition);
  }

  get actual(): unknown {
    return this.#decisive?.actual ?? null;
  }

  get failed(): boolean {
    return this.#decisive?.failed ?? false;
  }

  test(state: ScenarioState): Truth {
    this.#decisive = undefined;
    for (const part of this.#parts) {
      const answer = part.test(state);
      if (answer === true) continue;
      if (answer === false || this.#decisive === undefined) this.#decisive = part;
      if (answer === false) return false;
    }
    return this.#decisive === undefined ? true : null;
  }

  reason(answer: false | null): string {
    return this.#decisive?.reason(answer) ?? "its parts hold";
  }
}

type OtherComposition = Extract<Condition, { type: "any_of" | "at_least_n" | "not" }>;

class CompositionTest implements ConditionTest {
  readonly actual = null;
  readonly #condition: OtherComposition;
  readonly #parts: readonly ConditionTest[];
  #unknown: ConditionTest | undefined;

  constructor(condition: OtherComposition) {
    this.#condition = condition;
    this.#parts = (condition.type === "not" ? [condition.condition] : condition.conditions).map(
      compileCondition,
    );
  }

  get failed(): boolean {
    return this.#unknown?.failed ?? false;
  }

  test(state: ScenarioState): Truth {
    const answers = this.#parts.map((part) => part.test(state));
    this.#unknown = this.#parts[answers.indexOf(null)];
    switch (this.#condition.type) {
      case "not":
        return negate(answers[0] ?? null);
      case "any_of":
        return anyTrue(answers);
      case "at_least_n":
        return atLeastTrue(this.#condition.n, answers);
    }
  }

  reason(answer: false | null): string {
    const needs = `needs ${describeCondition(this.#condition)}`;
    return answer === false || this.#unknown === undefined
      ? needs
      : `${needs}; ${this.#unknown.reason(null)}`;
  }
}

function isThenable(value: unknown): boolean {
  return (
    typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function"
  );
}
