import type { OutcomeResult } from "../../core/outcomes/evaluate-outcome.ts";
import type { RoutingDecision } from "../../core/state/routing.ts";
import type { ConversationStatus } from "../../core/state/state.ts";
import type { JsonObject } from "../../core/values/json.ts";
import type { JudgementPart } from "../grading/judge/judge-turn.ts";
import type { Message, ToolCall } from "../models/message.ts";
import type { Usage } from "../models/model.ts";
import type { RunFailure } from "./failure.ts";
import type { JudgeAnswered, JudgeCounts, JudgeHealth } from "./judge-health.ts";
import type { Spending } from "./spending.ts";
import type { FinishedTurn, Retry, TurnLabels } from "./turn.ts";

/** Where a conversation stands in a run: scenario × row × variant × subject × judge × replicate, and the arm of a fork. */
export interface Cell {
  /** Position in the results. */
  readonly index: number;
  readonly scenario: string;
  readonly subject: string;
  readonly judge: string;
  /** From 1. */
  readonly replicate: number;
  /** The id of the dataset's row. */
  readonly row?: string;
  /** Position of the row in the dataset, from 0. Says nothing about identity: rows may be inserted. */
  readonly rowIndex?: number;
  /** The level of each factor, by the name of the factor. */
  readonly variant?: Readonly<Record<string, string>>;
  /** Which arm of a fork. */
  readonly arm?: string;
  /** The index of the conversation that an arm continues. */
  readonly parent?: number;
}

/** What of a run's configuration shapes a conversation. */
export interface ConversationSettings {
  readonly turnLimit: number;
  /** The system prompt of agents that have none of their own. */
  readonly instructions?: string;
  /** The system prompts of other subjects that nodes name, by subject; empty for those that have none. */
  readonly subjectInstructions?: Readonly<Record<string, string>>;
  /** True if a judge model reads replies; false if rules alone do. */
  readonly judged: boolean;
  /** How a turn is split into calls of the judge. */
  readonly judging: "together" | "separate";
  /** True to ask the judge whether a reply declines to answer. */
  readonly detectRefusal: boolean;
  /** True if the run has an embedding model, which compares meanings. */
  readonly embeds?: true;
  /**
   * Set if a judge model reads every field (`judge`), or those with a rule that found nothing or several answers
   * (`rules-then-judge`). Missing if it reads only fields without a rule.
   */
  readonly reading?: "judge" | "rules-then-judge";
}

/** What is said about a run as a whole, at its start. */
export interface RunStart {
  readonly type: "run-start";
  readonly run: string;
  readonly seed: number;
  readonly conversations: number;
  /** The hash of each scenario by its name. */
  readonly scenarios: Readonly<Record<string, string>>;
  /** The hash of the rows of each scenario that uses some, by its name: of their ids and of the columns that it uses. */
  readonly datasets?: Readonly<Record<string, string>>;
  readonly subjects: readonly string[];
  readonly judges: readonly string[];
  readonly replicates: number;
  /** Everything else that shapes results, as data and without secrets. */
  readonly configuration: JsonObject;
  /** The command or call that started the run, for people to read; it shapes nothing. */
  readonly origin?: JsonObject;
}

/** A scenario of the run, so that readers of the journal have its graph and its texts. */
export interface ScenarioDefine {
  readonly type: "scenario-define";
  readonly scenario: string;
  readonly hash: string;
  /** JSON in the format of files; a function is its source, even if that cannot stand alone. */
  readonly definition: string;
}

/** The end of a run: how many conversations ended how, and what it took. */
export interface RunEnd {
  readonly type: "run-end";
  readonly statuses: Readonly<Partial<Record<ConversationStatus, number>>>;
  readonly spending: Spending;
  /** The health of each judge that was asked; of a resumed run, since it was resumed. */
  readonly judges?: readonly JudgeHealth[];
}

/** A conversation begins. The first of the events that `step` folds. */
export interface ConversationStart {
  readonly type: "conversation-start";
  readonly conversation: string;
  readonly cell: Cell;
  readonly scenarioHash: string;
  readonly settings: ConversationSettings;
  /** The hash of what the scenario uses of its row: of what is asked, and of what counts as right. */
  readonly itemHash?: string;
  /** The short values of its row, by column: what results can be grouped by. */
  readonly rowValues?: JsonObject;
  /** What was said before the first turn. It is sent with the first question to each agent. */
  readonly history?: readonly Message[];
  /** What an arm of a fork continues: its events follow those of its parent. */
  readonly fork?: ForkPoint;
  /** What it took before it began again. */
  readonly spent?: Spending;
}

