import { CHECK_SHAPE } from "../checks/check.ts";
import { compositionShapes, isComposition, leavesOf } from "../logic/composition.ts";
import {
  boolean,
  described,
  either,
  functionOrSource,
  json,
  list,
  number,
  type ObjectShape,
  object,
  reference,
  type Shape,
  type ShapeRule,
  text,
} from "../schema/shape.ts";
import { compileWhen, DATA_CONDITION_SHAPE } from "../state/condition.ts";
import { parseStatePath } from "../state/state-path.ts";
import { isRecord, isReservedKey, type UnknownRecord } from "../values/json.ts";
import { EXTRACT_SHAPE } from "./extract-rule.ts";
import { fieldProblem } from "./field-problem.ts";
import {
  fieldNamed,
  type GateCondition,
  isVerified,
  type TemplateField,
  type TemplateFields,
} from "./template.ts";

const FIELD_OPTIONS: Readonly<Record<string, Shape>> = {
  check: described(
    CHECK_SHAPE,
    "How the value is compared with the truth; the default follows from the type.",
  ),
  weight: described({ kind: "number", minimum: 0 }, "Share of the field in the score (default 1)."),
  nullable: described(boolean, "True if the field may be null because the reply need not state it."),
  optional: described(boolean, "True if the field may be missing."),
  hint: described(text, "Further help for the judge."),
  extract: described(EXTRACT_SHAPE, "A rule that reads the field without a judge."),
  evidence: described(boolean, "True to ask the judge for a verbatim quote."),
};

const ENUM_VALUES: Shape = { kind: "array", items: either(text, { kind: "number" }), ifEmpty: "empty_value" };

const SCALAR_TYPES = ["boolean", "string", "integer", "number", "date"] as const;

function scalarShapes(
  shape: (type: string, parts: Readonly<Record<string, Shape>>) => ObjectShape,
): Record<string, ObjectShape> {
  const shapes = Object.fromEntries(SCALAR_TYPES.map((type) => [type, shape(type, {})]));
  return { ...shapes, enum: shape("enum", { values: ENUM_VALUES }) };
}

function typed(type: string): Shape {
  return { kind: "literal", values: [type] };
}

function fieldShape(type: string, parts: Readonly<Record<string, Shape>>): ObjectShape {
  const required = {
    type: typed(type),
    description: described(text, "What to look for in the reply."),
    ...parts,
  };
  const optional = { truth: TRUTH_SHAPE, ...FIELD_OPTIONS };
  return object(`a field of type ${type}`, required, { optional, rule: fieldRule });
}

const fieldRule: ShapeRule = (value, report) => {
  // A rule runs only on a field whose keys all have their shapes.
  const problem = fieldProblem(value as unknown as TemplateField);
  if (problem !== null) report(problem.key, { code: "invalid_parameter", message: problem.message });
};

const ITEMS: Shape = {
  kind: "variant",
  owner: "the type of an item",
  variants: scalarShapes((type, parts) => object(`an item of type ${type}`, { type: typed(type), ...parts })),
};

const FIELD: Shape = reference("field", () => ({
  kind: "variant",
  owner: "a field",
  variants: { ...scalarShapes(fieldShape), array: fieldShape("array", { items: ITEMS }) },
}));

const VERIFY: Shape = reference("verify", () => ({
  kind: "variant",
  owner: "a composition of fields",
  variants: {
    field: object("a field leaf", { type: typed("field"), field: text }),
    ...compositionShapes(VERIFY),
  },
}));

const RULE: Shape = either(VERIFY, functionOrSource);

const GATE: Shape = object(
  "a gate",
  {
    when: described(
      DATA_CONDITION_SHAPE,
      "Which replies are verified: a condition over `parsed.<field>` or `refused`. The others are not verified, which is not wrong.",
    ),
  },
  {
    optional: { of: described(RULE, "Which fields must be right where the condition holds (default: all).") },
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
  for (const field of fieldsNamedIn(verify)) {
    const named = Object.hasOwn(fields, field) ? fields[field] : undefined;
    // Each field has been found to have its shape.
    if (isRecord(named) && !isVerified(named as unknown as TemplateField))
      report("verify", {
        code: "invalid_parameter",
        message: `The field ${JSON.stringify(field)} has no truth, so it cannot be verified.`,
      });
  }
  if (Object.values(fields).every((field) => isRecord(field) && field.weight === 0)) {
    report("fields", { code: "invalid_parameter", message: "At least one field needs a weight above 0." });
  }
  for (const field of fieldsNamedIn(verify)) {
    if (Object.hasOwn(fields, field)) continue;
    report("verify", {
      code: "invalid_parameter",
      message: `The template has no field ${JSON.stringify(field)}.`,
    });
  }
};

function fieldsNamedIn(verify: unknown): readonly string[] {
  if (!isRecord(verify)) return [];
  if (verify.type === "field") return [String(verify.field)];
  if (!isComposition(verify)) return [];
  const parts = verify.type === "not" ? [verify.condition] : verify.conditions;
  return parts.flatMap(fieldsNamedIn);
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
    { fields: { kind: "record", values: FIELD, ifEmpty: "empty_value" } },
    {
      description: "Typed fields that are read out of the free reply and compared with the truth.",
      optional: {
        verify: described(
          either(VERIFY, GATE, functionOrSource),
          "Which fields must be right (default: all), or `{ when }`: which replies are verified.",
        ),
        undecided: described(
          { kind: "literal", values: ["wrong"] },
          "wrong: a field that the reply does not state, or that cannot be compared, counts as wrong in the verdict.",
        ),
      },
      rule: templateRule,
    },
  ),
);

const PLAIN_TRUTHS: readonly Shape[] = [text, number, boolean, { kind: "null" }, list(json)];

const CASE: Shape = either(
  ...PLAIN_TRUTHS,
  object("a case", { truth: either(...PLAIN_TRUTHS) }, { optional: { check: CHECK_SHAPE } }),
);

const TRUTH_FROM: Shape = reference("truthFrom", () =>
  object(
    "a truth that depends on the past",
    {
      from: described(text, "A path of the state before the turn, such as node_results.ask.parsed.letter."),
      cases: described(
        { kind: "record", values: CASE, ifEmpty: "empty_value" },
        "The truth by the value there.",
      ),
    },
    { optional: { otherwise: described(CASE, "The truth for any other value, or none.") } },
  ),
);

/** The truth of a field: a value, or where it comes from. */
const TRUTH_SHAPE: Shape = described(
  either(...PLAIN_TRUTHS, TRUTH_FROM),
  "The right value; compared by code, never shown to a model. A field without one is read, and makes no verdict.",
);
