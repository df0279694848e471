export { type AiSdkJudgeOptions, aiSdkJudge } from "./ai-sdk-judge.ts";
export { type AiSdkModelOptions, aiSdkModel } from "./ai-sdk-model.ts";
export type { ModelParameters, ReasoningEffort } from "./model-parameters.ts";
export type { AiSdkLanguageModel } from "./quiet-model.ts";
