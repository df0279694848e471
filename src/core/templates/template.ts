import type { Check } from "../checks/check.ts";
import { usesTruth } from "../checks/evaluate-check.ts";
import type { Composed } from "../logic/composition.ts";
import type { Truth } from "../logic/kleene.ts";
import type { StateCheck, StateShorthand } from "../state/condition.ts";
import type { ScenarioState } from "../state/state.ts";
import { resolvePath } from "../state/state-path.ts";
import { isRecord, type JsonValue, ownValue } from "../values/json.ts";
import type { ExtractRule } from "./extract-rule.ts";

/** A truth, and how to compare with it in this case. */
export interface CaseTruth {
  readonly truth: JsonValue;
  readonly check?: Check;
}

/** A truth that depends on the past: the value at a path of the state selects the case. */
export interface TruthFrom {
  readonly from: string;
  /** By the text of the value: `{ "A": "B", "true": { truth: 3, check: … } }`. */
  readonly cases: Readonly<Record<string, JsonValue | CaseTruth>>;
  /** For every other value, and for none. Without it there is then no truth, and the field is null. */
  readonly otherwise?: JsonValue | CaseTruth;
}

/**
 * A truth that depends on what was said before.
 *
 * @example
 * truthFrom("node_results.ask.parsed.letter", { cases: { A: "B", B: "A" }, otherwise: "A" })
 */
export function truthFrom(path: string, options: Pick<TruthFrom, "cases" | "otherwise">): TruthFrom {
  return { from: path, ...options };
}

/** True if a truth depends on the past; plain truths are never objects with `from`. */
export function isTruthFrom(truth: JsonValue | TruthFrom | undefined): truth is TruthFrom {
  return isRecord(truth) && Object.hasOwn(truth, "from");
}

/** The truth in a state, or undefined if there is none or no case applies. */
export function resolveTruth(
  truth: JsonValue | TruthFrom | undefined,
  state: ScenarioState,
): CaseTruth | undefined {
  if (truth === undefined) return undefined;
  if (!isTruthFrom(truth)) return { truth };
  const value = resolvePath(truth.from, state);
  const chosen = value === null ? undefined : ownValue(truth.cases, String(value));
  // Null is a truth, too: only a case that is missing gives way.
  const found = (chosen === undefined ? truth.otherwise : chosen) as JsonValue | CaseTruth | undefined;
  if (found === undefined) return undefined;
  return isCaseTruth(found) ? found : { truth: found };
}

/** True for a case that brings its own check. */
export function isCaseTruth(value: JsonValue | CaseTruth): value is CaseTruth {
  return isRecord(value) && Object.hasOwn(value, "truth");
}

/** What kind of value a field holds, apart from lists. */
export type ScalarType =
  | { readonly type: "boolean" | "string" | "integer" | "number" | "date" }
  | { readonly type: "enum"; readonly values: readonly (string | number)[] };

/** What kind of value a field holds. */
export type FieldType = ScalarType | { readonly type: "array"; readonly items: ScalarType };

/** What can be said of a field besides its type. */
export interface FieldOptions {
  /** What the reader of the reply should look for. */
  readonly description: string;
  /**
   * The right value, or where it depends on what was said before; compared by code, never shown to a model. A field without one is read,
   * and may be routed on, but makes no verdict.
   */
  readonly truth?: JsonValue | TruthFrom;
  /** How the value is compared; the default follows from the type. */
  readonly check?: Check;
  /** Share of the field in the template's score (default 1). */
  readonly weight?: number;
  /** Further help for the judge. */
  readonly hint?: string;
  /** A rule that reads the field without a judge. */
  readonly extract?: ExtractRule;
  /** True to ask the judge for a verbatim quote, which code then looks for in the reply. */
  readonly evidence?: boolean;
}

/** One typed field that is read out of a free reply and compared with the truth. */
export type TemplateField = FieldType &
  FieldOptions & {
    /** True if the field may be null because the reply need not state it. */
    readonly nullable?: boolean;
    /** True if the field may be missing. */
    readonly optional?: boolean;
  };

/** Fields by name. */
export type TemplateFields = Readonly<Record<string, TemplateField>>;

/** The name of the field that a chain of keys begins with; a name with dots wins. */
export function fieldNamed(fields: TemplateFields, keys: readonly string[]): string | undefined {
  for (let taken = keys.length; taken > 0; taken--) {
    const name = keys.slice(0, taken).join(".");
    if (Object.hasOwn(fields, name)) return name;
  }
  return undefined;
}

/** A leaf in the `verify` composition of a template. */
export interface FieldLeaf {
  readonly type: "field";
  readonly field: string;
}

/** What a `verify` function is given besides the parsed fields. */
export interface VerifyContext {
  readonly reply: string;
  /** The verdict of each field by itself. */
  readonly results: Readonly<Record<string, Truth>>;
  /** From 1; missing outside of a conversation. */
  readonly turn?: number;
}

/** Decides from the parsed fields; null means that it cannot tell. */
export type VerifyFunction<Parsed = never> = (parsed: Parsed, context: VerifyContext) => Truth;

/** Which fields must be right. */
type VerifyRule = Composed<FieldLeaf> | string | VerifyFunction;

