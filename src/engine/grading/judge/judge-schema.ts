import type { JudgedTrait } from "../../../core/templates/rubric.ts";
import type { FieldType, ScalarType } from "../../../core/templates/template.ts";
import type { JsonObject, JsonValue } from "../../../core/values/json.ts";
import { type AskedField, type JudgeTask, metricItems } from "./judge-task.ts";

const NULL: JsonObject = { type: "null" };
const TRUTH: JsonObject = { type: ["boolean", "null"] };
const TEXT: JsonObject = { type: ["string", "null"] };
const WHOLE_NUMBER: JsonObject = { type: ["integer", "null"] };

/**
 * The JSON Schema of an answer. It uses only what the strict modes of all providers accept: every key required, no others,
 * and no bounds, formats or patterns, which code validates. What the keys mean is said once, in the instructions.
 */
export function judgeSchema(task: JudgeTask): JsonObject {
  const fields = task.fields.map(({ key, field }) => [key, fieldSchema(field)] as const);
  const traits = task.traits.map(({ key, trait }) => [key, traitSchema(trait)] as const);
  return objectSchema([
    ...(fields.length === 0 ? [] : [["fields", objectSchema(fields)] as const]),
    ...(traits.length === 0 ? [] : [["traits", objectSchema(traits)] as const]),
    ...(task.refusal ? [["refused", TRUTH] as const] : []),
  ]);
}

function objectSchema(properties: readonly (readonly [string, JsonObject])[]): JsonObject {
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    required: properties.map(([key]) => key),
    additionalProperties: false,
  };
}

/** The quote comes first: a judge that has just copied the passage reads the value from it. */
function fieldSchema(field: AskedField): JsonObject {
  const value = orNull(field);
  return field.evidence
    ? objectSchema([
        ["quote", TEXT],
        ["value", value],
      ])
    : value;
}

function orNull(type: FieldType): JsonObject {
  if (type.type === "array") return { anyOf: [{ type: "array", items: itemSchema(type.items) }, NULL] };
  if (type.type === "enum") return { anyOf: [...enumSchemas(type.values), NULL] };
  return { type: [jsonType(type.type), "null"] };
}

function itemSchema(type: ScalarType): JsonObject {
  if (type.type !== "enum") return { type: jsonType(type.type) };
  const [only, ...others] = enumSchemas(type.values);
  return only === undefined || others.length > 0 ? { anyOf: enumSchemas(type.values) } : only;
}

/** One schema per JSON type, since strict modes want every enum to be of one. */
function enumSchemas(values: readonly (string | number)[]): readonly JsonObject[] {
  return (["string", "number"] as const).flatMap((type) => {
    const ofType: readonly JsonValue[] = values.filter((value) => typeof value === type);
    return ofType.length === 0 ? [] : [{ type, enum: ofType }];
  });
}

function jsonType(type: Exclude<ScalarType["type"], "enum">): string {
  return type === "date" ? "string" : type;
}

function traitSchema(trait: JudgedTrait): JsonObject {
  if (trait.type === "metric") return objectSchema(metricItems(trait).map(({ key }) => [key, TRUTH]));
  switch (trait.kind) {
    case "boolean":
      return TRUTH;
    case "score":
      return WHOLE_NUMBER;
    case "literal":
      return { anyOf: [...enumSchemas(Object.keys(trait.classes)), NULL] };
  }
}
