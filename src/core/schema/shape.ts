import { lazy } from "../lazy.ts";
import type { JsonObject, JsonValue, UnknownRecord } from "../values/json.ts";
import type { Issue } from "./issue.ts";

/**
 * A description of data from which two things are derived: the validation of what an author wrote (`validate-shape.ts`)
 * and the JSON Schema of the file format (`json-schema.ts`). Nothing about the format is written down twice.
 */
export type Shape =
  | StringShape
  | NumberShape
  | { readonly kind: "boolean"; readonly description?: string }
  | { readonly kind: "null"; readonly description?: string }
  | { readonly kind: "json"; readonly description?: string }
  /** Any value: it is validated in another place, as what is named here for suggestions. */
  | { readonly kind: "checked"; readonly as?: Shape; readonly description?: string }
  | FunctionShape
  | LiteralShape
  | ArrayShape
  | RecordShape
  | ObjectShape
  | VariantShape
  | EitherShape
  | ReferenceShape;

export interface StringShape {
  readonly kind: "string";
  readonly nonEmpty?: boolean;
  /** Set if the text stands for a value of another kind, and so must be one expression: `{{ row.n }}`. */
  readonly expressionFor?: string;
  readonly description?: string;
}

export interface NumberShape {
  readonly kind: "number";
  readonly integer?: boolean;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly description?: string;
}

/** A function, or the source text of one. */
interface FunctionShape {
  readonly kind: "function";
  readonly description?: string;
}

/** One of a few given values. */
export interface LiteralShape {
  readonly kind: "literal";
  readonly values: readonly (string | number | boolean | null)[];
  readonly description?: string;
}

export interface ArrayShape {
  readonly kind: "array";
  readonly items: Shape;
  /** The code of the issue that an empty list is, if it is one. */
  readonly ifEmpty?: EmptyCode;
  readonly description?: string;
}

/** An object with free keys. */
export interface RecordShape {
  readonly kind: "record";
  readonly values: Shape;
  /** The code of the issue that an empty object is, if it is one. */
  readonly ifEmpty?: EmptyCode;
  /** True if more than one key is an issue. */
  readonly single?: boolean;
  /** Keys that belong to another form, and how it is written. */
  readonly otherForms?: ReadonlyMap<string, string>;
  readonly description?: string;
}

/** An object with known keys; any other key is an issue. */
export interface ObjectShape {
  readonly kind: "object";
  /** What a sentence calls it: `an edge`. */
  readonly owner: string;
  /** Made by `keyShapes`. */
  readonly keys: Readonly<Record<string, Shape>>;
  readonly required: readonly string[];
  /** The codes of the issues that missing keys are, where a sentence of their own says more. */
  readonly ifMissing?: Readonly<Record<string, "no_entry" | "no_nodes">>;
  /** Rules over several keys; runs only if every key is in order by itself. */
  readonly rule?: ShapeRule;
  readonly description?: string;
}

/** Objects that differ by their `type`. */
export interface VariantShape {
  readonly kind: "variant";
  readonly owner: string;
  readonly variants: Readonly<Record<string, ObjectShape>>;
  readonly description?: string;
}

/** Alternatives that differ by the kind of value (text, list, object with or without `type`, …). */
export interface EitherShape {
  readonly kind: "either";
  /** What a sentence calls it, where its alternatives would say too much. */
  readonly owner?: string;
  readonly options: readonly Shape[];
  readonly description?: string;
}

/** Issues that say: there should be something here. */
type EmptyCode = "empty_condition" | "empty_value" | "no_nodes";

/** A shape with a name: shapes may refer to each other and to themselves. */
export interface ReferenceShape {
  readonly kind: "reference";
  readonly name: string;
  readonly shape: () => Shape;
  readonly description?: string;
}

/** What a rule finds wrong: an issue without its place, and the key it is about. */
export type ShapeRule = (
  value: UnknownRecord,
  report: (key: string | null, problem: RuleProblem) => void,
) => void;

/** An issue before its place is known. */
export type RuleProblem =
  | { readonly code: "invalid_parameter"; readonly message: string }
  | Omit<Extract<Issue, { code: "invalid_pattern" }>, "path">
  | Omit<Extract<Issue, { code: "reserved_id" }>, "path">
  | Omit<Extract<Issue, { code: "duplicate_trait" }>, "path">;

declare const valueType: unique symbol;

/** The type of the values that a shape describes; for the compiler only. */
export interface Typed<Value> {
  readonly [valueType]?: () => Value;
}

/** The type of the values that a shape describes: `TypeOf<typeof CHECK_SHAPE>`. */
export type TypeOf<S> = S extends Typed<infer Value> ? Value : unknown;

/** A shape with the type of its values. */
export type ShapeOf<Value> = Shape & Typed<Value>;

