export type { ExtractedField } from "../../core/templates/extract-rule.ts";
export { mergeRubrics, type RubricPart, type TraitClash } from "../../core/templates/rubric.ts";
export { templateToZod } from "../../core/templates/template.ts";
export {
  assessReply,
  type ReplyAssessment,
  type ReplyToAssess,
} from "../../engine/grading/judge/assess-reply.ts";
export type { EarlierTurn, JudgeRequest, Judging } from "../../engine/grading/judge/judge-request.ts";
export type {
  JudgeAnswer,
  JudgeCall,
  JudgeModel,
  JudgementPart,
  JudgeUsage,
} from "../../engine/grading/judge/judge-turn.ts";
export { extractFields } from "../../engine/grading/reading/extract-value.ts";
export type { MetricDetails, TraitResult } from "../../engine/grading/verify/trait-value.ts";
export {
  type FieldVerdict,
  type Verification,
  type VerificationContext,
  verifyParsed,
} from "../../engine/grading/verify/verify-parsed.ts";
