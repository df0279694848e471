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
  /** For a score: whole numbers from `min` (default 1) to `max` (default 5). */
  readonly min?: number;
  readonly max?: number;
  /** For `literal`: the classes, each with what it means, the best last. */
  readonly classes?: Readonly<Record<string, string>>;
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
  readonly evaluate: string | ((reply: string) => boolean | number | string | null);
}

/** What a metric can be computed from the four counts. */
export type MetricName = "precision" | "recall" | "f1" | "specificity" | "accuracy";

/** A judge lists what of each instruction it found; code computes precision, recall and their kin. */
export interface MetricTrait extends TraitBase {
  readonly type: "metric";
  /** What a good reply contains: found is a true positive, missing a false negative. */
  readonly expected: readonly string[];
  /** What it must not contain: found is a false positive, missing a true negative. */
  readonly unexpected?: readonly string[];
  /** Default: f1. The value that routing and outcomes see is that of the first. */
  readonly metrics?: readonly MetricName[];
}

/** Traits that are judged on every visit of a node. */
export interface Rubric {
  readonly traits: readonly Trait[];
}
