import type { Check } from "../../../core/checks/check.ts";
import { DEFAULT_NORMALIZERS } from "../../../core/checks/normalize.ts";
import {
  deepEqual,
  isRecord,
  type JsonObject,
  type JsonValue,
  withoutUndefined,
} from "../../../core/values/json.ts";
import { pythonPattern, TRACE_HEADER, translatePattern } from "./python-patterns.ts";

/** Something that cannot be translated exactly, and why. */
export class NotTranslatable extends Error {}

/** Data of a file without the keys that have no value. */
export function present(parts: Readonly<Record<string, unknown>>): JsonObject {
  return withoutUndefined(parts) as JsonObject;
}

/** Reports what an author should know about a translation that is exact in most cases only. */
export type Note = (message: string) => void;

/** The class of a comparison with its parameters, in the names of karenina. */
export type Primitive = JsonObject & { readonly type: string };

const TEXTS = { substrings: null, normalize: [] };
const GRADED = { mode: "relative", decay: "linear" };
const EXCLUSIVE = { exclusive_min: false, exclusive_max: false };

/**
 * The classes that compare, with their parameters and defaults; null is none. The check of the same meaning and its parameters
 * have the same names, but for case. Parameters are left out of files when they have their default.
 */
const PRIMITIVES: Readonly<Record<string, JsonObject>> = {
  BooleanMatch: {},
  ExactMatch: { normalize: DEFAULT_NORMALIZERS as unknown as JsonValue },
  ContainsAny: TEXTS,
  ContainsAll: TEXTS,
  RegexMatch: { pattern: null, flags: null },
  SemanticMatch: { threshold: 0.85 },
  NumericExact: {},
  NumericTolerance: { tolerance: null, mode: "relative" },
  NumericRange: { min: null, max: null, ...EXCLUSIVE },
  NumericMinimum: { exclusive: false },
  NumericMaximum: { exclusive: false },
  NumericGraded: { cutoff: null, full_credit: null, ...GRADED },
  NumericRangeGraded: { min: null, max: null, margin: null, mode: "absolute", decay: "linear", ...EXCLUSIVE },
  NumericThresholdGraded: { direction: null, margin: null, ...GRADED, exclusive: false },
  SetContainment: { mode: "exact", min_overlap: 1 },
  OrderedMatch: { normalize: DEFAULT_NORMALIZERS as unknown as JsonValue },
  LiteralMatch: {},
  DateMatch: { format: null },
  DateTolerance: { tolerance: null, unit: "days" },
  DateRange: { min: null, max: null },
  TraceRegex: { pattern: null, count_min: 1 },
  TraceContains: { substring: null },
  TraceLength: { min: null, max: null, unit: "chars" },
};

/** The name of a class in snake case. */
export function snakeCase(name: string): string {
  return name.replace(/(?<=[a-z])[A-Z]/g, "_$&").toLowerCase();
}

