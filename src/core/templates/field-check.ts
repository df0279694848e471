import type { Check } from "../checks/check.ts";
import type { FieldType } from "./template.ts";

// Frozen, so that each is prepared only once.
const DEFAULTS: Readonly<Record<FieldType["type"], Check>> = {
  boolean: Object.freeze({ type: "boolean_match" }),
  string: Object.freeze({ type: "exact_match" }),
  integer: Object.freeze({ type: "numeric_exact" }),
  number: Object.freeze({ type: "numeric_exact" }),
  enum: Object.freeze({ type: "literal_match" }),
  date: Object.freeze({ type: "date_match" }),
  array: Object.freeze({ type: "set_containment" }),
};

/** How a field is compared with its truth if the author does not say. */
export function defaultFieldCheck(field: FieldType): Check {
  return DEFAULTS[field.type];
}
