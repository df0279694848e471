import type { ScenarioDefinition } from "../core/scenario/definition.ts";
import type { Clock } from "../core/values/environment.ts";
import type { Cell, ConversationSettings, RunEventBody } from "../journal/run-event.ts";
import type { ToolServers } from "../models/tools/tool-servers.ts";
import type { AnyModel, SharedAnswers } from "./calls/call-cache.ts";
import type { Caller } from "./calls/caller.ts";
import type { HeldConversation } from "./recorded-conversation.ts";
import type { Timeouts } from "./run-options.ts";
import type { ConversationState } from "./step/conversation-state.ts";

/** A subject, ready to be asked. */
export interface Subject {
  readonly name: string;
  readonly model: AnyModel;
  readonly systemPrompt?: string;
  /** False if each answer is to be a new one. */
  readonly cache?: boolean;
}

/** Who reads replies; nobody but the rules if there are no models. */
export interface Judge {
  readonly name: string;
  readonly models: readonly AnyModel[];
  /** False if each answer is to be a new one. */
  readonly cache?: boolean;
}

/** What the conversations of a run share. */
export interface RunContext {
  readonly caller: Caller;
  readonly clock: Clock;
  readonly seed: number;
  readonly timeouts: Timeouts;
  readonly subjects: ReadonlyMap<string, Subject>;
  readonly judges: ReadonlyMap<string, Judge>;
  /** The models that nodes name, by what they name them. */
  readonly overrides: ReadonlyMap<string, AnyModel>;
  readonly earlierTurns: number;
  readonly tools: ToolServers | null;
  readonly toolSteps: number;
  readonly workspace: (conversation: string) => Promise<string>;
  readonly emit: (event: RunEventBody) => void;
  readonly durable: () => Promise<void> | undefined;
  /** Ends the run because of a mistake of ours, or a journal that cannot be written. */
  readonly fail: (error: unknown) => void;
}

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
