import type { Check } from "../../../core/checks/check.ts";
import { DEFAULT_NORMALIZERS } from "../../../core/checks/normalize.ts";
import { deepEqual, isRecord, type JsonObject, type JsonValue } from "../../../core/values/json.ts";
import { type TranslatedPattern, translatePattern } from "./python-regex.ts";
import { TRACE_HEADER } from "./trace-header.ts";

/** Something that cannot be translated exactly, and why. */
export class NotTranslatable extends Error {}

/** Reports what an author should know about a translation that is exact in most cases only. */
export type Note = (message: string) => void;

interface Parameter {
  /** The name here. */
  readonly name: string;
  /** Left out of files when it has this value. */
  readonly byDefault?: JsonValue;
}

const NORMALIZE: Parameter = { name: "normalize", byDefault: DEFAULT_NORMALIZERS as unknown as JsonValue };
const MODE: Parameter = { name: "mode", byDefault: "relative" };
const DECAY: Parameter = { name: "decay", byDefault: "linear" };
const FLAG = (name: string): Parameter => ({ name, byDefault: false });

/** The classes that compare, with the check of the same meaning and its parameters. */
export const PRIMITIVES: Readonly<
  Record<string, { readonly check: Check["type"]; readonly parameters: Readonly<Record<string, Parameter>> }>
> = {
  BooleanMatch: { check: "boolean_match", parameters: {} },
  ExactMatch: { check: "exact_match", parameters: { normalize: NORMALIZE } },
  ContainsAny: {
    check: "contains_any",
    parameters: { substrings: { name: "substrings" }, normalize: { name: "normalize", byDefault: [] } },
  },
  ContainsAll: {
    check: "contains_all",
    parameters: { substrings: { name: "substrings" }, normalize: { name: "normalize", byDefault: [] } },
  },
  RegexMatch: {
    check: "regex_match",
    parameters: { pattern: { name: "pattern" }, flags: { name: "flags" } },
  },
  SemanticMatch: {
    check: "semantic_match",
    parameters: { threshold: { name: "threshold", byDefault: 0.85 } },
  },
  NumericExact: { check: "numeric_exact", parameters: {} },
  NumericTolerance: {
    check: "numeric_tolerance",
    parameters: { tolerance: { name: "tolerance" }, mode: MODE },
  },
  NumericRange: {
    check: "numeric_range",
    parameters: {
      min: { name: "min" },
      max: { name: "max" },
      exclusive_min: FLAG("exclusiveMin"),
      exclusive_max: FLAG("exclusiveMax"),
    },
  },
  NumericMinimum: { check: "numeric_minimum", parameters: { exclusive: FLAG("exclusive") } },
  NumericMaximum: { check: "numeric_maximum", parameters: { exclusive: FLAG("exclusive") } },
  NumericGraded: {
    check: "numeric_graded",
    parameters: {
      cutoff: { name: "cutoff" },
      full_credit: { name: "fullCredit" },
      mode: MODE,
      decay: DECAY,
    },
  },
  NumericRangeGraded: {
    check: "numeric_range_graded",
    parameters: {
      min: { name: "min" },
      max: { name: "max" },
      margin: { name: "margin" },
      mode: { name: "mode", byDefault: "absolute" },
      decay: DECAY,
      exclusive_min: FLAG("exclusiveMin"),
      exclusive_max: FLAG("exclusiveMax"),
    },
  },
  NumericThresholdGraded: {
    check: "numeric_threshold_graded",
    parameters: {
      direction: { name: "direction" },
      margin: { name: "margin" },
      mode: MODE,
      decay: DECAY,
      exclusive: FLAG("exclusive"),
    },
  },
  SetContainment: {
    check: "set_containment",
    parameters: {
      mode: { name: "mode", byDefault: "exact" },
      min_overlap: { name: "minOverlap", byDefault: 1 },
    },
  },
  OrderedMatch: { check: "ordered_match", parameters: { normalize: NORMALIZE } },
  LiteralMatch: { check: "literal_match", parameters: {} },
  DateMatch: { check: "date_match", parameters: { format: { name: "format" } } },
  DateTolerance: {
    check: "date_tolerance",
    parameters: { tolerance: { name: "tolerance" }, unit: { name: "unit", byDefault: "days" } },
  },
  DateRange: { check: "date_range", parameters: { min: { name: "min" }, max: { name: "max" } } },
  TraceRegex: {
    check: "trace_regex",
    parameters: { pattern: { name: "pattern" }, count_min: { name: "countMin", byDefault: 1 } },
  },
  TraceContains: { check: "trace_contains", parameters: { substring: { name: "substring" } } },
  TraceLength: {
    check: "trace_length",
    parameters: {
      min: { name: "min" },
      max: { name: "max" },
      unit: { name: "unit", byDefault: "chars" },
    },
  },
};

