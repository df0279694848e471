import type { Check } from "../../core/checks/check.ts";
import { DEFAULT_NORMALIZERS } from "../../core/checks/normalize.ts";
import type { JsonObject, JsonValue } from "../../core/values/json.ts";
import type { Primitive } from "./declared-template.ts";
import { NotTranslatable, PRIMITIVES } from "./primitives.ts";
import { pythonPattern } from "./regex-to-python.ts";
import { TRACE_HEADER } from "./trace-header.ts";

/** A comparison in karenina's words. */
export interface WrittenComparison {
  readonly verify_with: Primitive;
  readonly expected: JsonValue;
}

const CLASSES: ReadonlyMap<string, string> = new Map(
  Object.entries(PRIMITIVES).map(([name, { check }]) => [check, name]),
);

/** The primitive that means the same as a check with what it expects. Throws `NotTranslatable`. */
export function writeComparison(check: Check, expected: JsonValue): WrittenComparison {
  switch (check.type) {
    case "is_null":
      return { verify_with: { type: "LiteralMatch" }, expected: null };
    case "one_of": {
      // Upstream has no such check: synonyms take every value to the first of them.
      const values = check.values.map(String);
      const [first] = values;
      if (first === undefined) throw new NotTranslatable("one_of without values");
      const steps = check.normalize ?? DEFAULT_NORMALIZERS;
      const mapping = Object.fromEntries(
        values.map((value) => [normalized(value, steps), normalized(first, steps)]),
      );
      return {
        verify_with: { type: "ExactMatch", normalize: [...written(steps), { mapping }] },
        expected: first,
      };
    }
    default:
      return { verify_with: writeCheck(check), expected };
  }
}

/** Only the steps that texts of values can need to be looked up by a synonym map. */
function normalized(text: string, steps: readonly unknown[]): string {
  let result = text;
  for (const step of steps) {
    if (step === "lowercase") result = result.toLowerCase();
    else if (step === "strip") result = result.trim();
    else throw new NotTranslatable("one_of with these normalisers has no counterpart");
  }
  return result;
}

/** The class of a check, with its parameters in karenina's names. */
function writeCheck(check: Check): Primitive {
  const { type, ...parameters } = check as Check & JsonObject;
  const name = CLASSES.get(type);
  if (name === undefined) throw new NotTranslatable(`the check ${type} has no counterpart`);
  const own = PRIMITIVES[name] as (typeof PRIMITIVES)[string];
  const entries = Object.entries(own.parameters).flatMap(([key, { name: here }]) => {
    const value = (parameters as JsonObject)[here];
    return value === undefined || value === null
      ? []
      : [[key, REWRITES[name]?.[key]?.(value, parameters) ?? value]];
  });
  return { type: name, ...EXTRAS[name]?.(parameters), ...Object.fromEntries(entries) };
}

type Rewrite = (value: JsonValue, parameters: JsonObject) => JsonValue;

const NORMALIZE: Rewrite = (value) => written(value as readonly unknown[]);

/** Parameters that need more than another name. */
const REWRITES: Readonly<Record<string, Readonly<Record<string, Rewrite>>>> = {
  ExactMatch: { normalize: NORMALIZE },
  OrderedMatch: { normalize: NORMALIZE },
  ContainsAny: { normalize: NORMALIZE },
  ContainsAll: { normalize: NORMALIZE },
  RegexMatch: {
    pattern: (value, { flags }) => patternOf(value, typeof flags === "string" ? flags : ""),
    flags: (value) => [...String(value)].map((flag) => FLAG_NAMES[flag] ?? flag),
  },
  TraceRegex: { pattern: (value) => patternOf(value, "", true) },
  TraceLength: { min: withHeader, max: withHeader },
  DateMatch: { format: (value) => strptimeFormat(String(value)) },
  DateRange: { max: (value) => String(value).replace(/T00:00:00$/, "") },
};

/** Parameters that upstream needs and ours leave to the default of another name. */
const EXTRAS: Readonly<Record<string, (parameters: JsonObject) => JsonObject>> = {
  DateRange: ({ max }) => {
    if (typeof max === "string" && /^\d{4}-\d{2}-\d{2}$/.test(max))
      throw new NotTranslatable("a maximum that includes the whole day has no counterpart; write a time");
    return {};
  },
};

const FLAG_NAMES: Readonly<Record<string, string>> = { i: "IGNORECASE", m: "MULTILINE", s: "DOTALL" };

function patternOf(value: JsonValue, flags: string, seesHeader = false): string {
  const result = pythonPattern(String(value), { flags, seesHeader });
  if (typeof result === "string") return result;
  throw new NotTranslatable(`the pattern ${JSON.stringify(value)}: ${result.problem}`);
}

function withHeader(value: JsonValue, { unit }: JsonObject): JsonValue {
  const header = unit === "words" ? TRACE_HEADER.trim().split(/\s+/).length : TRACE_HEADER.length;
  return Number(value) + header;
}

/** Normalisers in karenina's names; `unicode` has none. */
export function written(steps: readonly unknown[]): JsonValue[] {
  return steps.map((step) => {
    if (step === "unicode") throw new NotTranslatable("the normaliser unicode has no counterpart");
    if (typeof step === "string") return step;
    const { synonyms, mapping } = step as { readonly synonyms?: JsonObject; readonly mapping?: JsonObject };
    return { mapping: (synonyms ?? mapping) as JsonObject };
  });
}

const DIRECTIVES: Readonly<Record<string, string>> = {
  yyyy: "%Y",
  yy: "%y",
  MMMM: "%B",
  MMM: "%b",
  MM: "%m",
  dd: "%d",
  HH: "%H",
  mm: "%M",
  ss: "%S",
};

function strptimeFormat(format: string): string {
  return format.replace(/'([^']*)'|([a-zA-Z])\2*/g, (token, quoted?: string) => {
    if (quoted !== undefined) return quoted;
    const directive = DIRECTIVES[token];
    if (directive === undefined) throw new NotTranslatable(`the date token ${token} has no counterpart`);
    return directive;
  });
}
