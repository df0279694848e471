export type { ModelParameters, ReasoningEffort } from "../models/model-parameters.ts";
export {
  type AiSdkJudgeOptions,
  type AiSdkModelOptions,
  aiSdkJudge,
  aiSdkModel,
} from "../models/providers/ai-sdk-model.ts";
export type { AiSdkLanguageModel } from "../models/providers/language-model.ts";
