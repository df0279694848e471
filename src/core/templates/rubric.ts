import { usablePattern } from "../checks/check.ts";
import {
  boolean,
  code,
  described,
  integer,
  list,
  nonEmptyText,
  object,
  oneOfTexts,
  type RuleProblem,
  record,
  reference,
  type ShapeOf,
  type ShapeRule,
  type TypeOf,
  text,
  variant,
  variantShapes,
} from "../schema/shape.ts";
import { deepEqual, isReservedKey } from "../values/json.ts";

/** What can be computed from the four counts. */
export const METRIC_NAMES = ["precision", "recall", "f1", "specificity", "accuracy"] as const;

/** The name of a metric. */
export type MetricName = (typeof METRIC_NAMES)[number];

/** Decides about a reply; null means that it cannot tell. */
export type TraitFunction = (
  reply: string,
  /** The turn is counted from 1, and missing outside of a conversation. */
  context: { readonly turn?: number },
) => boolean | number | string | null;

// Rules over several keys of a trait, and over the traits of a rubric. A rule runs only on data that has its shape, which is
// why it may take it for what it should be.

function wrong(message: string): RuleProblem {
  return { code: "invalid_parameter", message };
}

/** Each kind has the keys that belong to it and no others. */
const llmTraitRule: ShapeRule = (value, report) => {
  const trait = value as unknown as AnyLlmTrait;
  const { kind, classes } = trait;
  for (const [key, owner] of [
    ["min", "score"],
    ["max", "score"],
    ["classes", "literal"],
  ] as const)
    if (kind !== owner && trait[key] !== undefined)
      report(key, wrong(`Only a ${owner} has ${key}, and this trait is a ${kind}.`));
  const range = scoreRange(trait);
  const shown = (bound: "min" | "max"): string =>
    `${range[bound]}${trait[bound] === undefined ? " (the default)" : ""}`;
  if (kind === "score" && range.min >= range.max) {
    const message = `Expected min below max, got ${shown("min")} and ${shown("max")}.`;
    report(trait.min === undefined ? "max" : "min", wrong(message));
  }
  if (kind !== "literal") return;
  if (classes === undefined) return report(null, wrong(`A literal needs "classes".`));
  const names = Object.keys(classes);
  if (names.length < 2) report("classes", wrong(`Expected at least two classes, got ${names.length}.`));
  for (const name of names) {
    if (name.trim() === "") report("classes", wrong("Expected a class to have a name."));
    if (isReservedKey(name)) report("classes", { code: "reserved_id", id: name });
  }
};

/** Each instruction is asked for once, and the metrics can be computed from what is asked. */
const metricTraitRule: ShapeRule = (value, report) => {
  const { expected, unexpected = [], metrics = [] } = value as unknown as MetricTrait;
  const seen = new Set<string>();
  for (const [key, instructions] of Object.entries({ expected, unexpected }))
    for (const instruction of instructions) {
      if (seen.has(instruction))
        report(key, wrong(`The instruction ${JSON.stringify(instruction)} is there twice.`));
      seen.add(instruction);
    }
  if (unexpected.length > 0) return;
  for (const metric of metrics)
    if (metric === "precision" || metric === "specificity") {
      const always = metric === "precision" ? "1 or undefined" : "undefined";
      report("metrics", wrong(`Without "unexpected", ${metric} is always ${always}.`));
    }
};

/** Every trait has a name of its own, which can be the key of a result. */
const rubricRule: ShapeRule = (value, report) => {
  const seen = new Set<string>();
  for (const { name } of (value as unknown as Rubric).traits) {
    if (seen.has(name)) report("traits", { code: "duplicate_trait", trait: name });
    if (isReservedKey(name)) report("traits", { code: "reserved_id", id: name });
    seen.add(name);
  }
};

const OPTIONS = {
  description: described(text, "What the trait is about."),
  higherIsBetter: described(boolean, "Which direction is better, for reports (default true)."),
};

