import { compileLinearRegex } from "../check/linear-regex.ts";
import {
  boolean,
  described,
  functionOrSource,
  list,
  nonEmptyText,
  number,
  type ObjectShape,
  object,
  oneOfTexts,
  reference,
  type Shape,
  type ShapeRule,
  text,
} from "../shape/shape.ts";
import { isRecord } from "../value/json.ts";

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

const TRAIT: Shape = {
  kind: "variant",
  owner: "a trait",
  variants: {
    llm: traitShape("llm", {
      required: { kind: oneOfTexts("boolean", "score", "literal") },
      optional: { min: number, max: number, classes: list(text), includeReference: boolean },
      rule: ({ min, max }, report) => {
        if (typeof min === "number" && typeof max === "number" && min >= max) {
          report("min", {
            code: "invalid_parameter",
            message: `Expected min below max, got ${min} and ${max}.`,
          });
        }
      },
    }),
    regex: traitShape("regex", {
      required: { pattern: text },
      optional: { flags: text },
      rule: ({ pattern, flags = "" }, report) => {
        const regex = compileLinearRegex(String(pattern), String(flags));
        if ("problem" in regex)
          report("pattern", { code: "invalid_pattern", pattern: String(pattern), message: regex.problem });
      },
    }),
    function: traitShape("function", { required: { evaluate: functionOrSource } }),
    metric: traitShape("metric", {
      required: { expected: list(text) },
      optional: { unexpected: list(text) },
    }),
  },
};

const rubricRule: ShapeRule = ({ traits }, report) => {
  const seen = new Set<unknown>();
  for (const trait of Array.isArray(traits) ? traits.filter(isRecord) : []) {
    if (seen.has(trait.name)) report("traits", { code: "duplicate_trait", trait: String(trait.name) });
    seen.add(trait.name);
  }
};

/** Traits that are judged on every visit of a node. */
export const RUBRIC_SHAPE: Shape = reference("rubric", () =>
  object(
    "a rubric",
    { traits: list(TRAIT) },
    { description: "Qualities of a reply that have no ground truth.", rule: rubricRule },
  ),
);