/** A condition over what was read of the reply: `{ "parsed.kind": "answer" }`, a list, or a composition. */
export type GateCondition = Composed<StateShorthand | StateCheck> | readonly (StateShorthand | StateCheck)[];

/** Says which replies are verified at all: the others are neither right nor wrong. */
export interface VerifyGate {
  readonly when: GateCondition;
  /** Which fields must be right where the gate is open (default: all). */
  readonly of?: VerifyRule;
}

/** The typed fields of an answer. `Parsed` is for the compiler only. */
export interface Template<Parsed = unknown> {
  readonly fields: TemplateFields;
  /** Which fields must be right: all of them unless said otherwise. With `{ when }`, only some replies are verified. */
  readonly verify?: VerifyRule | VerifyGate;
  /**
   * `"wrong"`: a field that was read and is neither right nor wrong, because the reply does not state it or it cannot be
   * compared, counts as wrong in the verdict. Without it the verdict is then null.
   */
  readonly undecided?: "wrong";
  readonly "~parsed"?: Parsed;
}

interface ValueByType {
  readonly boolean: boolean;
  readonly string: string;
  readonly integer: number;
  readonly number: number;
  readonly date: string;
}

type ScalarValue<Type> = Type extends { readonly type: "enum"; readonly values: readonly (infer Value)[] }
  ? Value
  : Type extends { readonly type: infer Name extends keyof ValueByType }
    ? ValueByType[Name]
    : never;

type FieldValue<Field> = Field extends { readonly "~value"?: infer Value }
  ? NonNullable<Value>
  : Field extends { readonly type: "array"; readonly items: infer Item }
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
  options: {
    readonly verify?: Composed<FieldLeaf> | string | VerifyFunction<ParsedOf<Fields>> | VerifyGate;
    readonly undecided?: "wrong";
  } = {},
): Template<ParsedOf<Fields>> {
  return { fields, ...options };
}

/** What says which replies of a template are verified; undefined if all are. */
export function gateOf({ verify }: Template): VerifyGate | undefined {
  return typeof verify === "object" && "when" in verify ? verify : undefined;
}

/** Which fields must be right; undefined if all must. */
export function verifyRuleOf({ verify }: Template): VerifyRule | undefined {
  return typeof verify === "object" && "when" in verify ? verify.of : verify;
}

/** A field as a part of `verify`: `anyOf(field("city"), field("country"))`. */
export function field(name: string): FieldLeaf {
  return { type: "field", field: name };
}

/** The fields that a judge must read: those without a rule of their own, and not those that look at the raw reply. */
export function judgedFields(template: Template): TemplateFields {
  const judged = Object.entries(template.fields).filter(
    ([, { extract, check }]) => extract === undefined && !isTraceCheck(check),
  );
  return Object.fromEntries(judged);
}

/** True for the checks that look at the raw reply instead of a parsed value. */
export function isTraceCheck(check: Check | undefined): boolean {
  return check?.type.startsWith("trace_") ?? false;
}

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

/** True if a field takes part in the verdict: it has a truth, or a check that needs none. */
export function isVerified({ truth, check }: Pick<TemplateField, "truth" | "check">): boolean {
  return truth !== undefined || (check !== undefined && !usesTruth(check));
}

/** The names of the fields that take part in the verdict. */
export function verifiedNames({ fields }: Template): readonly string[] {
  return Object.keys(fields).filter((name) => isVerified(fields[name] as TemplateField));
}

/** How a field is compared with its truth if the author does not say. */
export function defaultFieldCheck(field: FieldType): Check {
  return DEFAULTS[field.type];
}

/** A type that zod has built. */
interface BuiltZod {
  describe(description: string): BuiltZod;
  nullable(): BuiltZod;
  optional(): BuiltZod;
}

/** What is used of `z`, the same in all versions of zod 4. Arguments are of types of zod's own, which differ. */
interface ZodBuilder {
  boolean(): BuiltZod;
  string(): BuiltZod;
  int(): BuiltZod;
  number(): BuiltZod;
  readonly iso: { date(): BuiltZod };
  literal(values: never): BuiltZod;
  array(items: never): BuiltZod;
  object(fields: never): unknown;
}

/**
 * The zod object that a template's data stands for. `z` is yours, since this library does not load zod:
 * `templateToZod(template, z)`. A field made with `verified` from such a type is the same data again.
 */
export function templateToZod<Zod extends ZodBuilder>(template: Template, z: Zod): ReturnType<Zod["object"]> {
  const fields = Object.entries(template.fields).map(
    ([name, field]) => [name, fieldToZod(field, z)] as const,
  );
  // All fields are types that this zod has built.
  return z.object(Object.fromEntries(fields) as never) as ReturnType<Zod["object"]>;
}

function fieldToZod(field: TemplateField, z: ZodBuilder): BuiltZod {
  const type = typeToZod(field, z).describe(field.description);
  const nullable = field.nullable ? type.nullable() : type;
  return field.optional ? nullable.optional() : nullable;
}

function typeToZod(field: FieldType, z: ZodBuilder): BuiltZod {
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
      return z.literal(field.values as never);
    case "array":
      return z.array(typeToZod(field.items, z) as never);
  }
}