const TRAITS = variantShapes(
  {
    llm: {
      required: { name: nonEmptyText, kind: oneOfTexts("boolean", "score", "literal") },
      optional: {
        ...OPTIONS,
        min: described(integer, "For a score: the lowest (default 1)."),
        max: described(integer, "For a score: the highest (default 5)."),
        // JavaScript puts keys that are whole numbers first, in rising order, so name classes by words.
        classes: described(
          record(text),
          "For a literal: the classes by name, each with what it means, the best last.",
        ),
        includeReference: described(boolean, "True to show the reference answer to the judge."),
      },
      rule: llmTraitRule,
    },
    regex: {
      required: { name: nonEmptyText, pattern: text },
      optional: {
        ...OPTIONS,
        flags: text,
        invert: described(boolean, "True if the trait holds where the pattern does not occur."),
      },
      rule: usablePattern,
    },
    function: { required: { name: nonEmptyText, evaluate: code<TraitFunction>() }, optional: OPTIONS },
    metric: {
      required: {
        name: nonEmptyText,
        expected: described(
          list(nonEmptyText, { ifEmpty: "empty_value" }),
          "What a good reply contains: found is a true positive, missing a false negative.",
        ),
      },
      optional: {
        ...OPTIONS,
        unexpected: described(
          list(nonEmptyText),
          "What it must not contain: found is a false positive, missing a true negative.",
        ),
        metrics: described(
          list(oneOfTexts(...METRIC_NAMES), { ifEmpty: "empty_value" }),
          "What is computed (default f1); the first is the value of the trait.",
        ),
      },
      rule: metricTraitRule,
    },
  },
  (type) => `a trait of type ${type}`,
);

/** The keys of all kinds together. */
type AnyLlmTrait = TypeOf<typeof TRAITS.llm>;

/** A judge model answers yes or no. */
type BooleanTrait = Omit<AnyLlmTrait, "kind" | "min" | "max" | "classes"> & {
  readonly kind: "boolean";
};
/** A judge model gives a whole number from `min` to `max`. */
export type ScoreTrait = Omit<AnyLlmTrait, "kind" | "classes"> & { readonly kind: "score" };
/** A judge model picks a class. */
export type LiteralTrait = Omit<AnyLlmTrait, "kind" | "min" | "max" | "classes"> &
  Required<Pick<AnyLlmTrait, "classes">> & { readonly kind: "literal" };

/** A judge model answers yes or no, gives a score, or picks a class. */
export type LlmTrait = BooleanTrait | ScoreTrait | LiteralTrait;
/** True if the pattern occurs in the reply. */
export interface RegexTrait extends TypeOf<typeof TRAITS.regex> {}
/** A function of the reply decides. */
export interface FunctionTrait extends TypeOf<typeof TRAITS.function> {}
/** A judge says of each instruction whether it found it; code computes precision, recall and the other metrics. */
export interface MetricTrait extends TypeOf<typeof TRAITS.metric> {}

/** A quality of a reply that has no ground truth. */
export type Trait = LlmTrait | RegexTrait | FunctionTrait | MetricTrait;

/** A trait that a judge model answers; all others are decided by code. */
export type JudgedTrait = LlmTrait | MetricTrait;

/** Traits that are judged on every visit of a node. */
export interface Rubric {
  readonly traits: readonly Trait[];
}

export const RUBRIC_SHAPE: ShapeOf<Rubric> = reference("rubric", () =>
  object(
    "a rubric",
    // Its rule makes sure that the keys of a judged trait suit its kind.
    { traits: list(variant("a trait", TRAITS) as ShapeOf<Trait>) },
    { description: "Qualities of a reply that have no ground truth.", rule: rubricRule },
  ),
);

/** What a judge answers to a metric trait: found or not, or null if it cannot tell, in the order of the instructions. */
export interface MetricAnswers {
  readonly expected: readonly (boolean | null)[];
  /** May be missing if the trait has no `unexpected`. */
  readonly unexpected?: readonly (boolean | null)[];
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
type LlmTraitOptions = Options<BooleanTrait> | Options<ScoreTrait> | Options<LiteralTrait>;

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
