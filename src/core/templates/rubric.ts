import { deepEqual } from "../values/json.ts";

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
  /** True if the trait holds where the pattern does not occur. */
  readonly invert?: boolean;
}

/** Decides about a reply; null means that it cannot tell. */
export type TraitFunction = (
  reply: string,
  /** The turn is counted from 1, and missing outside of a conversation. */
  context: { readonly turn?: number },
) => boolean | number | string | null;

/** A function of the reply decides. */
export interface FunctionTrait extends TraitBase {
  readonly type: "function";
  readonly evaluate: string | TraitFunction;
}

/** What can be computed from the four counts. */
export const METRIC_NAMES = ["precision", "recall", "f1", "specificity", "accuracy"] as const;

/** The name of a metric. */
export type MetricName = (typeof METRIC_NAMES)[number];

/** A judge says of each instruction whether it found it; code computes precision, recall and the other metrics. */
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

// What these return is the data form of a trait, the same as in a file; it is checked with the rest of the scenario.

type Options<T extends Trait> = Omit<T, "type" | "name">;

/** What an llm trait needs besides its name: `min` and `max` belong to scores, `classes` to literals. */
export type LlmTraitOptions = Options<BooleanTrait> | Options<ScoreTrait> | Options<LiteralTrait>;

/**
 * Traits that are judged on every visit of a node.
 *
 * @example
 * rubric(llmTrait("polite", { kind: "boolean" }), regexTrait("cites", { pattern: "\\[\\d+\\]" }))
 */
export function rubric(...traits: readonly Trait[]): Rubric {
  return { traits };
}

/**
 * A judge model answers yes or no, gives a whole number from `min` (1) to `max` (5), or picks one of `classes`.
 *
 * @example
 * llmTrait("hedging", { kind: "score", min: 0, max: 3, higherIsBetter: false, description: "0: none. 3: all of it." })
 * llmTrait("tone", { kind: "literal", classes: { rude: "insults the user", polite: "does not" } })
 */
export function llmTrait(name: string, options: LlmTraitOptions): LlmTrait {
  return { type: "llm", name, ...options };
}

/** True if the pattern (RE2 syntax, flags `i`, `m`, `s`) occurs in the reply: `regexTrait("cites", { pattern: "\\[\\d+\\]" })`. */
export function regexTrait(name: string, options: Options<RegexTrait>): RegexTrait {
  return { type: "regex", name, ...options };
}

/** A function of the reply decides: `functionTrait("words", (reply) => reply.split(/\s+/).length)`. */
export function functionTrait(
  name: string,
  evaluate: FunctionTrait["evaluate"],
  options: Omit<Options<FunctionTrait>, "evaluate"> = {},
): FunctionTrait {
  return { type: "function", name, evaluate, ...options };
}

/**
 * A judge says of each instruction whether the reply contains it; code computes the metrics, of which the first is the value.
 *
 * @example
 * metricTrait("coverage", {
 *   expected: ["names the dose", "names the interval"],
 *   unexpected: ["recommends a second drug"],
 *   metrics: ["f1", "precision"],
 * })
 */
export function metricTrait(name: string, options: Options<MetricTrait>): MetricTrait {
  return { type: "metric", name, ...options };
}

/** A rubric that counts for a turn, and what a sentence calls its place: `the run`. */
export interface RubricPart {
  readonly rubric: Rubric | undefined;
  readonly place: string;
}

/** Two different traits with one name. */
export interface TraitClash {
  readonly trait: string;
  /** Where the one stands that counts, and where the other. */
  readonly places: readonly [string, string];
}

/**
 * The traits of several rubrics in their order, each name once: of two with one name the first counts, and the other
 * is a clash unless it is the same trait again.
 */
export function mergeRubrics(parts: readonly RubricPart[]): {
  readonly traits: readonly Trait[];
  readonly clashes: readonly TraitClash[];
} {
  const byName = new Map<string, { readonly trait: Trait; readonly place: string }>();
  const clashes: TraitClash[] = [];
  for (const { rubric, place } of parts) {
    for (const trait of rubric?.traits ?? []) {
      const first = byName.get(trait.name);
      if (first === undefined) byName.set(trait.name, { trait, place });
      else if (!deepEqual(first.trait, trait))
        clashes.push({ trait: trait.name, places: [first.place, place] });
    }
  }
  return { traits: [...byName.values()].map(({ trait }) => trait), clashes };
}
