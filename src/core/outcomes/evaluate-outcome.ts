import { type Normalizer, normalizer } from "../checks/normalize.ts";
import { compileComparison, defaultCheck } from "../checks/shorthand.ts";
import { errorMessage } from "../error-message.ts";
import { type Composed, evaluateComposition } from "../logic/composition.ts";
import { allTrue, anyTrue, type Truth } from "../logic/kleene.ts";
import type { ConversationResult, TurnRecord } from "../state/state.ts";
import { numberValue, textValue } from "../text/text-value.ts";
import { deepEqual, isRecord } from "../values/json.ts";
import { evaluateMeasure, isMeasure, type MeasuredNumber, turnsOfNode } from "./measure.ts";
import type {
  Comparison,
  CrossTurnCheck,
  Measure,
  MeasureCheck,
  Outcome,
  OutcomeCheck,
  OutcomeLeaf,
  ResultCheck,
  SingleTurn,
  TurnCheck,
  TurnScope,
} from "./outcome-check.ts";
import { compileResultField, compileTurnField, isAttempt, UNREADABLE } from "./outcome-fields.ts";

/** The result of an outcome for one conversation. */
export interface OutcomeResult {
  /** True, false, a number, or null if nothing can be said. */
  readonly value: boolean | number | null;
  /**
   * Inconclusive if the answer depends on something that could not be read; not applicable if the outcome says when it
   * applies, and here it does not: then it counts nowhere.
   */
  readonly status: "decided" | "inconclusive" | "not_applicable";
  /** Indices of the turns that the outcome looked at, in order. */
  readonly turns: readonly number[];
  readonly reason?: string;
}

/** Recorded checks and conversations of other implementations say `nodeId` for `node` and `history` for `turns`. */
function withOurNames<Data>(data: Data): Data {
  const text = JSON.stringify(data, (_, value: unknown) => {
    if (!isRecord(value)) return value;
    const { nodeId, history, ...rest } = value;
    return {
      ...rest,
      ...(nodeId === undefined ? {} : { node: nodeId }),
      ...(history === undefined ? {} : { turns: history }),
    };
  });
  // The same data but for two names.
  return JSON.parse(text) as Data;
}

/** Evaluates an outcome over a finished conversation; never throws, never guesses. */
export function evaluateOutcome(check: OutcomeCheck, result: ConversationResult): OutcomeResult {
  if ("history" in result)
    return evaluateOutcome(typeof check === "object" ? withOurNames(check) : check, withOurNames(result));
  if (typeof check === "function") return evaluateFunction(check, result);
  if (typeof check === "string") return inconclusive("a source string runs only within a run");
  try {
    const look = new Look(result);
    return isMeasure(check) ? look.measure(check) : look.assertion(check);
  } catch (error) {
    return inconclusive(`the outcome cannot be evaluated: ${errorMessage(error)}`);
  }
}

/**
 * Evaluates all outcomes of a scenario: one with `when` only where that holds. `evaluate` gives the result of a check.
 * Outcomes may look at each other in any order; a circle, which validation refuses, is inconclusive.
 */
export function evaluateOutcomes(
  outcomes: readonly Outcome[],
  evaluate: (outcome: Outcome) => OutcomeResult,
): ReadonlyMap<string, OutcomeResult> {
  const byName = new Map(outcomes.map((outcome) => [outcome.name, outcome]));
  const results = new Map<string, OutcomeResult>();
  const resultOf = (name: string, above: readonly string[]): OutcomeResult => {
    const known = results.get(name);
    const outcome = byName.get(name);
    if (known !== undefined) return known;
    if (outcome === undefined || above.includes(name)) return inconclusive("it is not known when it applies");
    const result = evaluateApplying(outcome, evaluate, (other) => resultOf(other, [...above, name]));
    results.set(name, result);
    return result;
  };
  // In the order of the scenario, whatever was evaluated first.
  return new Map(outcomes.map(({ name }) => [name, resultOf(name, [])]));
}

