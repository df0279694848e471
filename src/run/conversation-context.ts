import type { ScenarioDefinition } from "../core/scenario/definition.ts";
import type { Cell, ConversationSettings } from "../journal/run-event.ts";
import type { SharedAnswers } from "./calls/shared-answers.ts";
import type { HeldConversation } from "./held-conversation.ts";
import type { RunContext } from "./run-context.ts";
import type { ConversationState } from "./step/conversation-state.ts";

/** What a conversation is held with. */
export interface ConversationPlan {
  readonly conversation: string;
  readonly cell: Cell;
  readonly definition: ScenarioDefinition;
  readonly settings: ConversationSettings;
  readonly shared?: SharedAnswers | undefined;
  /** What was said before, if it is only to be verified again. */
  readonly held?: HeldConversation;
  /** True to ask the subject where the conversation goes another way than before. */
  readonly reruns?: boolean;
}

/** What those see who do the work of a conversation. */
export interface ConversationContext {
  readonly plan: ConversationPlan;
  readonly run: RunContext;
  /** Aborted if the conversation is ended from outside. */
  readonly signal: AbortSignal;
  /** Where the conversation stands. */
  readonly state: ConversationState;
  /** Resolves once so many turns are finished, or the conversation is over. */
  settled(turns: number): Promise<void>;
}
