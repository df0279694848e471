import { usablePattern } from "../checks/check.ts";
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
  type RuleProblem,
  reference,
  type Shape,
  type ShapeRule,
  text,
} from "../schema/shape.ts";
import { isReservedKey } from "../values/json.ts";
import { type LlmTrait, METRIC_NAMES, type MetricTrait, type Rubric, scoreRange } from "./rubric.ts";

// Rules over several keys of a trait, and over the traits of a rubric. A rule runs only on data that has its shape,
// which is why it may take it for what it should be.

type Report = Parameters<ShapeRule>[1];

/** The keys of all kinds together: whether they suit the kind is what is being asked. */
interface LlmTraitKeys {
  readonly kind: LlmTrait["kind"];
  readonly min?: number;
  readonly max?: number;
  readonly classes?: Readonly<Record<string, string>>;
}

/** Each kind has the keys that belong to it and no others. */
const llmTraitRule: ShapeRule = (value, report) => {
  const trait = value as unknown as LlmTraitKeys;
  const { kind, min, max, classes } = trait;
  if (kind === "score") checkScoreRange(trait, report);
  else {
    if (min !== undefined) report("min", wrong(`Only a score has min, and this trait is a ${kind}.`));
    if (max !== undefined) report("max", wrong(`Only a score has max, and this trait is a ${kind}.`));
  }
  if (kind === "literal") checkClasses(classes, report);
  else if (classes !== undefined) {
    report("classes", wrong(`Only a literal has classes, and this trait is a ${kind}.`));
  }
};

function checkScoreRange(trait: LlmTraitKeys, report: Report): void {
  const { min, max } = scoreRange(trait);
  if (min < max) return;
  const written = (bound: "min" | "max"): string => (trait[bound] === undefined ? " (the default)" : "");
  const message = `Expected min below max, got ${min}${written("min")} and ${max}${written("max")}.`;
  report(trait.min === undefined ? "max" : "min", wrong(message));
}

function checkClasses(classes: LlmTraitKeys["classes"], report: Report): void {
  if (classes === undefined) return report(null, wrong(`A literal needs "classes".`));
  const names = Object.keys(classes);
  if (names.length < 2) report("classes", wrong(`Expected at least two classes, got ${names.length}.`));
  for (const name of names) {
    if (name.trim() === "") report("classes", wrong("Expected a class to have a name."));
    if (isReservedKey(name)) report("classes", { code: "reserved_id", id: name });
  }
}

/** Each instruction is asked for once, and the metrics can be computed from what is asked. */
const metricTraitRule: ShapeRule = (value, report) => {
  const { expected, unexpected = [], metrics = [] } = value as unknown as MetricTrait;
  const seen = new Set<string>();
  for (const [key, instructions] of Object.entries({ expected, unexpected })) {
    for (const instruction of instructions) {
      if (seen.has(instruction)) {
        report(key, wrong(`The instruction ${JSON.stringify(instruction)} is there twice.`));
      }
      seen.add(instruction);
    }
  }
  for (const metric of metrics) {
    if (unexpected.length > 0 || (metric !== "precision" && metric !== "specificity")) continue;
    const always = metric === "precision" ? "1 or undefined" : "undefined";
    report("metrics", wrong(`Without "unexpected", ${metric} is always ${always}.`));
  }
};

/** Every trait has a name of its own, which can be the key of a result. */
const rubricRule: ShapeRule = (value, report) => {
  const { traits } = value as unknown as Rubric;
  const seen = new Set<string>();
  for (const { name } of traits) {
    if (seen.has(name)) report("traits", { code: "duplicate_trait", trait: name });
    if (isReservedKey(name)) report("traits", { code: "reserved_id", id: name });
    seen.add(name);
  }
};

function wrong(message: string): RuleProblem {
  return { code: "invalid_parameter", message };
}

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
      optional: {
        flags: text,
        invert: described(boolean, "True if the trait holds where the pattern does not occur."),
      },
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
