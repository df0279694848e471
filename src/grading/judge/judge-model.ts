import type { RawAnswer } from "./find-answer.ts";
import type { JudgeRequest } from "./judge-request.ts";

/** Tokens that calls of a model took. */
export interface JudgeUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** What a judge model answered. */
export interface JudgeAnswer extends RawAnswer {
  /** Missing if the provider did not say. */
  readonly usage?: JudgeUsage;
}

/**
 * A model that answers the requests of a judge: the seam to providers. What cannot be read is an answer, too; it throws only
 * if there is none.
 */
export type JudgeModel = (
  request: Pick<JudgeRequest, "instructions" | "messages" | "schema">,
  options: { readonly signal?: AbortSignal },
) => Promise<JudgeAnswer>;
