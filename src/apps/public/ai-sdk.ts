export type { ModelParameters, ReasoningEffort } from "../../engine/models/model-parameters.ts";
export {
  type AiSdkJudgeOptions,
  type AiSdkModelOptions,
  aiSdkJudge,
  aiSdkModel,
} from "../../engine/models/providers/ai-sdk-model.ts";
export type { AiSdkLanguageModel } from "../../engine/models/providers/language-model.ts";
