import { isRecord, type JsonValue } from "../values/json.ts";
import type { FieldOptions, FieldType, TemplateField, TruthFrom } from "./template.ts";

/** A type of zod 4, whichever version: what is used of it here is zod's contract with libraries. */
interface ZodLike {
  readonly _zod: { readonly output: unknown; readonly def: { readonly type: string } };
}

/** What a field of a zod type holds as data: dates are texts. */
type ValueOf<Type extends ZodLike> = AsData<NonNullable<Type["_zod"]["output"]>>;
type AsData<Value> = Value extends Date
  ? string
  : Value extends readonly (infer Item)[]
    ? readonly AsData<Item>[]
    : Value;

/** Options of a field whose truth must be of its type. */
export type VerifiedOptions<Value> = Omit<FieldOptions, "truth"> & {
  readonly truth?: NoInfer<Value> | null | TruthFrom;
};

/**
 * A field of a zod type, as data: boolean, string, integer, number, enum or literal, date, or an array of those, optional or
 * nullable. A type that templates do not have is an issue at validation.
 *
 * @example
 * template({ city: verified(z.string(), { description: "the capital named", truth: "Canberra" }) })
 */
export function verified<Type extends ZodLike>(
  type: Type,
  options: VerifiedOptions<ValueOf<Type>>,
): TemplateField & { readonly "~value"?: ValueOf<Type> } {
  // The shape of the field is checked at validation, where an unsupported type has a place to be reported at.
  return { ...fieldType(type), ...(options as FieldOptions) } as TemplateField;
}

interface OpenFieldType {
  readonly type: string;
  readonly values?: readonly JsonValue[];
  readonly items?: OpenFieldType;
  readonly nullable?: true;
  readonly optional?: true;
}

/** The part of zod's definitions that matters here; they are plain data by zod's own contract. */
interface ZodDefinition {
  readonly type: string;
  readonly innerType?: ZodLike;
  readonly element?: ZodLike;
  readonly options?: readonly ZodLike[];
  readonly entries?: Readonly<Record<string, string | number>>;
  readonly values?: readonly JsonValue[];
  readonly format?: string;
  readonly checks?: readonly { readonly _zod: { readonly def: { readonly format?: string } } }[];
}

function definitionOf(type: ZodLike): ZodDefinition {
  const def: unknown = isRecord(type) && isRecord(type._zod) ? type._zod.def : undefined;
  return isRecord(def) ? (def as unknown as ZodDefinition) : { type: "unknown" };
}

function fieldType(type: ZodLike): FieldType | OpenFieldType {
  const def = definitionOf(type);
  switch (def.type) {
    case "optional":
      return def.innerType === undefined
        ? { type: "unknown" }
        : { ...fieldType(def.innerType), optional: true };
    case "nullable":
      return def.innerType === undefined
        ? { type: "unknown" }
        : { ...fieldType(def.innerType), nullable: true };
    case "string":
      return { type: isDateFormat(def.format) ? "date" : "string" };
    case "number":
      return { type: isInteger(def) ? "integer" : "number" };
    case "enum":
      return { type: "enum", values: enumValues(def.entries ?? {}) };
    case "literal":
      return { type: "enum", values: def.values ?? [] };
    case "union":
      return { type: "enum", values: (def.options ?? []).flatMap((option) => literalValues(option)) };
    case "array":
      return {
        type: "array",
        items: def.element === undefined ? { type: "unknown" } : fieldType(def.element),
      };
    default:
      return { type: def.type };
  }
}

function isDateFormat(format: string | undefined): boolean {
  return format === "date" || format === "datetime";
}

function isInteger({ format, checks = [] }: ZodDefinition): boolean {
  return [format, ...checks.map((check) => check._zod.def.format)].some(
    (name) => name?.endsWith("int") || name?.includes("int3"),
  );
}

/** TypeScript's numeric enums list their names as values too; zod keeps the names out by their own numbers. */
function enumValues(entries: Readonly<Record<string, string | number>>): readonly (string | number)[] {
  const numbers = Object.values(entries).filter((value) => typeof value === "number");
  return Object.entries(entries).flatMap(([key, value]) => (numbers.includes(Number(key)) ? [] : [value]));
}

/** The values of a union of literals; anything else in it is kept as its type's name, which no enum accepts. */
function literalValues(option: ZodLike): readonly JsonValue[] {
  const def = definitionOf(option);
  return def.type === "literal" ? (def.values ?? []) : [{ type: def.type }];
}
