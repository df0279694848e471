/** A step that makes texts comparable; `mapping` is accepted as another word for `synonyms`. */
export type Normalizer =
  | "lowercase"
  | "strip"
  | "remove_punctuation"
  | "collapse_whitespace"
  | "unicode"
  | { readonly synonyms: Readonly<Record<string, string>> }
  | { readonly mapping: Readonly<Record<string, string>> };

export type Decay = "linear" | "quadratic";
export type DistanceMode = "relative" | "absolute";

interface CheckParameters {
  boolean_match: object;
  exact_match: { readonly normalize?: readonly Normalizer[] };
  contains_any: { readonly substrings: readonly string[]; readonly normalize?: readonly Normalizer[] };
  contains_all: { readonly substrings: readonly string[]; readonly normalize?: readonly Normalizer[] };
  regex_match: { readonly pattern: string; readonly flags?: string };
  numeric_exact: object;
  numeric_tolerance: { readonly tolerance: number; readonly mode?: DistanceMode };
  numeric_range: {
    readonly min?: number;
    readonly max?: number;
    readonly exclusiveMin?: boolean;
    readonly exclusiveMax?: boolean;
  };
  numeric_minimum: { readonly exclusive?: boolean };
  numeric_maximum: { readonly exclusive?: boolean };
  numeric_graded: {
    readonly cutoff: number;
    readonly fullCredit?: number;
    readonly mode?: DistanceMode;
    readonly decay?: Decay;
  };
  numeric_range_graded: {
    readonly min: number;
    readonly max: number;
    readonly margin: number;
    readonly mode?: DistanceMode;
    readonly decay?: Decay;
    readonly exclusiveMin?: boolean;
    readonly exclusiveMax?: boolean;
  };
  numeric_threshold_graded: {
    readonly direction: "max" | "min";
    readonly margin: number;
    readonly mode?: DistanceMode;
    readonly decay?: Decay;
    readonly exclusive?: boolean;
  };
  set_containment: {
    readonly mode?: "exact" | "subset" | "superset" | "overlap";
    readonly minOverlap?: number;
  };
  ordered_match: { readonly normalize?: readonly Normalizer[] };
  literal_match: object;
  date_match: { readonly format?: string };
  date_tolerance: { readonly tolerance: number; readonly unit?: "days" | "hours" | "minutes" };
  date_range: { readonly min?: string; readonly max?: string };
  trace_regex: { readonly pattern: string; readonly countMin?: number };
  trace_contains: { readonly substring: string };
  trace_length: { readonly min?: number; readonly max?: number; readonly unit?: "chars" | "words" };
  one_of: {
    readonly values: readonly (string | number | boolean)[];
    readonly normalize?: readonly Normalizer[];
  };
  is_null: object;
  semantic_match: { readonly threshold?: number };
}

/** The name of a check, as it stands in files. */
export type CheckType = keyof CheckParameters;

/** The parameters of the check of one type: its data without `type`. */
export type ParametersOf<Type extends CheckType> = CheckParameters[Type];

/** The check of one type, as data. */
export type CheckOf<Type extends CheckType> = { readonly type: Type } & CheckParameters[Type];

/** A small serialisable comparison: `{ type: "numeric_range", min: 3 }`. */
export type Check = { [Type in CheckType]: CheckOf<Type> }[CheckType];
