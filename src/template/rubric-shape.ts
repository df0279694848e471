import { usablePattern } from "../check/check-rules.ts";
import {
  boolean,
  described,
  functionOrSource,
  list,
  type NumberShape,
  nonEmptyText,
  type ObjectShape,
  object,
  oneOfTexts,
  reference,
  type Shape,
  type ShapeRule,
  text,
} from "../shape/shape.ts";
import { METRIC_NAMES } from "./rubric.ts";
import { llmTraitRule, metricTraitRule, rubricRule } from "./rubric-rules.ts";

const TRAIT_OPTIONS: Readonly<Record<string, Shape>> = {
  description: described(text, "What the trait is about."),
  higherIsBetter: described(boolean, "Which direction is better, for reports (default true)."),
};

interface TraitParts {
  readonly required: Readonly<Record<string, Shape>>;
  readonly optional?: Readonly<Record<string, Shape>>;
  readonly rule?: ShapeRule;
}

function traitShape(type: string, { required, optional, rule }: TraitParts): ObjectShape {
  return object(
    `a trait of type ${type}`,
    { type: { kind: "literal", values: [type] }, name: nonEmptyText, ...required },
    { optional: { ...TRAIT_OPTIONS, ...optional }, ...(rule === undefined ? {} : { rule }) },
  );
}

const WHOLE_NUMBER: NumberShape = { kind: "number", integer: true };

const LLM_TRAIT: ObjectShape = traitShape("llm", {
  required: { kind: oneOfTexts("boolean", "score", "literal") },
  optional: {
    min: described(WHOLE_NUMBER, "For a score: the lowest (default 1)."),
    max: described(WHOLE_NUMBER, "For a score: the highest (default 5)."),
    classes: described(
      { kind: "record", values: text },
      "For a literal: the classes by name, each with what it means, the best last.",
    ),
    includeReference: described(boolean, "True to show the reference answer to the judge."),
  },
  rule: llmTraitRule,
});

const METRIC_TRAIT: ObjectShape = traitShape("metric", {
  required: {
    expected: described(
      { kind: "array", items: nonEmptyText, ifEmpty: "empty_value" },
      "What a good reply contains: found is a true positive, missing a false negative.",
    ),
  },
  optional: {
    unexpected: described(
      list(nonEmptyText),
      "What it must not contain: found is a false positive, missing a true negative.",
    ),
    metrics: described(
      { kind: "array", items: oneOfTexts(...METRIC_NAMES), ifEmpty: "empty_value" },
      "What is computed (default f1); the first is the value of the trait.",
    ),
  },
  rule: metricTraitRule,
});

const TRAIT: Shape = {
  kind: "variant",
  owner: "a trait",
  variants: {
    llm: LLM_TRAIT,
    regex: traitShape("regex", {
      required: { pattern: text },
      optional: { flags: text },
      rule: usablePattern,
    }),
    function: traitShape("function", { required: { evaluate: functionOrSource } }),
    metric: METRIC_TRAIT,
  },
};

/** Traits that are judged on every visit of a node. */
export const RUBRIC_SHAPE: Shape = reference("rubric", () =>
  object(
    "a rubric",
    { traits: list(TRAIT) },
    { description: "Qualities of a reply that have no ground truth.", rule: rubricRule },
  ),
);