/** Where an arm leaves its parent. */
export interface ForkPoint {
  /** The conversation that it continues. */
  readonly parent: string;
  /** How many turns it has from there. */
  readonly turn: number;
  /** The edge that it takes, by its position in the scenario, and the node that it leads to. */
  readonly edge: number;
  readonly target: string;
}

/** A question is about to be sent. It has what is new for the model since its last turn; earlier messages are in earlier events. */
export interface TurnStart {
  readonly type: "turn-start";
  readonly conversation: string;
  readonly turn: number;
  readonly node: string;
  readonly agent?: string;
  readonly model: string;
  readonly instructions?: string;
  /** Exactly what is sent after the messages that this agent has seen before. */
  readonly messages: readonly Message[];
  /** The names of the tools offered, where the run has tools, and of those that the node takes away. */
  readonly tools?: readonly string[];
  readonly removedTools?: readonly string[];
}

/** The simulated user has written the question of a turn. Folded by `step`. */
export interface TurnUser {
  readonly type: "turn-user";
  readonly conversation: string;
  readonly turn: number;
  readonly text: string;
  /** The ids of the facts that it reveals. */
  readonly reveals: readonly string[];
  readonly done: boolean;
  /** How its first message broke the contract; missing if it did not. */
  readonly repaired?: string;
  readonly spending: Spending;
}

/** The subject has answered. Folded by `step`. */
export interface TurnReply {
  readonly type: "turn-reply";
  readonly conversation: string;
  readonly turn: number;
  readonly reply: string;
  /** All messages of the model and of tools in this turn, in order; the last is the reply. */
  readonly messages: readonly Message[];
  /** Tool calls that the agent made itself and reports; later requests do not have them. */
  readonly reportedCalls?: readonly ToolCall[];
  readonly finish: string;
  /** True if the model still wanted tools when the limit of steps was reached. */
  readonly stepLimit?: true;
  /** What others have read of a recorded reply, in place of rules and judges. */
  readonly labels?: TurnLabels;
  readonly spending: Spending;
}

/** A judge has answered one of the requests of a turn, or could not be asked. Folded by `step`. */
export interface TurnJudgementEvent {
  readonly type: "turn-judgement";
  readonly conversation: string;
  readonly turn: number;
  /** Which of the turn's requests, from 0. */
  readonly part: number;
  readonly judgement: JudgementPart;
  /** Why there is no judgement; the fields are then unreadable. */
  readonly failure?: RunFailure;
  /** What each judge of a panel said. */
  readonly votes?: readonly JudgementPart[];
  /** How it went with each judge that was asked. */
  readonly judges?: readonly JudgeAnswered[];
  readonly spending: Spending;
}

/** The conversation cannot go on. Folded by `step`. */
export interface ConversationStop {
  readonly type: "conversation-stop";
  readonly conversation: string;
  readonly status: Exclude<ConversationStatus, "completed" | "limit_reached">;
  readonly failure?: RunFailure;
  /** What calls of the turn that failed had taken by then. */
  readonly spending?: Spending;
}

/** A conversation that was stopped goes on: what stopped it, and judgements that were never made, no longer count. */
export interface ConversationResume {
  readonly type: "conversation-resume";
  readonly conversation: string;
  /** From 2. */
  readonly attempt: number;
  /** True if judges that could not be asked are asked again. */
  readonly retriesErrors: boolean;
  /** True if judges whose answers could not be read are asked again. */
  readonly retriesUnreadable?: true;
  /** True if it begins again: its agent has a memory, and has not heard what was said before. */
  readonly restarts?: true;
  /** What judges had done for judgements that are made again: it no longer counts. */
  readonly judgedAgain?: readonly JudgeCounts[];
}

/** Where the conversation goes after a turn, and why. */
export interface Hop extends RoutingDecision {
  readonly type: "hop";
  readonly conversation: string;
  readonly turn: number;
  readonly node: string;
}

/** A turn has been read and verified. Turns end in order, though perhaps after later ones have begun. */
export interface TurnEnd {
  readonly type: "turn-end";
  readonly conversation: string;
  readonly result: FinishedTurn;
}

/** What an outcome says about the finished conversation. */
export interface OutcomeEvent extends OutcomeResult {
  readonly type: "outcome";
  readonly conversation: string;
  readonly name: string;
}

