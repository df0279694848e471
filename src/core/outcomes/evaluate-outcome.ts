import { normalizer } from "../checks/normalize.ts";
import { compileComparison, defaultCheck } from "../checks/shorthand.ts";
import { errorMessage } from "../error-message.ts";
import { type Composed, evaluateComposition } from "../logic/composition.ts";
import { allTrue, anyTrue, type Truth } from "../logic/kleene.ts";
import type { ConversationResult, TurnRecord } from "../state/state.ts";
import { numberValue, textValue } from "../text/text-value.ts";
import { deepEqual, isRecord } from "../values/json.ts";
import { evaluateMeasure, type MeasuredNumber, turnsOfNode } from "./measure.ts";
import {
  type CrossTurnCheck,
  isMeasure,
  type Measure,
  type MeasureCheck,
  nodeFilter,
  type Outcome,
  type OutcomeCheck,
  type OutcomeLeaf,
  type ResultCheck,
  type SingleTurn,
  type TurnCheck,
  type TurnScope,
} from "./outcome-check.ts";
import {
  compareRead,
  compileResultField,
  compileTurnField,
  isAttempt,
  UNREADABLE,
  UNREADABLE_TURN,
} from "./outcome-fields.ts";

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
  const names: Readonly<Record<string, string>> = { nodeId: "node", history: "turns" };
  const renamed = (_: string, value: unknown): unknown =>
    isRecord(value)
      ? Object.fromEntries(Object.entries(value).map(([key, part]) => [names[key] ?? key, part]))
      : value;
  // The same data but for two names.
  return JSON.parse(JSON.stringify(data, renamed)) as Data;
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
  const turns = inOrder(looked);
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
    return this.#outcome(value, value === null ? "inconclusive" : "decided");
  }

  measure(measure: Measure): OutcomeResult {
    const { value, low, high, isDefined = true } = this.#measure(measure);
    return this.#outcome(value, !isDefined ? "not_applicable" : low === high ? "decided" : "inconclusive");
  }

  #outcome(value: boolean | number | null, status: OutcomeResult["status"]): OutcomeResult {
    const turns = inOrder(this.#turns);
    const reason = this.#reason;
    const isTold = reason !== undefined && (status !== "decided" || value === false);
    return { value, status, turns, ...(isTold ? { reason } : {}) };
  }

  #leaf(leaf: OutcomeLeaf): Truth {
    switch (leaf.type) {
      case "turn_check":
        return this.#turnCheck(leaf);
      case "result_check": {
        const read = compileResultField(leaf.field);
        if (read === null)
          return this.#says(null, `conversations have no field ${JSON.stringify(leaf.field)}`);
        return this.#comparison(leaf)(read(this.#result));
      }
      case "cross_turn_check":
        return this.#crossTurnCheck(leaf);
      case "measure_check":
        return this.#measureCheck(leaf);
      default: {
        // Only data that was not validated gets here.
        const { type } = leaf as { readonly type?: unknown };
        return this.#says(null, `there is no outcome check of type ${JSON.stringify(type)}`);
      }
    }
  }

  #turnCheck(check: TurnCheck): Truth {
    const { scope, field } = check;
    const read = compileTurnField(field);
    if (read === null) return this.#says(null, `turns have no field ${JSON.stringify(field)}`);
    const compare = this.#comparison(check);
    const turns = this.#inScope(scope, field);
    if (turns.length === 0) return this.#says(false, NO_TURN);
    const truths = turns.map((index) => compare(read(this.#result.turns[index] as TurnRecord)));
    return scope.type === "all_turns" ? allTrue(truths) : anyTrue(truths);
  }

  /** A turn that was not verified is no exception to what all verdicts have in common. */
  #inScope(scope: TurnScope, field: string): readonly number[] {
    if (scope.type !== "any_turn" && scope.type !== "all_turns") return this.#single(scope);
    const turns = turnsOfNode(this.#result.turns, scope.node);
    return this.#lookAt(
      scope.type === "any_turn" || field !== "verify_result"
        ? turns
        : turns.filter((index) => this.#result.turns[index]?.notVerified !== true),
    );
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
      const { truth, reason } = compareRead(check, value, expected);
      return this.#says(truth, reason);
    };
  }

  #crossTurnCheck(check: CrossTurnCheck): Truth {
    const [source] = this.#single(check.sourceTurn);
    const [target] = this.#single(check.targetTurn);
    if (source === undefined || target === undefined) return this.#says(false, NO_TURN);
    const readSource = compileTurnField(check.sourceField);
    const readTarget = compileTurnField(check.targetField);
    if (readSource === null || readTarget === null) return this.#says(null, "turns have no such field");
    const sourceValue = readSource(this.#result.turns[source] as TurnRecord);
    const targetValue = readTarget(this.#result.turns[target] as TurnRecord);
    if (sourceValue === UNREADABLE || targetValue === UNREADABLE) return this.#says(null, UNREADABLE_TURN);
    return compareValues(targetValue, check, sourceValue);
  }

  /** Decided as soon as every number between the bounds gives the same answer. */
  #measureCheck({ measure, comparison, expected }: MeasureCheck): Truth {
    const left = this.#measure(measure);
    const right = typeof expected === "number" ? { low: expected, high: expected } : this.#measure(expected);
    if ([left.low, right.low].some(Number.isNaN))
      return this.#says(false, "no turn in scope has a number there");
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
    this.#says(null, number.reason);
    return number;
  }

  /** The index of the turn, if there is one. */
  #single(scope: SingleTurn): readonly number[] {
    const { turns } = this.#result;
    const all = turnsOfNode(turns, nodeFilter(scope));
    const attempts =
      scope.type === "last_attempt" ? all.filter((at) => isAttempt(turns[at] as TurnRecord)) : all;
    const place = scope.type === "first_turn" ? 0 : scope.type === "turn_at" ? scope.index : -1;
    const index = attempts.at(place);
    return index === undefined ? [] : this.#lookAt([index]);
  }

  #lookAt(turns: readonly number[]): readonly number[] {
    for (const turn of turns) this.#turns.add(turn);
    return turns;
  }

  /** Gives an answer, and keeps the first reason there is. */
  #says<Answer extends Truth>(answer: Answer, reason: string | undefined): Answer {
    if (answer !== true) this.#reason ??= reason;
    return answer;
  }
}

const NO_TURN = "no turn is in scope";

function inOrder(turns: ReadonlySet<number>): readonly number[] {
  return [...turns].sort((left, right) => left - right);
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
  { comparison, normalize = [] }: CrossTurnCheck,
  source: unknown,
): boolean {
  const apply = normalizer(normalize);
  const normalized = (value: unknown): unknown => {
    const text = normalize.length === 0 ? undefined : textValue(value);
    return text === undefined ? value : apply(text);
  };
  const [left, right] = [normalized(target), normalized(source)];
  switch (comparison) {
    case "eq":
      return deepEqual(left, right);
    case "neq":
      return !deepEqual(left, right);
    case "contains":
      return contains(left, right);
    case "gt":
      return order(left, right) > 0;
    case "gte":
      return order(left, right) >= 0;
    case "lt":
      return order(left, right) < 0;
    case "lte":
      return order(left, right) <= 0;
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
  // JavaScript compares code units, which puts an emoji before some letters that come earlier in Unicode.
  const [one, other] = [left, right].map((text) => Array.from(text, (letter) => letter.codePointAt(0) ?? 0));
  const at = one?.findIndex((code, index) => code !== other?.[index]) ?? -1;
  return at === -1 ? left.length - right.length : (one?.[at] ?? 0) - (other?.[at] ?? -1);
}
