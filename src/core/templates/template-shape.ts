import { CHECK_SHAPE } from "../checks/check.ts";
import { type Composed, compositionShapes, leavesOf } from "../logic/composition.ts";
import {
  boolean,
  described,
  either,
  functionOrSource,
  json,
  list,
  nothing,
  number,
  numberFrom,
  object,
  oneOfTexts,
  record,
  reference,
  type Shape,
  type ShapeOf,
  type ShapeRule,
  text,
  variant,
  variantShapes,
} from "../schema/shape.ts";
import { compileWhen, DATA_CONDITION_SHAPE } from "../state/condition.ts";
import { parseStatePath } from "../state/state-path.ts";
import { isRecord, isReservedKey, type UnknownRecord } from "../values/json.ts";
import { EXTRACT_SHAPE } from "./extract-rule.ts";
import { fieldProblem } from "./field-problem.ts";
import {
  type FieldLeaf,
  fieldNamed,
  type GateCondition,
  isVerified,
  type ScalarType,
  type TemplateField,
  type TemplateFields,
} from "./template.ts";

const PLAIN_TRUTHS = [text, number, boolean, nothing, list(json)] as const;

const CASE: Shape = either(
  ...PLAIN_TRUTHS,
  object("a case", { truth: either(...PLAIN_TRUTHS) }, { optional: { check: CHECK_SHAPE } }),
);

const TRUTH_FROM: Shape = reference("truthFrom", () =>
  object(
    "a truth that depends on the past",
    {
      from: described(text, "A path of the state before the turn, such as node_results.ask.parsed.letter."),
      cases: described(record(CASE, { ifEmpty: "empty_value" }), "The truth by the value there."),
    },
    { optional: { otherwise: described(CASE, "The truth for any other value, or none.") } },
  ),
);

const FIELD_OPTIONS = {
  truth: described(
    either(...PLAIN_TRUTHS, TRUTH_FROM),
    "The right value; compared by code, never shown to a model. A field without one is read, and makes no verdict.",
  ),
  check: described(
    CHECK_SHAPE,
    "How the value is compared with the truth; the default follows from the type.",
  ),
  weight: described(numberFrom(0), "Share of the field in the score (default 1)."),
  nullable: described(boolean, "True if the field may be null because the reply need not state it."),
  optional: described(boolean, "True if the field may be missing."),
  hint: described(text, "Further help for the judge."),
  extract: described(EXTRACT_SHAPE, "A rule that reads the field without a judge."),
  evidence: described(boolean, "True to ask the judge for a verbatim quote."),
};

const SCALARS: Readonly<Record<ScalarType["type"], Readonly<Record<string, Shape>>>> = {
  boolean: {},
  string: {},
  integer: {},
  number: {},
  date: {},
  enum: { values: list(either(text, number), { ifEmpty: "empty_value" }) },
};

const ITEMS = variant(
  "the type of an item",
  variantShapes(
    mapped(SCALARS, (required) => ({ required })),
    (type) => `an item of type ${type}`,
  ),
);

const fieldRule: ShapeRule = (value, report) => {
  // A rule runs only on a field whose keys all have their shapes.
  const problem = fieldProblem(value as unknown as TemplateField);
  if (problem !== null) report(problem.key, { code: "invalid_parameter", message: problem.message });
};

const DESCRIPTION = described(text, "What to look for in the reply.");

const FIELD: Shape = reference("field", () =>
  variant(
    "a field",
    variantShapes(
      mapped({ ...SCALARS, array: { items: ITEMS } }, (parts) => ({
        required: { description: DESCRIPTION, ...parts },
        optional: FIELD_OPTIONS,
        rule: fieldRule,
      })),
      (type) => `a field of type ${type}`,
    ),
  ),
);

function mapped<Value, Result>(
  record: Readonly<Record<string, Value>>,
  change: (value: Value) => Result,
): Readonly<Record<string, Result>> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}

const VERIFY: ShapeOf<Composed<FieldLeaf>> = reference("verify", () =>
  variant("a composition of fields", {
    field: object("a field leaf", { type: oneOfTexts("field"), field: text }),
    ...compositionShapes(VERIFY),
  }),
);

const GATE: Shape = object(
  "a gate",
  {
    when: described(
      DATA_CONDITION_SHAPE,
      "Which replies are verified: a condition over `parsed.<field>` or `refused`. The others are not verified, which is not wrong.",
    ),
  },
  {
    optional: {
      of: described(
        either(VERIFY, functionOrSource),
        "Which fields must be right where the condition holds (default: all).",
      ),
    },
  },
);

const templateRule: ShapeRule = (template, report) => {
  const { fields } = template;
  if (!isRecord(fields)) return;
  const gate = isRecord(template.verify) && "when" in template.verify ? template.verify : undefined;
  const verify = gate === undefined ? template.verify : gate.of;
  if (gate !== undefined)
    for (const message of gateProblems(gate.when as GateCondition, fields))
      report("verify", { code: "invalid_parameter", message });
  for (const name of Object.keys(fields)) {
    if (isReservedKey(name)) report("fields", { code: "reserved_id", id: name });
  }
  const wrong = (message: string): void => report("verify", { code: "invalid_parameter", message });
  for (const name of fieldsNamedIn(verify)) {
    const named = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (named === undefined) wrong(`The template has no field ${JSON.stringify(name)}.`);
    // Each field has been found to have its shape.
    else if (!isVerified(named as TemplateField))
      wrong(`The field ${JSON.stringify(name)} has no truth, so it cannot be verified.`);
  }
  if (Object.values(fields).every((field) => isRecord(field) && field.weight === 0))
    report("fields", { code: "invalid_parameter", message: "At least one field needs a weight above 0." });
};

function fieldsNamedIn(verify: unknown): readonly string[] {
  // Its shape is known, or it is code.
  return isRecord(verify) ? leavesOf(verify as unknown as Composed<FieldLeaf>).map(({ field }) => field) : [];
}

/** A gate can look at nothing but the reply that it is about. */
function gateProblems(when: GateCondition, fields: UnknownRecord): readonly string[] {
  const condition = compileWhen(when);
  return (condition === null ? [] : leavesOf(condition)).flatMap((leaf) => {
    if (leaf.type !== "state_check") return [];
    const { field } = leaf;
    const path = parseStatePath(field);
    if (!("problem" in path) && path.root === "refused") return [];
    if ("problem" in path || path.root !== "parsed" || path.keys.length === 0)
      return [`A gate looks at parsed.<field> or refused, not at ${JSON.stringify(field)}.`];
    const names = Object.keys(fields);
    // Each field has been found to have its shape.
    if (fieldNamed(fields as TemplateFields, path.keys) !== undefined) return [];
    return [`The template has no field ${JSON.stringify(path.keys.join("."))}. It has ${names.join(", ")}.`];
  });
}

/** An answer template as data. */
export const TEMPLATE_SHAPE: Shape = reference("template", () =>
  object(
    "a template",
    { fields: record(FIELD, { ifEmpty: "empty_value" }) },
    {
      description: "Typed fields that are read out of the free reply and compared with the truth.",
      optional: {
        verify: described(
          either(VERIFY, GATE, functionOrSource),
          "Which fields must be right (default: all), or `{ when }`: which replies are verified.",
        ),
        undecided: described(
          oneOfTexts("wrong"),
          "wrong: a field that the reply does not state, or that cannot be compared, counts as wrong in the verdict.",
        ),
      },
      rule: templateRule,
    },
  ),
);
