import type { JsonObject, JsonValue } from "../../core/values/json.ts";

/** A declarative answer template, as its author wrote it in Python. */
export interface PythonTemplate {
  readonly className: string;
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
  readonly hasDefault: boolean;
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
