import type { Check } from "../../../core/checks/check.ts";
import { defaultFieldCheck, type FieldType } from "../../../core/templates/template.ts";
import { deepEqual, type JsonObject, type JsonValue } from "../../../core/values/json.ts";
import type { ScenarioNames } from "./conditions.ts";
import {
  isTruthy,
  type Note,
  NotTranslatable,
  type Primitive,
  type PythonCase,
  type PythonField,
  type PythonScalar,
  type PythonStrategy,
  type PythonTemplate,
  type PythonType,
  toCheck,
} from "./primitives.ts";
import { PythonError } from "./python-tokens.ts";

/** The template of a question as a file has it. */
export function translateTemplate(template: PythonTemplate, names: ScenarioNames, note: Note): JsonObject {
  const fields = template.fields.map((field) => [field.name, translateField(field, names, note)] as const);
  const isTrace = ({ verifyWith }: PythonField): boolean => verifyWith.type.startsWith("Trace");
  if (template.fields.some(isTrace) && !template.fields.every(isTrace))
    note(
      "upstream never evaluates its checks on the reply's text beside other fields; here they work as written",
    );
  return {
    fields: Object.fromEntries(fields),
    ...(template.strategy === null ? {} : { verify: strategyOf(template.strategy) }),
    // Upstream's verdict is never unknown: what the reply does not state is wrong.
    undecided: "wrong",
  };
}

function strategyOf(strategy: PythonStrategy): JsonObject {
  if (strategy.type === "field") return { ...strategy };
  return { ...strategy, conditions: strategy.conditions.map(strategyOf) };
}

function translateField(field: PythonField, names: ScenarioNames, note: Note): JsonObject {
  const { name, description, truth, weight, hint, isNullable, line } = field;
  const fieldNote: Note = (message) => note(`field ${name}: ${message}`);
  const type = typeHere(field.type);
  try {
    const check = checkOf(field.verifyWith, fieldNote);
    const written = "value" in truth ? plainTruth(field, truth.value) : pastTruth(field, names, fieldNote);
    return {
      ...(type as unknown as JsonObject),
      description,
      truth: written,
      ...(deepEqual(check, defaultFieldCheck(type)) ? {} : { check: check as unknown as JsonObject }),
      ...(weight === 1 ? {} : { weight }),
      ...(isNullable ? { nullable: true } : {}),
      ...(hint === null || hint === "" ? {} : { hint }),
    };
  } catch (error) {
    if (error instanceof NotTranslatable) throw new PythonError(`field ${name}: ${error.message}`, line);
    throw error;
  }
}

function checkOf(primitive: Primitive, note: Note): Check {
  if (primitive.type === "SemanticMatch")
    note("upstream cannot evaluate SemanticMatch; here it needs an embedding model");
  return toCheck(primitive, note, true);
}

function typeHere(type: PythonType): FieldType {
  return type.type === "list" ? { type: "array", items: scalarHere(type.items) } : scalarHere(type);
}

function scalarHere(type: PythonScalar): Exclude<FieldType, { type: "array" }> {
  switch (type.type) {
    case "bool":
      return { type: "boolean" };
    case "str":
      return { type: "string" };
    case "int":
      return { type: "integer" };
    case "float":
      return { type: "number" };
    case "literal":
      return { type: "enum", values: type.values };
  }
}

/** A truth as a file has it; a check on the reply's text takes any truth for true or false, as Python does. */
function plainTruth({ verifyWith, type }: PythonField, value: JsonValue): JsonValue {
  if (verifyWith.type.startsWith("Trace")) return isTruthy(value);
  return type.type === "bool" && verifyWith.type === "BooleanMatch" && value !== null
    ? isTruthy(value)
    : value;
}

function pastTruth(field: PythonField, names: ScenarioNames, note: Note): JsonObject {
  const { truth } = field;
  if ("value" in truth) throw new NotTranslatable("a truth that depends on the past is expected");
  const [root, node = "", section, ...rest] = truth.source.split(".");
  const here = names.node(node);
  if (root !== "node_results" || here === undefined || rest.length > 1)
    throw new NotTranslatable(`the source ${truth.source} of its truth has no counterpart`);
  const isVerdict = section === "verify_result" && rest.length === 0;
  const type: PythonType | { type: "none" | "any" | "class" } = isVerdict
    ? { type: "bool" }
    : section === "parsed"
      ? names.field(node, rest[0] ?? "")
      : { type: "any" };
  const cases = [...truth.cases].flatMap(([key, value]) => {
    const own = caseKey(key, type.type);
    if (own !== null) return [[own, caseOf(field, value, note)] as const];
    note(`the case ${JSON.stringify(key)} can never apply upstream, and is left out`);
    return [];
  });
  if (cases.length === 0) throw new NotTranslatable("none of the cases of its truth can ever apply");
  return {
    from: [root, here.id, section, ...rest].join("."),
    cases: Object.fromEntries(cases),
    otherwise: caseOf(field, truth.otherwise, note),
  };
}

/** Keys upstream are Python's texts of values; here they are those of JSON. */
function caseKey(key: string, type: string): string | null {
  if (key === "None") return null;
  if (type === "bool") return key === "True" ? "true" : key === "False" ? "false" : null;
  if (type !== "float") return key;
  const isFloatText = /^-?\d+\.\d+(?:e[+-]?\d+)?$|^-?\d+e[+-]?\d+$/.test(key);
  return isFloatText ? String(Number(key)) : null;
}

function caseOf(field: PythonField, { value, verifyWith }: PythonCase, note: Note): JsonValue {
  const truth = plainTruth(field, value);
  if (verifyWith === null) return truth;
  return { truth, check: checkOf(verifyWith, note) as unknown as JsonObject };
}
