import { nearestOf } from "../../core/schema/nearest-name.ts";
import { isRecord, type JsonObject, typeName } from "../../core/values/json.ts";
import { ModelError } from "./model-error.ts";

/** How hard a model thinks before it answers; what its provider calls it is found by the AI SDK. */
export type ReasoningEffort =
  | "provider-default"
  | "none"
  | "minimal"
  | "low"
  | "medium"
  | "high"
  | "xhigh"
  | "max";

/** How a model is called; what is not given is left to the provider. */
export interface ModelParameters {
  readonly temperature?: number;
  readonly maxOutputTokens?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  readonly stopSequences?: readonly string[];
  /** For the first replicate; each further one gets the next number, so that replicates differ. */
  readonly seed?: number;
  readonly reasoning?: ReasoningEffort;
  /** False for models without structured output: a schema is then left to the words of the prompt (default true). */
  readonly structured?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  /** By provider, as the AI SDK has it: `{ openai: { serviceTier: "flex" } }`. */
  readonly providerOptions?: Readonly<Record<string, JsonObject>>;
}

interface Rule {
  readonly expected: string;
  readonly holds: (value: unknown) => boolean;
}

const EFFORTS: readonly unknown[] = [
  "provider-default",
  "none",
  "minimal",
  "low",
  "medium",
  "high",
  "xhigh",
  "max",
] satisfies readonly ReasoningEffort[];

const isText = (value: unknown): boolean => typeof value === "string";
const NUMBER: Rule = { expected: "a number", holds: Number.isFinite };
const COUNT: Rule = {
  expected: "an integer from 1 and up",
  holds: (value) => Number.isSafeInteger(value) && (value as number) > 0,
};

const RULES: { readonly [Name in keyof Required<ModelParameters>]: Rule } = {
  temperature: {
    expected: "a number from 0 and up",
    holds: (value) => Number.isFinite(value) && (value as number) >= 0,
  },
  maxOutputTokens: COUNT,
  topP: {
    expected: "a number from 0 to 1",
    holds: (value) => Number.isFinite(value) && (value as number) >= 0 && (value as number) <= 1,
  },
  topK: COUNT,
  presencePenalty: NUMBER,
  frequencyPenalty: NUMBER,
  stopSequences: {
    expected: "an array of strings",
    holds: (value) => Array.isArray(value) && value.every(isText),
  },
  seed: { expected: "an integer", holds: Number.isSafeInteger },
  reasoning: { expected: `one of ${EFFORTS.join(", ")}`, holds: (value) => EFFORTS.includes(value) },
  structured: { expected: "true or false", holds: (value) => typeof value === "boolean" },
  headers: {
    expected: "an object of strings",
    holds: (value) => isRecord(value) && Object.values(value).every(isText),
  },
  providerOptions: {
    expected: "an object with an object for each provider",
    holds: (value) => isRecord(value) && Object.values(value).every(isRecord),
  },
};

/** The parameters without what is undefined; throws a `ModelError` that names what is wrong. */
export function checkParameters(parameters: unknown, model: string): ModelParameters {
  const wrong = (problem: string): ModelError =>
    new ModelError("bad_request", `The parameters of ${model} are wrong: ${problem}`);
  if (parameters === undefined) return {};
  if (!isRecord(parameters)) throw wrong(`expected an object, got ${typeName(parameters)}.`);
  const checked: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(parameters)) {
    if (!Object.hasOwn(RULES, name)) {
      const { nearest } = nearestOf(name, Object.keys(RULES));
      const hint =
        nearest === undefined ? `Known are ${Object.keys(RULES).join(", ")}.` : `Did you mean "${nearest}"?`;
      throw wrong(`there is no parameter "${name}". ${hint}`);
    }
    if (value === undefined) continue;
    // The name has just been looked up.
    const { expected, holds } = RULES[name as keyof ModelParameters];
    if (!holds(value)) {
      throw wrong(
        `expected \`${name}\` to be ${expected}, got \`${shown(name, value)}\` (${typeName(value)}).`,
      );
    }
    checked[name] = value;
  }
  // Every key and value has been checked.
  return checked as ModelParameters;
}

/** Headers may hold keys, so their values are never shown. */
function shown(name: string, value: unknown): string {
  if (name === "headers" || name === "providerOptions") return "…";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