function evaluateApplying(
  outcome: Outcome,
  evaluate: (outcome: Outcome) => OutcomeResult,
  resultOf: (name: string) => OutcomeResult,
): OutcomeResult {
  const { when } = outcome;
  if (when === undefined) return evaluate(outcome);
  const looked = new Set<number>();
  const applies = evaluateComposition(when, (name: string): Truth => {
    const { value, status, turns } = resultOf(name);
    for (const turn of turns) looked.add(turn);
    return status === "inconclusive" ? null : value === true;
  });
  const turns = [...looked].sort((left, right) => left - right);
  const text = typeof when === "string" ? when : "its condition";
  if (applies === null)
    return { ...inconclusive(`it is not known whether it applies: ${text} is inconclusive`), turns };
  if (applies) return evaluate(outcome);
  return { value: null, status: "not_applicable", turns, reason: `it applies only if ${text} holds` };
}

function evaluateFunction(
  check: Extract<OutcomeCheck, (...values: never) => unknown>,
  result: ConversationResult,
): OutcomeResult {
  const turns = [...result.turns.keys()];
  try {
    const value: unknown = check(result);
    if (typeof value === "boolean" || Number.isFinite(value))
      return { value: value as boolean | number, status: "decided", turns };
    if (value === null) return { ...inconclusive(`${FUNCTION} cannot tell`), turns };
    return { ...inconclusive(`${FUNCTION} returned neither true or false nor a number`), turns };
  } catch (error) {
    return { ...inconclusive(`${FUNCTION} threw: ${errorMessage(error)}`), turns };
  }
}

const FUNCTION = "the function";

/** True of an outcome without a value because its function threw, or returned none. Results are stored as they are, so only the reason tells. */
export function failedInFunction({ status, reason }: Pick<OutcomeResult, "status" | "reason">): boolean {
  return status === "inconclusive" && reason?.startsWith(`${FUNCTION} `) === true;
}

/** One evaluation: records which turns were looked at and why something could not be decided. */
class Look {
  readonly #result: ConversationResult;
  readonly #turns = new Set<number>();
  #reason: string | undefined;

  constructor(result: ConversationResult) {
    this.#result = result;
  }