/** The check that means the same as a primitive; `isStrict` refuses unknown parameters, as Python does in a template. */
export function toCheck(primitive: Primitive, note: Note, isStrict = false): Check {
  const { type, ...given } = primitive;
  const known = Object.hasOwn(PRIMITIVES, type) ? PRIMITIVES[type] : undefined;
  if (known === undefined) throw new NotTranslatable(`${type} is not a comparison that karenina has`);
  const entries = Object.entries(given).flatMap(([key, value]): [string, JsonValue][] => {
    const parameter = Object.hasOwn(known.parameters, key) ? known.parameters[key] : undefined;
    if (parameter === undefined) {
      if (isStrict) throw new NotTranslatable(`${type} has no parameter ${key}`);
      return [];
    }
    return value === undefined || value === null ? [] : [[parameter.name, value]];
  });
  const translated = TRANSLATIONS[type]?.(Object.fromEntries(entries), note) ?? Object.fromEntries(entries);
  const defaults = new Map(Object.values(known.parameters).map(({ name, byDefault }) => [name, byDefault]));
  const kept = Object.entries(translated).filter(([name, value]) => !deepEqual(value, defaults.get(name)));
  // The shapes of parameters are validated with the rest of the scenario.
  return { type: known.check, ...Object.fromEntries(kept) } as unknown as Check;
}

type Translation = (parameters: JsonObject, note: Note) => JsonObject;

