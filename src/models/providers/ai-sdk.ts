import type { JudgeModel } from "../../grading/judge/judge-turn.ts";
import { checkParameters, type ModelParameters } from "../model-parameters.ts";
import { callAiSdk } from "./ai-sdk-call.ts";
import type { AiSdkLanguageModel } from "./language-model.ts";

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
