import type { Check } from "../check/check.ts";
import type { Composed } from "../logic/composition.ts";
import type { JsonObject, JsonValue } from "../value/json.ts";

/** What kind of value a field holds, apart from lists. */
export type ScalarType =
  | { readonly type: "boolean" | "string" | "integer" | "number" | "date" }
  | { readonly type: "enum"; readonly values: readonly (string | number)[] };

/** What kind of value a field holds. */
export type FieldType = ScalarType | { readonly type: "array"; readonly items: ScalarType };

/** One typed field that is read out of a free reply and compared with the truth. */
export type TemplateField = FieldType & {
  /** What the reader of the reply should look for. */
  readonly description: string;
  /** The right value; compared by code, never shown to a model. */
  readonly truth: JsonValue;
  /** How the value is compared; the default follows from the type. */
  readonly check?: Check;
  /** Share of the field in the template's score (default 1). */
  readonly weight?: number;
  /** True if the reply need not state the field. */
  readonly nullable?: boolean;
  readonly hint?: string;
  /** A rule that reads the field without a judge. */
  readonly extract?: JsonObject;
  /** True to ask the judge for a verbatim quote. */
  readonly evidence?: boolean;
};

/** Fields by name. */
export type TemplateFields = Readonly<Record<string, TemplateField>>;

/** A leaf in the `verify` composition of a template. */
export interface FieldLeaf {
  readonly type: "field";
  readonly field: string;
}

/** The typed fields of an answer. `Parsed` rides along for the compiler only. */
export interface Template<Parsed = unknown> {
  readonly fields: TemplateFields;
  /** Which fields must be right: all of them unless said otherwise. */
  readonly verify?: Composed<FieldLeaf> | string | ((parsed: never) => boolean);
  readonly "~parsed"?: Parsed;
}

type ScalarValue<Type> = Type extends { readonly type: "enum"; readonly values: readonly (infer Value)[] }
  ? Value
  : Type extends { readonly type: "boolean" }
    ? boolean
    : Type extends { readonly type: "integer" | "number" }
      ? number
      : string;

type FieldValue<Field> = Field extends { readonly type: "array"; readonly items: infer Item }
  ? readonly ScalarValue<Item>[]
  : ScalarValue<Field>;

/** What reading a reply gives: a value per field, or null where the reply does not state it. */
export type ParsedOf<Fields> = { readonly [Name in keyof Fields]: FieldValue<Fields[Name]> | null };

/**
 * An answer template; the types of its fields are known to conditions and state updates.
 *
 * @example
 * template({ letter: { type: "enum", values: ["A", "B"], description: "the option chosen", truth: "B" } })
 */
export function template<const Fields extends TemplateFields>(
  fields: Fields,
  options: { readonly verify?: NonNullable<Template["verify"]> } = {},
): Template<ParsedOf<Fields>> {
  return { fields, ...options };
}
