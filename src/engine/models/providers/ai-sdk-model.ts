import type { JsonObject } from "../../../core/values/json.ts";
import { rememberSecrets } from "../../../system/secrets/mask-secrets.ts";
import {
  openData,
  openHeaders,
  secretDataValues,
  secretHeaderValues,
} from "../../../system/secrets/secret-data.ts";
import type { JudgeModel } from "../../grading/judge/judge-turn.ts";
import type { Model, ModelCard } from "../model.ts";
import { ModelError } from "../model-error.ts";
import { checkParameters, type ModelParameters } from "../model-parameters.ts";
import { parseRateLimitHints } from "../rate-limit-headers.ts";
import { abortedCall, toModelError } from "../to-model-error.ts";
import { callAiSdk } from "./ai-sdk-call.ts";
import type { AiSdkLanguageModel } from "./language-model.ts";

/** Options of a model of the AI SDK; by default, name and account come from the model itself. */
export interface AiSdkModelOptions {
  /** As reports show it. */
  readonly name?: string;
  /** Models with the same account share its limits. */
  readonly account?: string;
  /** What shapes replies besides request and parameters; never a secret. */
  readonly identity?: JsonObject;
  readonly parameters?: ModelParameters;
  /** The name of the model in the price library; null if calls cost nothing. */
  readonly price?: ModelCard["price"];
  /** Values that must not appear in any message. */
  readonly secrets?: readonly string[];
  /** The environment variable that holds the key, for advice. */
  readonly keyVariable?: string;
  /** The clock, for servers that say when to try again (default: the real one). */
  readonly now?: () => number;
}

/**
 * A model of the AI SDK. One call is one request; tools are offered, and the caller runs them.
 *
 * @example
 * aiSdkModel(openai("gpt-5-mini"), { parameters: { reasoning: "low" } })
 */
export function aiSdkModel(model: AiSdkLanguageModel, options: AiSdkModelOptions = {}): Model {
  const provider = model.provider.split(".")[0] ?? model.provider;
  const { name = `${provider}/${model.modelId}`, account = provider, keyVariable, now = Date.now } = options;
  const parameters = checkParameters(options.parameters, name);
  const secrets = [
    ...(options.secrets ?? []),
    ...secretHeaderValues(parameters.headers ?? {}),
    ...secretDataValues(parameters.providerOptions ?? {}),
  ];
  rememberSecrets(secrets);
  return {
    name,
    account,
    identity: {
      ...(options.identity ?? { provider, model: model.modelId }),
      parameters: openParameters(parameters),
    },
    ...(options.price === undefined ? {} : { price: options.price }),
    asJudge: () => aiSdkModel(model, { ...options, parameters: judgeParameters(parameters) }),
    withParameters: (more) =>
      aiSdkModel(model, { ...options, name, account, parameters: { ...parameters, ...more } }),
    async reply(request, { signal, replicate, headers: context }) {
      if (signal.aborted) throw abortedCall(signal, name);
      try {
        const { reply, headers, isMissing } = await callAiSdk(model, request, {
          parameters: forReplicate(parameters, replicate),
          headers: context,
          signal,
          schemaName: "reply",
        });
        // Some libraries accept any JSON as an answer without content.
        if (isMissing)
          throw new ModelError("bad_response", `${name} sent no answer, and no reason for that.`);
        const rateLimit = parseRateLimitHints(headers, now());
        return rateLimit === undefined ? reply : { ...reply, rateLimit };
      } catch (error) {
        throw toModelError(error, { name, signal, secrets, keyVariable, now: now() });
      }
    },
  };
}

/** Without what shapes the replies of a subject: a judge must neither be cut off nor vary. */
function judgeParameters({
  reasoning,
  structured,
  headers,
  providerOptions,
}: ModelParameters): ModelParameters {
  const kept = Object.entries({ reasoning, structured, headers, providerOptions });
  return Object.fromEntries(kept.filter(([, value]) => value !== undefined));
}

/** Parameters as they are written down. */
function openParameters({ headers, providerOptions, ...parameters }: ModelParameters): JsonObject {
  // All parameters are JSON, and those that are undefined have been left out.
  return {
    ...parameters,
    ...(providerOptions === undefined ? {} : { providerOptions: openData(providerOptions) }),
    ...(headers === undefined ? {} : { headers: openHeaders(headers) }),
  } as JsonObject;
}

/** With one seed for all, every replicate would be the same answer again. */
function forReplicate(parameters: ModelParameters, replicate: number): ModelParameters {
  const { seed } = parameters;
  return seed === undefined ? parameters : { ...parameters, seed: seed + replicate - 1 };
}

/** How a model is called as a judge; what is not given is left to the provider. */
export type AiSdkJudgeOptions = ModelParameters;

/**
 * A judge from a model of the AI SDK. An answer that does not follow the schema is returned as it is, so that it can be
 * repaired; errors of the provider and the network are thrown, without retry.
 *
 * @example
 * aiSdkJudge(openai("gpt-5-mini"), { maxOutputTokens: 2000 })
 */
export function aiSdkJudge(model: AiSdkLanguageModel, options: AiSdkJudgeOptions = {}): JudgeModel {
  const parameters = checkParameters(options, `${model.provider}/${model.modelId}`);
  return async (request, { signal }) => {
    const { reply } = await callAiSdk(model, request, { parameters, signal, schemaName: "judgement" });
    const { text, object, usage } = reply;
    return {
      text,
      ...(object === undefined ? {} : { object }),
      ...(usage === undefined
        ? {}
        : { usage: { inputTokens: usage.inputTokens, outputTokens: usage.outputTokens } }),
    };
  };
}
