import type { JsonObject, JsonValue } from "../values/json.ts";
import type { NumberShape, ObjectShape, Shape } from "./shape.ts";

/** A JSON Schema (draft 2020-12) of a shape; named shapes become definitions, so that recursion stays finite. */
export function toJsonSchema(shape: Shape, head: JsonObject = {}): JsonObject {
  const writer = new SchemaWriter();
  const schema = writer.write(shape);
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    ...head,
    ...schema,
    $defs: Object.fromEntries(writer.definitions),
  };
}

class SchemaWriter {
  readonly definitions = new Map<string, JsonObject>();

  write(shape: Shape): JsonObject {
    const schema = this.#write(shape);
    return "description" in shape && shape.description !== undefined
      ? { description: shape.description, ...schema }
      : schema;
  }

  #write(shape: Shape): JsonObject {
    switch (shape.kind) {
      case "string":
        if (shape.expressionFor !== undefined) return { type: "string", pattern: "^\\{\\{.*\\}\\}$" };
        return shape.nonEmpty ? { type: "string", pattern: "\\S" } : { type: "string" };
      case "number":
        return numberSchema(shape);
      case "boolean":
      case "null":
        return { type: shape.kind };
      case "json":
      case "checked":
        return {};
      case "function":
        // In a file, a function is written as its source text.
        return { type: "string", pattern: "=>|\\bfunction\\b" };
      case "literal":
        return shape.values.length === 1 ? { const: shape.values[0] as JsonValue } : { enum: shape.values };
      case "array":
        return {
          type: "array",
          items: this.write(shape.items),
          ...(shape.ifEmpty === undefined ? {} : { minItems: 1 }),
        };
      case "record":
        return {
          type: "object",
          additionalProperties: this.write(shape.values),
          ...(shape.ifEmpty === undefined ? {} : { minProperties: 1 }),
          ...(shape.single ? { maxProperties: 1 } : {}),
        };
      case "object":
        return this.#writeObject(shape);
      case "variant":
        return {
          type: "object",
          required: ["type"],
          oneOf: Object.values(shape.variants).map((part) => this.write(part)),
        };
      case "either":
        return { anyOf: shape.options.map((option) => this.write(option)) };
      case "reference":
        return this.#writeReference(shape.name, shape.shape);
    }
  }

  #writeObject(shape: ObjectShape): JsonObject {
    const properties = Object.entries(shape.keys).map(([key, value]) => [key, this.write(value)] as const);
    return {
      type: "object",
      properties: Object.fromEntries(properties),
      ...(shape.required.length === 0 ? {} : { required: shape.required }),
      additionalProperties: false,
    };
  }

  #writeReference(name: string, shape: () => Shape): JsonObject {
    if (!this.definitions.has(name)) {
      // Reserved before it is written, for it may refer to itself.
      this.definitions.set(name, {});
      this.definitions.set(name, this.write(shape()));
    }
    return { $ref: `#/$defs/${name}` };
  }
}

function numberSchema({ integer, minimum, exclusiveMinimum }: NumberShape): JsonObject {
  return {
    type: integer ? "integer" : "number",
    ...(minimum === undefined ? {} : { minimum }),
    ...(exclusiveMinimum === undefined ? {} : { exclusiveMinimum }),
  };
}