  assertion(check: Composed<OutcomeLeaf>): OutcomeResult {
    const value = evaluateComposition(check, (leaf: OutcomeLeaf) => this.#leaf(leaf));
    return this.#outcome(value, value !== null);
  }

  measure(measure: Measure): OutcomeResult {
    const number = this.#measure(measure);
    const { value, turns, reason, isDefined = true } = number;
    if (!isDefined)
      return { value, status: "not_applicable", turns, ...(reason === undefined ? {} : { reason }) };
    return this.#outcome(number.value, number.low === number.high);
  }

  #outcome(value: boolean | number | null, decided: boolean): OutcomeResult {
    const turns = [...this.#turns].sort((left, right) => left - right);
    const reason = this.#reason;
    if (decided)
      return {
        value,
        status: "decided",
        turns,
        ...(value === false && reason !== undefined ? { reason } : {}),
      };
    return { value, status: "inconclusive", turns, ...(reason === undefined ? {} : { reason }) };
  }

  #leaf(leaf: OutcomeLeaf): Truth {
    switch (leaf.type) {
      case "turn_check":
        return this.#turnCheck(leaf);
      case "result_check":
        return this.#resultCheck(leaf);
      case "cross_turn_check":
        return this.#crossTurnCheck(leaf);
      case "measure_check":
        return this.#measureCheck(leaf);
      default:
        // Only data that was not validated gets here.
        return this.#unknown(
          `there is no outcome check of type ${JSON.stringify((leaf as { type?: unknown }).type)}`,
        );
    }
  }

  #turnCheck(check: TurnCheck): Truth {
    const { scope, field } = check;
    const read = compileTurnField(field);
    if (read === null) return this.#unknown(`turns have no field ${JSON.stringify(field)}`);
    const compare = this.#comparison(check);
    const test = (index: number): Truth => compare(read(this.#result.turns[index] as TurnRecord));
    switch (scope.type) {
      case "any_turn":
      case "all_turns": {
        const turns = this.#lookAt(this.#inScope(scope, field));
        if (turns.length === 0) return this.#fails("no turn is in scope");
        return scope.type === "any_turn" ? anyTrue(turns.map(test)) : allTrue(turns.map(test));
      }
      default: {
        const index = this.#single(scope);
        return index === null ? this.#fails("no turn is in scope") : test(index);
      }
    }
  }

  /** A turn that was not verified is no exception to what all verdicts have in common. */
  #inScope(scope: Extract<TurnScope, { type: "any_turn" | "all_turns" }>, field: string): readonly number[] {
    const turns = turnsOfNode(this.#result.turns, scope.node);
    if (scope.type === "any_turn" || field !== "verify_result") return turns;
    return turns.filter((index) => this.#result.turns[index]?.notVerified !== true);
  }

  #resultCheck(check: ResultCheck): Truth {
    const read = compileResultField(check.field);
    if (read === null) return this.#unknown(`conversations have no field ${JSON.stringify(check.field)}`);
    return this.#comparison(check)(read(this.#result));
  }

  #comparison({
    type,
    field,
    expected = null,
    verifyWith,
  }: TurnCheck | ResultCheck): (value: unknown) => Truth {
    // The order of the path matters, where other lists are compared as sets.
    const isPath = type === "result_check" && field === "path" && Array.isArray(expected);
    const check = compileComparison(
      verifyWith ?? (isPath ? { type: "literal_match" } : defaultCheck(expected)),
    );
    return (value) => {
      if (value === UNREADABLE) {
        // A check that null itself passes asks whether something is there, which an unreadable value answers.
        return check(null, expected).passes ? true : this.#unknown("a turn could not be read");
      }
      const { passes, evaluable, reason } = check(value, expected);
      if (passes) return true;
      // What is missing is not what was asked for; what is there and cannot be compared says nothing.
      if (evaluable || value === null) return this.#fails(evaluable ? undefined : reason);
      return this.#unknown(reason ?? "a value cannot be compared");
    };
  }

  #crossTurnCheck(check: CrossTurnCheck): Truth {
    const source = this.#single(check.sourceTurn);
    const target = this.#single(check.targetTurn);
    if (source === null || target === null) return this.#fails("no turn is in scope");
    const readSource = compileTurnField(check.sourceField);
    const readTarget = compileTurnField(check.targetField);
    if (readSource === null || readTarget === null) return this.#unknown("turns have no such field");
    const sourceValue = readSource(this.#result.turns[source] as TurnRecord);
    const targetValue = readTarget(this.#result.turns[target] as TurnRecord);
    if (sourceValue === UNREADABLE || targetValue === UNREADABLE)
      return this.#unknown("a turn could not be read");
    return compareValues(targetValue, check.comparison, sourceValue, check.normalize);
  }

  /** Decided as soon as every number between the bounds gives the same answer. */
  #measureCheck({ measure, comparison, expected }: MeasureCheck): Truth {
    const left = this.#measure(measure);
    const right = typeof expected === "number" ? { low: expected, high: expected } : this.#measure(expected);
    if ([left.low, right.low].some(Number.isNaN)) return this.#fails("no turn in scope has a number there");
    switch (comparison) {
      case "gt":
        return decided(left.low > right.high, left.high <= right.low);
      case "gte":
        return decided(left.low >= right.high, left.high < right.low);
      case "lt":
        return decided(left.high < right.low, left.low >= right.high);
      case "lte":
        return decided(left.high <= right.low, left.low > right.high);
      case "eq":
      case "neq": {
        const same = left.low === left.high && right.low === right.high && left.low === right.low;
        const apart = left.high < right.low || right.high < left.low;
        return comparison === "eq" ? decided(same, apart) : decided(apart, same);
      }
    }
  }

  #measure(measure: Measure): MeasuredNumber {
    const number = evaluateMeasure(measure, this.#result);
    this.#lookAt(number.turns);
    this.#reason ??= number.reason;
    return number;
  }

  #single(scope: SingleTurn): number | null {
    if (scope.type === "last_attempt") return this.#lastAttempt(scope);
    const { length } = this.#result.turns;
    const index = scope.type === "first_turn" ? 0 : scope.type === "last_turn" ? length - 1 : scope.index;
    const position = index < 0 ? length + index : index;
    if (this.#result.turns[position] === undefined) return null;
    this.#turns.add(position);
    return position;
  }

  #lastAttempt(scope: Extract<SingleTurn, { type: "last_attempt" }>): number | null {
    const index = turnsOfNode(this.#result.turns, scope.node).findLast((position) =>
      isAttempt(this.#result.turns[position] as TurnRecord),
    );
    if (index === undefined) return null;
    this.#turns.add(index);
    return index;
  }

  #lookAt(turns: readonly number[]): readonly number[] {
    for (const turn of turns) this.#turns.add(turn);
    return turns;
  }

  #unknown(reason: string): null {
    this.#reason ??= reason;
    return null;
  }

  #fails(reason: string | undefined): false {
    this.#reason ??= reason;
    return false;
  }
}