/** A conversation is over. */
export interface ConversationEnd {
  readonly type: "conversation-end";
  readonly conversation: string;
  readonly cell: Cell;
  readonly status: ConversationStatus;
  readonly failure?: RunFailure;
  /** How many turns are finished; of an arm, with those of its parent. */
  readonly turnCount: number;
  readonly path: readonly string[];
  /** The arms in which it continues. */
  readonly arms?: readonly string[];
  readonly spending: Spending;
  /** Of that, what the simulated user took. */
  readonly simulator?: Spending;
}

/** A model is asked. */
export interface CallStart {
  readonly type: "call-start";
  readonly conversation: string;
  readonly turn: number;
  /** Unique within its conversation: `3.subject.1`, `3.judge.0`. */
  readonly call: string;
  readonly purpose: "subject" | "judge" | "simulator" | "tool";
  readonly model: string;
  /** The hash of everything that shapes the answer; tools have none. */
  readonly identity?: string;
}

/** An attempt has failed in a way that may pass; another follows after `delayMs`. */
export interface CallRetry extends Retry {
  readonly type: "retry";
  readonly conversation: string;
  readonly turn: number;
}

/** A model has answered, or has failed for good. */
export interface CallEnd {
  readonly type: "call-end";
  readonly conversation: string;
  readonly turn: number;
  readonly call: string;
  /** Missing if the call failed; its retries say how often it was tried. */
  readonly attempts?: number;
  /** True if the answer was known already: it cost nothing, and its latency says nothing. */
  readonly cached: boolean;
  readonly latencyMs: number;
  readonly usage?: Usage;
  /** In USD; null if the price is unknown. */
  readonly cost?: number | null;
  /** What attempts took that were sent and have no usable answer, estimated. */
  readonly unanswered?: Spending;
  readonly failure?: RunFailure;
}

/** Something a person should know that changes no result. */
export interface Warning {
  readonly type: "warning";
  readonly conversation?: string;
  readonly turn?: number;
  readonly code: string;
  readonly message: string;
}

/**
 * A person says what a field of a reply is. It changes no result: statistics compare it with what the judge said. The field
 * `verify_result` is the verdict on the turn.
 */
export interface Label {
  readonly type: "label";
  readonly conversation: string;
  /** From 1. */
  readonly turn: number;
  readonly field: string;
  /** Null if the person says that nothing can be read. */
  readonly value: boolean | number | string | null;
  /** Who says so. */
  readonly who: string;
  /** When it was said, in milliseconds since 1970. */
  readonly when: number;
}

/** The server of an account cannot be reached, and its calls wait; or that is over. */
export interface OutageEvent {
  readonly type: "outage";
  /** The account, as `caps` names it. */
  readonly account: string;
  /** `begin`: calls wait; `end`: they go on; `given_up`: they fail, because it took longer than the patience of the run. */
  readonly status: "begin" | "end" | "given_up";
  /** Why the server cannot be reached. */
  readonly message: string;
  /** How long it has lasted. */
  readonly ms: number;
}

/** How far the run is; not part of any conversation's journal. */
export interface Progress {
  readonly type: "progress";
  readonly finished: number;
  readonly running: number;
  readonly total: number;
  readonly spending: Spending;
}

/** The events that come from outside; everything else about a conversation follows from them. */
export type ConversationEvent =
  | ConversationStart
  | TurnUser
  | TurnReply
  | TurnJudgementEvent
  | ConversationStop;

/** The events that follow from those that `step` folds. */
export type DerivedEvent = Hop | TurnEnd | OutcomeEvent | ConversationEnd | Warning;

/** Everything that happens in a run, as plain data. */
export type RunEventBody =
  | RunStart
  | RunEnd
  | ScenarioDefine
  | ConversationEvent
  | DerivedEvent
  | TurnStart
  | CallStart
  | CallRetry
  | CallEnd
  | ConversationResume
  | OutageEvent
  | Label
  | Progress;

/** An event with its time, in milliseconds since 1970. */
export type RunEvent = RunEventBody & { readonly at: number };

/** Sees every event of a run at once, as it happens. It cannot change or slow the run: an error it throws is reported once. */
export interface RunObserver {
  onEvent(event: RunEvent): void;
  /** Headers for requests of a turn's subject over HTTP, such as the context of a trace. */
  headersOf?(conversation: string, turn: number): Readonly<Record<string, string>> | undefined;
}