function camelCase(name: string): string {
  return name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

const CLASSES: ReadonlyMap<string, string> = new Map(
  Object.keys(PRIMITIVES).map((name) => [snakeCase(name), name]),
);

/** Parameters that need more than another name, in both directions; both have our names. */
interface Conversion {
  readonly read?: (parameters: JsonObject, note: Note) => JsonObject;
  readonly write?: (parameters: JsonObject) => JsonObject;
}

const NORMALIZED: Conversion = {
  write: ({ normalize, ...rest }) => ({
    ...rest,
    ...(Array.isArray(normalize) ? { normalize: writeNormalizers(normalize) } : {}),
  }),
};

const CONVERSIONS: Readonly<Record<string, Conversion>> = {
  ExactMatch: NORMALIZED,
  OrderedMatch: NORMALIZED,
  ContainsAny: NORMALIZED,
  ContainsAll: NORMALIZED,
  RegexMatch: {
    read: ({ pattern, flags }, note) =>
      patternHere(pattern, { flags: Array.isArray(flags) ? flags.map(String) : [] }, note),
    write: ({ pattern, flags }) => writePattern(pattern, flags),
  },
  TraceRegex: {
    read: ({ pattern, ...rest }, note) => ({ ...rest, ...patternHere(pattern, { seesHeader: true }, note) }),
    write: ({ pattern, ...rest }) => ({ ...rest, ...writePattern(pattern, undefined, true) }),
  },
  TraceContains: {
    read: ({ substring }) => {
      if (typeof substring !== "string") throw new NotTranslatable("a substring must be a text");
      refuseHeader(substring);
      return { substring };
    },
  },
  TraceLength: {
    read: ({ min, max, unit }) => {
      const header = headerLength(unit);
      if (typeof max === "number" && max < header)
        throw new NotTranslatable(`a max of ${max} is below the header of upstream's traces and never holds`);
      return present({
        min: typeof min === "number" ? Math.max(0, min - header) : undefined,
        max: typeof max === "number" ? max - header : undefined,
        unit: unit === "words" ? "words" : "chars",
      });
    },
    write: ({ min, max, unit }) => {
      const header = headerLength(unit);
      return present({
        min: typeof min === "number" ? min + header : undefined,
        max: typeof max === "number" ? max + header : undefined,
        unit,
      });
    },
  },
  SetContainment: {
    read: ({ minOverlap, ...rest }) => ({
      ...rest,
      ...(minOverlap === 0 ? {} : { minOverlap: minOverlap ?? 1 }),
    }),
  },
  DateMatch: {
    read: ({ format }) => (format === undefined ? {} : { format: dateFormat(String(format)) }),
    write: ({ format }) => (format === undefined ? {} : { format: strptimeFormat(String(format)) }),
  },
  DateRange: {
    // Upstream takes a bare date for its first moment; here it includes the whole day.
    read: ({ max, ...rest }) => ({
      ...rest,
      ...(max === undefined ? {} : { max: IS_DATE.test(String(max)) ? `${String(max)}T00:00:00` : max }),
    }),
    write: ({ max, ...rest }) => {
      if (typeof max === "string" && IS_DATE.test(max))
        throw new NotTranslatable("a maximum that includes the whole day has no counterpart; write a time");
      return { ...rest, ...(max === undefined ? {} : { max: String(max).replace(/T00:00:00$/, "") }) };
    },
  },
};

const IS_DATE = /^\d{4}-\d{2}-\d{2}$/;

function headerLength(unit: JsonValue | undefined): number {
  return unit === "words" ? TRACE_HEADER.trim().split(/\s+/).length : TRACE_HEADER.length;
}

/** The check that means the same as a primitive; `isStrict` refuses unknown parameters, as Python does in a template. */
export function toCheck({ type, ...given }: Primitive, note: Note, isStrict = false): Check {
  const defaults = Object.hasOwn(PRIMITIVES, type) ? PRIMITIVES[type] : undefined;
  if (defaults === undefined) throw new NotTranslatable(`${type} is not a comparison that karenina has`);
  const unknown = Object.keys(given).find((key) => !Object.hasOwn(defaults, key));
  if (isStrict && unknown !== undefined) throw new NotTranslatable(`${type} has no parameter ${unknown}`);
  const named = Object.entries(given)
    .filter(([key, value]) => Object.hasOwn(defaults, key) && (value ?? null) !== null)
    .map(([key, value]) => [camelCase(key), value as JsonValue] as const);
  const plain = Object.fromEntries(named);
  const own = new Map(Object.entries(defaults).map(([key, value]) => [camelCase(key), value]));
  const kept = Object.entries(CONVERSIONS[type]?.read?.(plain, note) ?? plain).filter(
    ([name, value]) => !deepEqual(value, own.get(name)),
  );
  // The shapes of parameters are validated with the rest of the scenario.
  return { type: snakeCase(type), ...Object.fromEntries(kept) } as unknown as Check;
}

/** A comparison in karenina's words. */
export interface WrittenComparison {
  readonly verify_with: Primitive;
  readonly expected: JsonValue;
}

/** The primitive that means the same as a check with what it expects. Throws `NotTranslatable`. */
export function writeComparison(check: Check, expected: JsonValue): WrittenComparison {
  if (check.type === "is_null") return { verify_with: { type: "LiteralMatch" }, expected: null };
  if (check.type === "one_of") {
    // Upstream has no such check: synonyms take every value to the first of them.
    const values = check.values.map(String);
    const [first] = values;
    if (first === undefined) throw new NotTranslatable("one_of without values");
    const steps = check.normalize ?? DEFAULT_NORMALIZERS;
    const mapping = Object.fromEntries(values.map((value) => [looked(value, steps), looked(first, steps)]));
    const normalize = [...writeNormalizers(steps), { mapping }];
    return { verify_with: { type: "ExactMatch", normalize }, expected: first };
  }
  const { type, ...given } = check as Check & JsonObject;
  const name = CLASSES.get(type);
  if (name === undefined) throw new NotTranslatable(`the check ${type} has no counterpart`);
  const parameters = CONVERSIONS[name]?.write?.(given as JsonObject) ?? (given as JsonObject);
  const written = Object.keys(PRIMITIVES[name] as JsonObject).flatMap((key) => {
    const value = parameters[camelCase(key)] ?? null;
    return value === null ? [] : [[key, value] as const];
  });
  return { verify_with: { type: name, ...Object.fromEntries(written) }, expected };
}

/** A text as a synonym map sees it, after these steps. */
function looked(text: string, steps: readonly unknown[]): string {
  let result = text;
  for (const step of steps) {
    if (step === "lowercase") result = result.toLowerCase();
    else if (step === "strip") result = result.trim();
    else throw new NotTranslatable("one_of with these normalisers has no counterpart");
  }
  return result;
}

/** Normalisers in karenina's names; `unicode` has none. */
export function writeNormalizers(steps: readonly unknown[]): JsonValue[] {
  return steps.map((step) => {
    if (step === "unicode") throw new NotTranslatable("the normaliser unicode has no counterpart");
    if (typeof step === "string") return step;
    const { synonyms, mapping } = step as { readonly synonyms?: JsonObject; readonly mapping?: JsonObject };
    return { mapping: (synonyms ?? mapping) as JsonObject };
  });
}

/** A pattern in our words, with its flags, if it has any. Throws `NotTranslatable`. */
export function patternHere(
  pattern: JsonValue | undefined,
  context: Parameters<typeof translatePattern>[1],
  note: Note,
): { readonly pattern: string; readonly flags?: string } {
  if (typeof pattern !== "string") throw new NotTranslatable("a pattern must be a text");
  const result = translatePattern(pattern, context);
  if ("problem" in result)
    throw new NotTranslatable(`the pattern ${JSON.stringify(pattern)} cannot be used: ${result.problem}`);
  for (const message of result.notes) note(`the pattern ${JSON.stringify(pattern)}: ${message}`);
  return { pattern: result.pattern, ...(result.flags === "" ? {} : { flags: result.flags }) };
}

const FLAG_NAMES: Readonly<Record<string, string>> = { i: "IGNORECASE", m: "MULTILINE", s: "DOTALL" };

/** A pattern with the names of its flags, as Python has them. Throws `NotTranslatable`. */
export function writePattern(
  pattern: JsonValue | undefined,
  flags: JsonValue | undefined,
  seesHeader = false,
): { readonly pattern: string; readonly flags?: string[] } {
  const letters = typeof flags === "string" ? flags : "";
  const result = pythonPattern(String(pattern), { flags: letters, seesHeader });
  if (typeof result !== "string")
    throw new NotTranslatable(`the pattern ${JSON.stringify(pattern)}: ${result.problem}`);
  return {
    pattern: result,
    ...(letters === "" ? {} : { flags: [...letters].map((flag) => FLAG_NAMES[flag] ?? flag) }),
  };
}

/** Refuses a text that upstream may find in the header of a trace, or from there into the reply. */
export function refuseHeader(text: string, header: string = TRACE_HEADER): void {
  for (let at = 0; at < header.length; at++) {
    const rest = header.slice(at);
    if (rest.startsWith(text) || text.startsWith(rest))
      throw new NotTranslatable(`${JSON.stringify(text)} may begin in the header of upstream's traces`);
  }
}

/** Directives of `strptime`, and our tokens. */
const DATE_PARTS: readonly (readonly [string, string])[] = [
  ...([
    ["%Y", "yyyy"],
    ["%y", "yy"],
    ["%B", "MMMM"],
    ["%b", "MMM"],
    ["%m", "MM"],
  ] as const),
  ...([
    ["%d", "dd"],
    ["%H", "HH"],
    ["%M", "mm"],
    ["%S", "ss"],
  ] as const),
];

function dateFormat(format: string): string {
  return format.replace(/%.|[A-Za-z]+/gs, (part) => {
    if (!part.startsWith("%")) return `'${part}'`;
    const token = DATE_PARTS.find(([directive]) => directive === part)?.[1];
    if (token !== undefined) return token;
    throw new NotTranslatable(`the date format ${format} uses ${part}, which has no counterpart`);
  });
}

function strptimeFormat(format: string): string {
  return format.replace(/'([^']*)'|([a-zA-Z])\2*/g, (part, quoted?: string) => {
    if (quoted !== undefined) return quoted;
    const directive = DATE_PARTS.find(([, token]) => token === part)?.[0];
    if (directive !== undefined) return directive;
    throw new NotTranslatable(`the date token ${part} has no counterpart`);
  });
}

/** True if Python takes a value for true. */
export function isTruthy(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isRecord(value)) return Object.keys(value).length > 0;
  return value !== null && value !== false && value !== 0 && value !== "";
}