export const text: StringShape & Typed<string> = { kind: "string" };
export const nonEmptyText: StringShape & Typed<string> = { kind: "string", nonEmpty: true };
export const number: NumberShape & Typed<number> = { kind: "number" };
export const integer: NumberShape & Typed<number> = { kind: "number", integer: true };
/** A number, or an expression that gives one. */
export const numberOrExpression: ShapeOf<number> = {
  kind: "either",
  options: [{ kind: "number" }, { kind: "string", expressionFor: "a number" }],
};
export const boolean: ShapeOf<boolean> = { kind: "boolean" };
export const json: ShapeOf<JsonValue> = { kind: "json" };
export const jsonObject: RecordShape & Typed<JsonObject> = { kind: "record", values: json };
export const nothing: ShapeOf<null> = { kind: "null" };
export const functionOrSource: FunctionShape = { kind: "function" };

/** A function of the type given, or its source text. */
export function code<Function>(): FunctionShape & Typed<Function | string> {
  return functionOrSource;
}

export function numberFrom(minimum: number): NumberShape & Typed<number> {
  return { kind: "number", minimum };
}

export function integerFrom(minimum: number): NumberShape & Typed<number> {
  return { kind: "number", integer: true, minimum };
}

/** One of these texts. */
export function oneOfTexts<const Text extends string>(
  ...values: readonly Text[]
): LiteralShape & Typed<Text> {
  return { kind: "literal", values };
}

export function list<const Items extends Shape>(
  items: Items,
  options: Pick<ArrayShape, "ifEmpty"> = {},
): ArrayShape & Typed<readonly TypeOf<Items>[]> {
  return { kind: "array", items, ...options };
}

/** An object with free keys. */
export function record<const Values extends Shape>(
  values: Values,
  options: Pick<RecordShape, "ifEmpty" | "single" | "otherForms"> = {},
): RecordShape & Typed<Readonly<Record<string, TypeOf<Values>>>> {
  return { kind: "record", values, ...options };
}

export function either<const Options extends readonly Shape[]>(
  ...options: Options
): EitherShape & Typed<TypeOf<Options[number]>> {
  return { kind: "either", options };
}

export function reference<const S extends Shape>(
  name: string,
  shape: () => S,
): ReferenceShape & Typed<TypeOf<S>> {
  return { kind: "reference", name, shape: lazy(shape) };
}

type Keys = Readonly<Record<string, Shape>>;
type Flat<Value> = { [Key in keyof Value]: Value[Key] };
type ObjectOf<Required, Optional> = Flat<
  { readonly [Key in keyof Required]: TypeOf<Required[Key]> } & {
    readonly [Key in keyof Optional]?: TypeOf<Optional[Key]>;
  }
>;

/** An object; the keys of `required` must be there, those of `optional` may. */
export function object<const Required extends Keys, const Optional extends Keys = Record<never, never>>(
  owner: string,
  required: Required,
  { optional, ...options }: ObjectOptions<Optional> = {},
): ObjectShape & Typed<ObjectOf<Required, Optional>> {
  return {
    kind: "object",
    owner,
    keys: keyShapes(required, optional),
    required: Object.keys(required),
    ...options,
  };
}

/** Shapes by key, without a prototype: `constructor` and the like are not among them. */
export function keyShapes(...parts: readonly (Keys | undefined)[]): ObjectShape["keys"] {
  return Object.assign(Object.create(null), ...parts) as ObjectShape["keys"];
}

interface ObjectOptions<Optional> extends Partial<Pick<ObjectShape, "rule" | "ifMissing" | "description">> {
  readonly optional?: Optional;
}

/** What an object of one `type` has besides it. */
interface VariantParts extends Partial<Pick<ObjectShape, "rule" | "description">> {
  readonly required?: Keys;
  readonly optional?: Keys;
}

/** The types of the objects of a table of variants, by their `type`. */
export type VariantsOf<Table> = {
  readonly [Type in keyof Table]: Flat<
    { readonly type: Type } & ObjectOf<
      Table[Type] extends { readonly required: infer Required } ? Required : unknown,
      Table[Type] extends { readonly optional: infer Optional } ? Optional : unknown
    >
  >;
};

/** The shapes of objects that differ by their `type`. `owner` says what a sentence calls one of them. */
export function variantShapes<const Table extends Readonly<Record<string, VariantParts>>>(
  table: Table,
  owner: (type: string) => string = withArticle,
): { readonly [Type in keyof Table]: ObjectShape & Typed<VariantsOf<Table>[Type]> } {
  const shapes = Object.entries(table).map(([type, { required, ...options }]) => [
    type,
    object(owner(type), { type: oneOfTexts(type), ...required }, options),
  ]);
  // The entries have exactly the keys of the table, which `fromEntries` forgets.
  return Object.fromEntries(shapes);
}

function withArticle(type: string): string {
  return `${/^[aeiou]/.test(type) ? "an" : "a"} ${type}`;
}

/** One of several objects, by its `type`. */
export function variant<const Variants extends Readonly<Record<string, ObjectShape>>>(
  owner: string,
  variants: Variants,
): VariantShape & Typed<TypeOf<Variants[keyof Variants]>> {
  return { kind: "variant", owner, variants };
}

/** The same shape with a description for editors. */
export function described<S extends Shape>(shape: S, description: string): S {
  return { ...shape, description };
}