/** What needs more than other names. */
const TRANSLATIONS: Readonly<Record<string, Translation>> = {
  RegexMatch: ({ pattern, flags }, note) =>
    patternAndFlags(patternHere(pattern, { flags: Array.isArray(flags) ? flags.map(String) : [] }, note)),
  TraceRegex: ({ pattern, ...rest }, note) => {
    const result = patternHere(pattern, { seesHeader: true }, note);
    if (result.touchesHeader && Number(rest.countMin ?? 1) > 1)
      throw new NotTranslatable("upstream counts its occurrences in the header of a trace, too");
    return { ...rest, pattern: result.pattern };
  },
  TraceLength: ({ min, max, unit }) => {
    const header = unit === "words" ? TRACE_HEADER.trim().split(/\s+/).length : TRACE_HEADER.length;
    if (typeof max === "number" && max < header)
      throw new NotTranslatable(
        `a max of ${max} is below the header of upstream's traces and can never hold`,
      );
    return {
      ...(typeof min === "number" ? { min: Math.max(0, min - header) } : {}),
      ...(typeof max === "number" ? { max: max - header } : {}),
      unit: unit === "words" ? "words" : "chars",
    };
  },
  TraceContains: ({ substring }, note) => {
    if (typeof substring !== "string") throw new NotTranslatable("a substring must be a text");
    const { pattern, touchesHeader } = patternHere(
      substring.replace(/[!-/:-@[-^{-~]/g, "\\$&"),
      { seesHeader: true },
      note,
    );
    return touchesHeader ? { type: "trace_regex", pattern } : { substring };
  },
  SetContainment: ({ minOverlap, ...rest }) => ({
    ...rest,
    ...(minOverlap === undefined || minOverlap === 0 ? {} : { minOverlap }),
  }),
  DateMatch: ({ format }) => (format === undefined ? {} : { format: dateFormat(String(format)) }),
  DateRange: ({ min, max }) => ({
    ...(min === undefined ? {} : { min }),
    // Upstream takes a bare date for its first moment; here it includes the whole day.
    ...(max === undefined
      ? {}
      : { max: /^\d{4}-\d{2}-\d{2}$/.test(String(max)) ? `${String(max)}T00:00:00` : max }),
  }),
};

/** A pattern with its flags, if it has any. */
export function patternAndFlags({ pattern, flags }: { readonly pattern: string; readonly flags: string }): {
  readonly pattern: string;
  readonly flags?: string;
} {
  return { pattern, ...(flags === "" ? {} : { flags }) };
}

/** A pattern in our words. Throws `NotTranslatable`. */
export function patternHere(
  pattern: JsonValue | undefined,
  context: Parameters<typeof translatePattern>[1],
  note: Note,
): Extract<TranslatedPattern, { readonly pattern: string }> {
  if (typeof pattern !== "string") throw new NotTranslatable("a pattern must be a text");
  const result = translatePattern(pattern, context);
  if ("problem" in result)
    throw new NotTranslatable(`the pattern ${JSON.stringify(pattern)} cannot be used: ${result.problem}`);
  for (const message of result.notes) note(`the pattern ${JSON.stringify(pattern)}: ${message}`);
  return result;
}

const DATE_DIRECTIVES: Readonly<Record<string, string>> = {
  Y: "yyyy",
  y: "yy",
  m: "MM",
  d: "dd",
  B: "MMMM",
  b: "MMM",
  H: "HH",
  M: "mm",
  S: "ss",
};

/** A format of `strptime` in our tokens. */
function dateFormat(format: string): string {
  return format.replace(/%(.)|([A-Za-z]+)/gs, (written, directive?: string, letters?: string) => {
    if (letters !== undefined) return `'${letters}'`;
    const token = DATE_DIRECTIVES[directive as string];
    if (token === undefined)
      throw new NotTranslatable(`the date format ${format} uses ${written}, which has no counterpart`);
    return token;
  });
}

/** True if Python takes a value for true. */
export function isTruthy(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isRecord(value)) return Object.keys(value).length > 0;
  return value !== null && value !== false && value !== 0 && value !== "";
}

/** The text that Python's `str` gives for plain values; null for lists and objects. */
export function pythonText(value: JsonValue): string | null {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "object") return null;
  return String(value);
}

/** A declarative answer template, as its author wrote it in Python. */
export interface PythonTemplate {
  readonly fields: readonly PythonField[];
  readonly strategy: PythonStrategy | null;
}

/** A field of a template. */
export interface PythonField {
  readonly name: string;
  readonly line: number;
  readonly type: PythonType;
  readonly isNullable: boolean;
  readonly description: string;
  readonly truth: PythonTruth;
  readonly verifyWith: Primitive;
  readonly weight: number;
  readonly hint: string | null;
}

export type PythonScalar =
  | { readonly type: "bool" | "str" | "int" | "float" }
  | { readonly type: "literal"; readonly values: readonly (string | number)[] };

export type PythonType = PythonScalar | { readonly type: "list"; readonly items: PythonScalar };

/** The class of a comparison with its parameters, in the names of karenina. */
export type Primitive = JsonObject & { readonly type: string };

export interface PythonCase {
  readonly value: JsonValue;
  readonly verifyWith: Primitive | null;
}

export type PythonTruth =
  | { readonly value: JsonValue }
  | {
      readonly source: string;
      readonly cases: ReadonlyMap<string, PythonCase>;
      readonly otherwise: PythonCase;
    };

export type PythonStrategy =
  | { readonly type: "all_of" | "any_of"; readonly conditions: readonly PythonStrategy[] }
  | { readonly type: "at_least_n"; readonly n: number; readonly conditions: readonly PythonStrategy[] }
  | { readonly type: "field"; readonly field: string };
