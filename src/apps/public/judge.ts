export type { ExtractedField } from "../../core/templates/extract-rule.ts";
export { mergeRubrics, type RubricPart, type TraitClash } from "../../core/templates/rubric.ts";
export { templateToZod } from "../../core/templates/template.ts";
export {
  krippendorffAlpha,
  type MeasurementLevel,
  type PanelAlpha,
  panelAlpha,
} from "../../engine/grading/judge/agreement.ts";
export {
  assessReply,
  type ReplyAssessment,
  type ReplyToAssess,
} from "../../engine/grading/judge/assess-reply.ts";
export {
  type EarlierTurn,
  type JudgeInput,
  type JudgeRequest,
  type Judging,
  judgeRequest,
  judgeRequests,
  repairRequest,
} from "../../engine/grading/judge/judge-request.ts";
export {
  type JudgeAnswer,
  type JudgeCall,
  type JudgeModel,
  type JudgeTurnOptions,
  type JudgeUsage,
  judgeTurn,
  type TurnJudgement,
} from "../../engine/grading/judge/judge-turn.ts";
export { combinePanel, type PanelJudgement, type PanelVote } from "../../engine/grading/judge/panel.ts";
export {
  type JudgedField,
  type Judgement,
  readJudgement,
} from "../../engine/grading/judge/read-judgement.ts";
export { extractFields } from "../../engine/grading/reading/extract-value.ts";
export type { MetricDetails, TraitResult } from "../../engine/grading/verify/trait-value.ts";
export {
  type FieldVerdict,
  type Verification,
  type VerificationContext,
  verifyParsed,
} from "../../engine/grading/verify/verify-parsed.ts";
