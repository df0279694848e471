import type { ExtractedField } from "../../core/templates/extract-rule.ts";
import type { Template } from "../../core/templates/template.ts";
import { extractValue } from "../reading/extract-value.ts";

/** Reads every field that has a rule out of a reply, without a judge. */
export function extractFields(template: Template, reply: string): Readonly<Record<string, ExtractedField>> {
  const extracted = Object.entries(template.fields).flatMap(([name, field]) =>
    field.extract === undefined ? [] : [[name, extractValue(field.extract, field, reply)] as const],
  );
  return Object.fromEntries(extracted);
}
