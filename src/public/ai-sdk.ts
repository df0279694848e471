export type { ModelParameters, ReasoningEffort } from "../models/model-parameters.ts";
export { type AiSdkJudgeOptions, aiSdkJudge } from "../models/providers/ai-sdk.ts";
export { type AiSdkModelOptions, aiSdkModel } from "../models/providers/ai-sdk-model.ts";
export type { AiSdkLanguageModel } from "../models/providers/language-model.ts";
