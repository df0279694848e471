import { nearestOf } from "../../core/schema/nearest-name.ts";
import { isRecord, type JsonObject, ownValue, typeName } from "../../core/values/json.ts";
import { ModelError } from "./model-error.ts";

const EFFORTS = ["provider-default", "none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;

/** How hard a model thinks before it answers; what its provider calls it is found by the AI SDK. */
export type ReasoningEffort = (typeof EFFORTS)[number];

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

/** What a parameter is expected to be, and whether a value is that. */
type Rule = readonly [expected: string, holds: (value: unknown) => boolean];

const isText = (value: unknown): boolean => typeof value === "string";

function between(lowest: number, highest: number): (value: unknown) => boolean {
  return (value) => typeof value === "number" && value >= lowest && value <= highest;
}

const NUMBER: Rule = ["a number", Number.isFinite];
const COUNT: Rule = [
  "an integer from 1 and up",
  (value) => Number.isSafeInteger(value) && (value as number) > 0,
];

const RULES: { readonly [Name in keyof Required<ModelParameters>]: Rule } = {
  temperature: ["a number from 0 and up", between(0, Number.MAX_VALUE)],
  maxOutputTokens: COUNT,
  topP: ["a number from 0 to 1", between(0, 1)],
  topK: COUNT,
  presencePenalty: NUMBER,
  frequencyPenalty: NUMBER,
  stopSequences: ["an array of strings", (value) => Array.isArray(value) && value.every(isText)],
  seed: ["an integer", Number.isSafeInteger],
  reasoning: [`one of ${EFFORTS.join(", ")}`, (value) => EFFORTS.some((effort) => effort === value)],
  structured: ["true or false", (value) => typeof value === "boolean"],
  headers: ["an object of strings", (value) => isRecord(value) && Object.values(value).every(isText)],
  providerOptions: [
    "an object with an object for each provider",
    (value) => isRecord(value) && Object.values(value).every(isRecord),
  ],
};

/** The parameters without what is undefined; throws a `ModelError` that names what is wrong. */
export function checkParameters(parameters: unknown, model: string): ModelParameters {
  const wrong = (problem: string): ModelError =>
    new ModelError("bad_request", `The parameters of ${model} are wrong: ${problem}`);
  if (parameters === undefined) return {};
  if (!isRecord(parameters)) throw wrong(`expected an object, got ${typeName(parameters)}.`);
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  for (const [name, value] of given) {
    const rule = ownValue(RULES, name) as Rule | undefined;
    if (rule === undefined) {
      const { nearest } = nearestOf(name, Object.keys(RULES));
      const hint =
        nearest === undefined ? `Known are ${Object.keys(RULES).join(", ")}.` : `Did you mean "${nearest}"?`;
      throw wrong(`there is no parameter "${name}". ${hint}`);
    }
    const [expected, holds] = rule;
    if (holds(value)) continue;
    // Headers and options may hold keys.
    const isShown = name !== "headers" && name !== "providerOptions";
    const shown = !isShown ? "…" : typeof value === "object" ? JSON.stringify(value) : String(value);
    throw wrong(`expected \`${name}\` to be ${expected}, got \`${shown}\` (${typeName(value)}).`);
  }
  // Every key and value has been checked.
  return Object.fromEntries(given) as ModelParameters;
}
