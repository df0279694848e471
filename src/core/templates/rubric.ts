/** A quality of a reply that has no ground truth. */
export type Trait = LlmTrait | RegexTrait | FunctionTrait | MetricTrait;

/** A trait that a judge model answers; all others are decided by code. */
export type JudgedTrait = LlmTrait | MetricTrait;

interface TraitBase {
  readonly name: string;
  readonly description?: string;
  /** Which direction is better, for reports (default true); values are never turned round. */
  readonly higherIsBetter?: boolean;
}

interface LlmTraitBase extends TraitBase {
  readonly type: "llm";
  /** True to show the reference answer to the judge. */
  readonly includeReference?: boolean;
}

/** A judge model answers yes or no. */
export interface BooleanTrait extends LlmTraitBase {
  readonly kind: "boolean";
}

/** A judge model gives a whole number from `min` to `max`. */
export interface ScoreTrait extends LlmTraitBase {
  readonly kind: "score";
  /** Default 1. */
  readonly min?: number;
  /** Default 5. */
  readonly max?: number;
}

/** A judge model picks a class. */
export interface LiteralTrait extends LlmTraitBase {
  readonly kind: "literal";
  /**
   * The classes, each with what it means, the best last. JavaScript puts keys that are whole numbers first, in rising
   * order, so name classes by words.
   */
  readonly classes: Readonly<Record<string, string>>;
}

/** A judge model answers yes or no, gives a score, or picks a class. */
export type LlmTrait = BooleanTrait | ScoreTrait | LiteralTrait;

/** True if the pattern occurs in the reply. */
export interface RegexTrait extends TraitBase {
  readonly type: "regex";
  readonly pattern: string;
  readonly flags?: string;
}

/** Decides about a reply; null means that it cannot tell. */
export type TraitFunction = (reply: string) => boolean | number | string | null;

/** A function of the reply decides. */
export interface FunctionTrait extends TraitBase {
  readonly type: "function";
  readonly evaluate: string | TraitFunction;
}

/** What can be computed from the four counts. */
export const METRIC_NAMES = ["precision", "recall", "f1", "specificity", "accuracy"] as const;

/** The name of a metric. */
export type MetricName = (typeof METRIC_NAMES)[number];

/** A judge says of each instruction whether it found it; code computes precision, recall and their kin. */
export interface MetricTrait extends TraitBase {
  readonly type: "metric";
  /** What a good reply contains: found is a true positive, missing a false negative. */
  readonly expected: readonly string[];
  /** What it must not contain: found is a false positive, missing a true negative. */
  readonly unexpected?: readonly string[];
  /** Default: f1. The value that routing and outcomes see is that of the first. */
  readonly metrics?: readonly MetricName[];
}

/** What a judge answers to a metric trait: found or not, or null if it cannot tell, in the order of the instructions. */
export interface MetricAnswers {
  readonly expected: readonly (boolean | null)[];
  /** May be missing if the trait has no `unexpected`. */
  readonly unexpected?: readonly (boolean | null)[];
}

/** Traits that are judged on every visit of a node. */
export interface Rubric {
  readonly traits: readonly Trait[];
}

/** The lowest and the highest score of a trait. */
export function scoreRange({ min = 1, max = 5 }: Pick<ScoreTrait, "min" | "max">): {
  readonly min: number;
  readonly max: number;
} {
  return { min, max };
}

/** True for the traits that need a judge. */
export function isJudgedTrait(trait: Trait): trait is JudgedTrait {
  return trait.type === "llm" || trait.type === "metric";
}
