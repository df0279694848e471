/** A kind of value that is not a list. */
export interface ScalarTarget {
  readonly type: "boolean" | "string" | "integer" | "number" | "date" | "enum";
  /** The values of an enum. */
  readonly values?: readonly (string | number)[];
}

/** The kind of value that a rule must produce: the part of a template's field that reading needs to know. */
export type ExtractTarget =
  | ScalarTarget
  | { readonly type: "array"; readonly items?: ScalarTarget; readonly values?: readonly (string | number)[] };

/** The values of an enum; none for any other type. */
export function enumValues(target: ExtractTarget): readonly (string | number)[] {
  return target.type === "enum" && Array.isArray(target.values) ? target.values : [];
}
