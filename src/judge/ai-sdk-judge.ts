import type { JSONSchema7, LanguageModel, LanguageModelUsage } from "ai";
import type { JsonObject } from "../value/json.ts";
import type { JudgeAnswer, JudgeModel } from "./judge-model.ts";

/** How a model is called as a judge; what is not given is left to the provider. */
export interface AiSdkJudgeOptions {
  /** False for models without structured output: the JSON is then read out of their text (default true). */
  readonly structured?: boolean;
  readonly temperature?: number;
  readonly maxOutputTokens?: number;
  readonly seed?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** By provider, as the AI SDK has it: `{ openai: { reasoningEffort: "low" } }`. */
  readonly providerOptions?: Readonly<Record<string, JsonObject>>;
}

type ProviderOptions = NonNullable<Parameters<typeof import("ai").generateText>[0]["providerOptions"]>;

/**
 * A judge from a model of the AI SDK. An answer that is not what was asked for is returned as it is, so that it can be
 * repaired; errors of the provider and the network are thrown, without a second try.
 *
 * @example
 * aiSdkJudge(openai("gpt-5-mini"), { maxOutputTokens: 2000 })
 */
export function aiSdkJudge(model: LanguageModel, options: AiSdkJudgeOptions = {}): JudgeModel {
  const { structured = true, headers, providerOptions, ...settings } = options;
  return async ({ instructions, messages, schema }, { signal }) => {
    // Takes 200 ms to load, so only those who judge pay for it.
    const { generateText, jsonSchema, NoObjectGeneratedError, NoOutputGeneratedError, Output } = await import(
      "ai"
    );
    const call = {
      ...settings,
      model,
      instructions,
      messages: [...messages],
      maxRetries: 0,
      ...(headers === undefined ? {} : { headers: { ...headers } }),
      // The same JSON, but the types of the AI SDK are not readonly.
      ...(providerOptions === undefined ? {} : { providerOptions: providerOptions as ProviderOptions }),
      ...(signal === undefined ? {} : { abortSignal: signal }),
    };
    if (!structured) {
      const { text, usage } = await generateText(call);
      return { text, ...reported(usage) };
    }
    // The same JSON again. Nothing is validated here: what is wrong must reach the judge in our words.
    const output = Output.object({ name: "judgement", schema: jsonSchema(schema as JSONSchema7) });
    try {
      const result = await generateText({ ...call, output });
      const answer = { text: result.text, ...reported(result.usage) };
      try {
        return { ...answer, object: result.output };
      } catch (error) {
        // Asking for the output throws if the model was cut off at once, or said no more than null.
        if (NoOutputGeneratedError.isInstance(error)) return answer;
        throw error;
      }
    } catch (error) {
      if (!NoObjectGeneratedError.isInstance(error)) throw error;
      return { text: error.text ?? "", ...reported(error.usage) };
    }
  };
}

function reported(usage: LanguageModelUsage | undefined): Pick<JudgeAnswer, "usage"> {
  const { inputTokens, outputTokens } = usage ?? {};
  return inputTokens === undefined || outputTokens === undefined
    ? {}
    : { usage: { inputTokens, outputTokens } };
}
