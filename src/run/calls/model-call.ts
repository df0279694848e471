import type { Spending } from "../../journal/spending.ts";
import type {
  Backstage,
  CallContext,
  Model,
  ModelReply,
  ModelRequest,
  SimulatedModel,
} from "../../models/model.ts";
import type { SharedAnswers } from "./shared-answers.ts";

/** A model that can be asked: a real one, or one that plays a part. */
export type AnyModel = Model | SimulatedModel;

/** One call of a model. */
export interface ModelCall {
  readonly model: AnyModel;
  readonly request: ModelRequest;
  readonly context: CallContext;
  /** Unique within the conversation. */
  readonly call: string;
  /** What a simulated model is told. */
  readonly backstage?: Backstage;
  /** The answers that conversations share which differ only in the judge. */
  readonly shared?: SharedAnswers | undefined;
  /** True to ask even if the answer is known, and to keep it from others. */
  readonly skipsCache?: boolean;
}

/** One use of a tool. */
export interface ToolUse<Used> {
  readonly context: CallContext;
  /** Unique within the conversation. */
  readonly call: string;
  /** `server/tool` */
  readonly tool: string;
  readonly use: (signal: AbortSignal) => Promise<Used>;
}

/** An answer, and what it took. */
export interface Answered {
  readonly reply: ModelReply;
  readonly spending: Spending;
}
