import { formatIssue } from "../../core/schema/format-issue.ts";
import {
  boolean,
  integer,
  integerFrom,
  jsonObject,
  list,
  number,
  numberFrom,
  object,
  oneOfTexts,
  record,
  type TypeOf,
  text,
} from "../../core/schema/shape.ts";
import { validateShape } from "../../core/schema/validate-shape.ts";
import { isRecord, withoutUndefined } from "../../core/values/json.ts";
import { redactSecrets } from "../../system/secrets/redact-secrets.ts";
import { ModelError } from "./model-error.ts";

const REASONING = oneOfTexts("provider-default", "none", "minimal", "low", "medium", "high", "xhigh", "max");

/** How hard a model thinks before it answers; what its provider calls it is found by the AI SDK. */
export type ReasoningEffort = TypeOf<typeof REASONING>;

const PARAMETERS = object(
  "a model",
  {},
  {
    optional: {
      temperature: numberFrom(0),
      maxOutputTokens: integerFrom(1),
      topP: numberFrom(0),
      topK: integerFrom(1),
      presencePenalty: number,
      frequencyPenalty: number,
      stopSequences: list(text),
      /** For the first replicate; each further one gets the next number, so that replicates differ. */
      seed: integer,
      reasoning: REASONING,
      /** False for models without structured output: a schema is then left to the words of the prompt (default true). */
      structured: boolean,
      headers: record(text),
      /** By provider, as the AI SDK has it: `{ openai: { serviceTier: "flex" } }`. */
      providerOptions: record(jsonObject),
    },
  },
);

/** How a model is called; what is not given is left to the provider. */
export type ModelParameters = TypeOf<typeof PARAMETERS>;

/** The parameters without what is undefined; throws a `ModelError` that names what is wrong. */
export function checkParameters(parameters: unknown, model: string): ModelParameters {
  const given = isRecord(parameters) ? withoutUndefined(parameters) : (parameters ?? {});
  const problems: string[] = [];
  validateShape(PARAMETERS, given, [], (issue) => problems.push(redactSecrets(formatIssue(issue))));
  if (problems.length > 0)
    throw new ModelError("bad_request", `The parameters of ${model} are wrong: ${problems.join(" ")}`);
  // The shape is just that.
  return given as ModelParameters;
}
