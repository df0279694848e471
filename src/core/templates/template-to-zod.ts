import type { z as zod } from "zod";
import type { FieldType, Template, TemplateField } from "./template.ts";

type Zod = typeof zod;

/**
 * The zod object that a template's data stands for. `z` is yours, since this library does not load zod:
 * `templateToZod(template, z)`. A field made with `verified` from such a type is the same data again.
 */
export function templateToZod(template: Template, z: Zod): zod.ZodObject {
  const fields = Object.entries(template.fields).map(
    ([name, field]) => [name, fieldToZod(field, z)] as const,
  );
  return z.object(Object.fromEntries(fields));
}

function fieldToZod(field: TemplateField, z: Zod): zod.ZodType {
  const type = typeToZod(field, z).describe(field.description);
  const nullable = field.nullable ? type.nullable() : type;
  return field.optional ? nullable.optional() : nullable;
}

function typeToZod(field: FieldType, z: Zod): zod.ZodType {
  switch (field.type) {
    case "boolean":
      return z.boolean();
    case "string":
      return z.string();
    case "integer":
      return z.int();
    case "number":
      return z.number();
    case "date":
      return z.iso.date();
    case "enum":
      return z.literal(field.values);
    case "array":
      return z.array(typeToZod(field.items, z));
  }
}
