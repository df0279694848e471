import type { Check } from "../checks/check.ts";
import type { Normalizer } from "../checks/normalize.ts";
import type { ShorthandValue } from "../checks/shorthand.ts";
import type { Composed } from "../logic/composition.ts";
import type { ConversationResult } from "../state/state.ts";
import type { JsonValue } from "../values/json.ts";

/** One node, or one of several. */
export type NodeFilter = string | readonly string[];

/** Picks exactly one turn; a negative index counts from the end. */
export type SingleTurn =
  | { readonly type: "first_turn" }
  | { readonly type: "last_turn" }
  | { readonly type: "turn_at"; readonly index: number }
  /** The last turn that was verified: at a node with a template, and not left out by its gate. */
  | { readonly type: "last_attempt"; readonly node?: NodeFilter };

/** Picks the turns that a check looks at. */
export type TurnScope =
  | SingleTurn
  | { readonly type: "any_turn"; readonly node?: NodeFilter }
  | { readonly type: "all_turns"; readonly node?: NodeFilter };

/** The node filter of a scope that has one. */
export function nodeFilter(scope: TurnScope): NodeFilter | undefined {
  return "node" in scope ? scope.node : undefined;
}

/** Compares a field of the turns in scope. */
export interface TurnCheck {
  readonly type: "turn_check";
  readonly scope: TurnScope;
  readonly field: string;
  readonly expected?: JsonValue;
  /** How to compare; the default follows from the type of `expected`. */
  readonly verifyWith?: Check;
}

/** Compares a field of the whole conversation. */
export interface ResultCheck {
  readonly type: "result_check";
  readonly field: string;
  readonly expected?: JsonValue;
  /** How to compare; the default follows from the type of `expected`. */
  readonly verifyWith?: Check;
}

/** How two values are compared: `target <comparison> source`. */
export type Comparison = "eq" | "neq" | "contains" | "gt" | "gte" | "lt" | "lte";

/** Compares a field of one turn with a field of another: `target <comparison> source`. */
export interface CrossTurnCheck {
  readonly type: "cross_turn_check";
  readonly sourceTurn: SingleTurn;
  readonly sourceField: string;
  readonly targetTurn: SingleTurn;
  readonly targetField: string;
  readonly comparison: Comparison;
  readonly normalize?: readonly Normalizer[];
}

/** Fields of a turn and the values they must have: `{ verify_result: true, "parsed.n": { gte: 3 } }`. */
export type TurnFields = Readonly<Record<string, ShorthandValue>>;

/** Which turns are counted: by node, by verdict, by what was read of the reply. */
export interface TurnFilter {
  readonly node?: NodeFilter;
  readonly verifyResult?: boolean;
  /** Fields of the turn and the values they must have. */
  readonly where?: TurnFields;
}

/** A number over the turns of a conversation. */
export type Measure =
  | ({ readonly type: "count_turns" } & TurnFilter)
  /** From 0; -1 if no turn matches. */
  | ({ readonly type: "first_match_index" } & TurnFilter)
  /** The most such turns in a row; without a filter, the most passes in a row. */
  | ({ readonly type: "longest_run" } & TurnFilter)
  /** After the first change of verdict: the share of later turns that have the new verdict. */
  | { readonly type: "persistence"; readonly node?: NodeFilter }
  /** Length of the leading run of passes. */
  | { readonly type: "turn_of_flip"; readonly node?: NodeFilter }
  /** Changes of verdict between neighbouring turns. */
  | { readonly type: "number_of_flips"; readonly node?: NodeFilter }
  /** The smallest, mean or last number of a field. */
  | {
      readonly type: "min_over_turns" | "mean_over_turns" | "last_over_turns";
      readonly field: string;
      readonly node?: NodeFilter;
    };

/** Compares a measure with a number or with another measure. */
export interface MeasureCheck {
  readonly type: "measure_check";
  readonly measure: Measure;
  readonly comparison: Exclude<Comparison, "contains">;
  readonly expected: number | Measure;
}

/** Decides over the finished conversation; null means that it cannot tell. */
export type OutcomeFunction = (result: ConversationResult) => boolean | number | null;

/** A leaf of an outcome that is true, false or inconclusive. */
export type OutcomeLeaf = TurnCheck | ResultCheck | CrossTurnCheck | MeasureCheck;

/** What an outcome can be: an assertion, a number, or a function. */
export type OutcomeCheck = Composed<OutcomeLeaf> | Measure | OutcomeFunction | string;

/** A named assertion or number over the finished conversation. */
export interface Outcome {
  readonly name: string;
  readonly check: OutcomeCheck;
  readonly description?: string;
  /** When it applies: the name of another outcome that must be true, or a composition of names. */
  readonly when?: AppliesWhen;
  /** Whether it is good if the outcome is true (true), or bad (false); without it, nothing is said. */
  readonly good?: boolean;
}

/** A condition over other outcomes: `"knew_it"`, `not("refused")`. */
export type AppliesWhen = Composed<string>;
