import type {
  BooleanTrait,
  FunctionTrait,
  LiteralTrait,
  LlmTrait,
  MetricTrait,
  RegexTrait,
  Rubric,
  ScoreTrait,
  Trait,
} from "./rubric.ts";

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
