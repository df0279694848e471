/** A quality of a reply that has no ground truth. */
export type Trait = LlmTrait | RegexTrait | FunctionTrait | MetricTrait;

interface TraitBase {
  readonly name: string;
  readonly description?: string;
  /** Which direction is better, for reports (default true). */
  readonly higherIsBetter?: boolean;
}

/** A judge model answers yes or no, gives a score, or picks a class. */
export interface LlmTrait extends TraitBase {
  readonly type: "llm";
  readonly kind: "boolean" | "score" | "literal";
  readonly min?: number;
  readonly max?: number;
  readonly classes?: readonly string[];
  /** True to show the reference answer to the judge. */
  readonly includeReference?: boolean;
}

/** True if the pattern occurs in the reply. */
export interface RegexTrait extends TraitBase {
  readonly type: "regex";
  readonly pattern: string;
  readonly flags?: string;
}

/** A function of the reply decides. */
export interface FunctionTrait extends TraitBase {
  readonly type: "function";
  readonly evaluate: string | ((reply: string) => boolean | number);
}

/** Counts of expected and unexpected content, as precision, recall and their kin. */
export interface MetricTrait extends TraitBase {
  readonly type: "metric";
  readonly expected: readonly string[];
  readonly unexpected?: readonly string[];
}

/** Traits that are judged on every visit of a node. */
export interface Rubric {
  readonly traits: readonly Trait[];
}
