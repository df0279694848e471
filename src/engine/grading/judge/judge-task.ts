import { type JudgedTrait, type MetricTrait, scoreRange } from "../../../core/templates/rubric.ts";
import type { FieldType, ScalarType, TemplateField } from "../../../core/templates/template.ts";
import { isReservedKey } from "../../../core/values/json.ts";

/** What a judge may know of a field: no truth, check, weight or rule. */
export type AskedField = FieldType & Pick<TemplateField, "description" | "hint" | "evidence" | "optional">;

/** A field that the judge reads, and the key of its answer. */
export interface TaskField {
  readonly name: string;
  readonly key: string;
  readonly field: AskedField;
}

/** A trait that the judge answers, and the key of its answer. */
export interface TaskTrait {
  readonly name: string;
  readonly key: string;
  readonly trait: JudgedTrait;
}

/** What a request asks the judge for. */
export interface JudgeTask {
  readonly fields: readonly TaskField[];
  readonly traits: readonly TaskTrait[];
  readonly refusal: boolean;
}

/** The task of reading fields and answering traits, with the keys of their answers. */
export function judgeTask({
  fields = {},
  traits = [],
  refusal = false,
}: {
  readonly fields?: Readonly<Record<string, TemplateField>>;
  readonly traits?: readonly JudgedTrait[];
  readonly refusal?: boolean;
}): JudgeTask {
  const fieldKeys = answerKeys(Object.keys(fields), "field");
  const traitKeys = answerKeys(
    traits.map(({ name }) => name),
    "trait",
  );
  return {
    fields: Object.entries(fields).map(([name, field], index) => ({
      name,
      key: fieldKeys[index] as string,
      field: askedField(field),
    })),
    traits: traits.map((trait, index) => ({ name: trait.name, key: traitKeys[index] as string, trait })),
    refusal,
  };
}

function askedField({
  truth: _,
  check: __,
  weight: ___,
  extract: ____,
  ...field
}: TemplateField): AskedField {
  return field;
}

/** The instructions of a metric trait with the keys of their answers, expected ones first. */
export function metricItems(trait: MetricTrait): readonly { readonly key: string; readonly text: string }[] {
  return [
    ...trait.expected.map((text, index) => ({ key: `expected_${index + 1}`, text })),
    ...(trait.unexpected ?? []).map((text, index) => ({ key: `unexpected_${index + 1}`, text })),
  ];
}

/** Keys that every provider accepts in a schema; Anthropic refuses all others. */
const PORTABLE_KEY = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * The keys under which a judge answers, one per name: the name itself if it can be a key everywhere, else a number
 * with the prefix (`field_2`). The same names in the same order give the same keys.
 */
export function answerKeys(names: readonly string[], prefix: string): readonly string[] {
  const taken = new Set(names);
  const used = new Set<string>();
  return names.map((name, index) => {
    let key = name;
    if (!PORTABLE_KEY.test(name) || isReservedKey(name) || used.has(name)) {
      key = `${prefix}_${index + 1}`;
      while (taken.has(key) || used.has(key)) key += "_";
    }
    used.add(key);
    return key;
  });
}

type PlainType = Exclude<ScalarType["type"], "enum">;

const ONE: Readonly<Record<PlainType, string>> = {
  boolean: "true, false or null",
  string: "text or null",
  integer: "a whole number or null",
  number: "a number or null",
  date: 'a date as "YYYY-MM-DD" or null',
};

const MANY: Readonly<Record<PlainType, string>> = {
  boolean: "a list of true and false, or null",
  string: "a list of texts, or null",
  integer: "a list of whole numbers, or null",
  number: "a list of numbers, or null",
  date: 'a list of dates as "YYYY-MM-DD", or null',
};

/** What a field may hold, in the words that a judge reads in the request and in problems with its answer. */
export function fieldWords(type: FieldType): string {
  if (type.type === "enum") return `one of ${listed(type.values)}, or null`;
  if (type.type !== "array") return ONE[type.type];
  const { items } = type;
  return items.type === "enum" ? `a list with any of ${listed(items.values)}, or null` : MANY[items.type];
}

/** What may be answered to a trait, in words; for a metric, to each of its items. */
export function traitWords(trait: JudgedTrait): string {
  if (trait.type === "metric" || trait.kind === "boolean") return ONE.boolean;
  if (trait.kind === "literal") return `one of ${listed(Object.keys(trait.classes))}, or null`;
  const { min, max } = scoreRange(trait);
  return `a whole number from ${min} to ${max}, or null`;
}

/** Describes a value that was given instead of the expected one, without repeating it. */
export function givenWords(given: unknown): string {
  if (given === null) return "null";
  if (Array.isArray(given)) return "a list";
  switch (typeof given) {
    case "string":
      return "other text";
    case "number":
      return "another number";
    case "boolean":
      return String(given);
    default:
      return "an object";
  }
}

function listed(values: readonly (string | number)[]): string {
  return values.map((value) => JSON.stringify(value)).join(", ");
}