function decided(proven: boolean, disproven: boolean): Truth {
  return proven ? true : disproven ? false : null;
}

function inconclusive(reason: string): OutcomeResult {
  return { value: null, status: "inconclusive", turns: [], reason };
}

/** Compares two values: `target <comparison> source`. What cannot be compared is false. */
function compareValues(
  target: unknown,
  comparison: Comparison,
  source: unknown,
  normalizers: readonly Normalizer[] = [],
): boolean {
  if (normalizers.length === 0) return compare(target, comparison, source);
  const normalize = normalizer(normalizers);
  const normalized = (value: unknown): unknown => {
    const text = textValue(value);
    return text === undefined ? value : normalize(text);
  };
  return compare(normalized(target), comparison, normalized(source));
}

function compare(target: unknown, comparison: Comparison, source: unknown): boolean {
  switch (comparison) {
    case "eq":
      return deepEqual(target, source);
    case "neq":
      return !deepEqual(target, source);
    case "contains":
      return contains(target, source);
    case "gt":
      return order(target, source) > 0;
    case "gte":
      return order(target, source) >= 0;
    case "lt":
      return order(target, source) < 0;
    case "lte":
      return order(target, source) <= 0;
  }
}

/** A list contains an item, a text contains a text. */
function contains(target: unknown, source: unknown): boolean {
  if (Array.isArray(target)) return target.some((item) => deepEqual(item, source));
  const text = textValue(target);
  const part = textValue(source);
  return text !== undefined && part !== undefined && text.includes(part);
}

/** Numbers by size, texts by code point; NaN, which no comparison accepts, for anything else. */
function order(left: unknown, right: unknown): number {
  const [a, b] = [numberValue(left), numberValue(right)];
  if (a !== undefined && b !== undefined) return a - b;
  if (typeof left !== "string" || typeof right !== "string") return Number.NaN;
  return compareCodePoints(left, right);
}

/** JavaScript compares texts by code units, which puts an emoji before some letters that come earlier in Unicode. */
function compareCodePoints(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at++) {
    if (left.charCodeAt(at) === right.charCodeAt(at)) continue;
    // Both start with the same units, so a pair that differs in its second unit is found there, and compares the same.
    return (left.codePointAt(at) as number) - (right.codePointAt(at) as number);
  }
  return left.length - right.length;
}
