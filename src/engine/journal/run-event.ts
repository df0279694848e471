import type { OutcomeResult } from "../../core/outcomes/evaluate-outcome.ts";
import {
  boolean,
  either,
  integerFrom,
  json,
  jsonObject,
  list,
  nonEmptyText,
  nothing,
  number,
  type ObjectShape,
  object,
  oneOfTexts,
  record,
  type Shape,
  type ShapeOf,
  type Typed,
  type TypeOf,
  text,
  type VariantsOf,
  variant,
  variantShapes,
} from "../../core/schema/shape.ts";
import type { RoutingDecision, TestedEdge } from "../../core/state/routing.ts";
import { CONVERSATION_STATUSES, type ConversationStatus, type UserState } from "../../core/state/state.ts";
import type { JudgementPart } from "../grading/judge/judge-turn.ts";
import type { FieldVerdict } from "../grading/verify/verify-parsed.ts";
import { MESSAGES } from "../models/cassette/call-lines.ts";
import type { Message, ToolCall } from "../models/message.ts";
import type { Usage } from "../models/model.ts";
import { CATEGORY, FAILURE } from "./failure.ts";
import { JUDGE_ANSWERED, JUDGE_COUNTS, type JudgeHealth } from "./judge-health.ts";
import { SPENDING } from "./spending.ts";
import type { FinishedTurn, TurnLabels } from "./turn.ts";

/** A whole number from 0. */
const count = integerFrom(0);
/** A whole number from 1. */
const fromOne = integerFrom(1);
const truth = either(boolean, nothing);
const numberOrNull = either(number, nothing);
const textOrNull = either(text, nothing);
const texts = list(text);
const textRecord = record(text);
const alwaysTrue: ShapeOf<true> = { kind: "literal", values: [true] };
const messages = MESSAGES as ShapeOf<readonly Message[]>;
/** Of agents and tools, whatever they say. */
const toolCalls = list(jsonObject) as Shape as ShapeOf<readonly ToolCall[]>;
const STATUS = oneOfTexts(...CONVERSATION_STATUSES);
const STATUS_COUNTS = record(count) as ShapeOf<Readonly<Partial<Record<ConversationStatus, number>>>>;

/** Where a conversation stands in a run: scenario × row × variant × subject × judge × replicate, and the arm of a fork. */
const CELL = object(
  "a cell",
  {
    /** Position in the results. */
    index: count,
    scenario: text,
    subject: text,
    judge: text,
    /** From 1. */
    replicate: fromOne,
  },
  {
    optional: {
      /** The id of the dataset's row. */
      row: text,
      /** Position of the row in the dataset, from 0. Says nothing about identity: rows may be inserted. */
      rowIndex: count,
      /** What a person sees in place of the id: see `rowName`. */
      rowName: text,
      /** The level of each factor, by the name of the factor. */
      variant: textRecord,
      /** Which arm of a fork. */
      arm: text,
      /** The index of the conversation that an arm continues. */
      parent: count,
    },
  },
);

/** Where a conversation stands in a run: scenario × row × variant × subject × judge × replicate, and the arm of a fork. */
export type Cell = TypeOf<typeof CELL>;

const SETTINGS = object(
  "settings",
  {
    turnLimit: fromOne,
    /** True if a judge model reads replies; false if rules alone do. */
    judged: boolean,
    /** How a turn is split into calls of the judge. */
    judging: oneOfTexts("together", "separate"),
    /** True to ask the judge whether a reply declines to answer. */
    detectRefusal: boolean,
  },
  {
    optional: {
      /** The system prompt of agents that have none of their own. */
      instructions: text,
      /** The system prompts of other subjects that nodes name, by subject; empty for those that have none. */
      subjectInstructions: textRecord,
      /** True if the run has an embedding model, which compares meanings. */
      embeds: alwaysTrue,
      /**
       * Set if a judge model reads every field (`judge`), or those with a rule that found nothing or several answers
       * (`rules-then-judge`). Missing if it reads only fields without a rule.
       */
      reading: oneOfTexts("judge", "rules-then-judge"),
    },
  },
);

/** What of a run's configuration shapes a conversation. */
export type ConversationSettings = TypeOf<typeof SETTINGS>;

const FORK_POINT = object("a fork", {
  /** The conversation that it continues. */
  parent: nonEmptyText,
  /** How many turns it has from there. */
  turn: count,
  /** The edge that it takes, by its position in the scenario, and the node that it leads to. */
  edge: count,
  target: text,
});

/** Where an arm leaves its parent. */
export type ForkPoint = TypeOf<typeof FORK_POINT>;

type OptionalKeys<Data> = {
  [Key in keyof Data]-?: Record<never, never> extends Pick<Data, Key> ? Key : never;
}[keyof Data];

/** The shape of data whose type stands elsewhere: a key that is added to the type does not compile before it has a shape. */
function shapeOf<Data extends object>(
  owner: string,
  required: Readonly<Record<Exclude<keyof Data, OptionalKeys<Data>>, Shape>>,
  optional: Readonly<Record<OptionalKeys<Data>, Shape>>,
): ObjectShape & Typed<Data> {
  return object(owner, required, { optional }) as ObjectShape & Typed<Data>;
}

const READ_STATUS = oneOfTexts("read", "unreadable");

const LABELS = shapeOf<TurnLabels>(
  "labels",
  {},
  { parsed: jsonObject, verifyResult: truth, rubric: jsonObject, refused: truth },
);

/** What a judge said. */
const JUDGEMENT = shapeOf<JudgementPart>(
  "a judgement",
  {
    status: READ_STATUS,
    parsed: jsonObject,
    quotes: textRecord,
    notes: textRecord,
    rubric: jsonObject,
    refused: truth,
  },
  { unread: jsonObject, similarities: record(number) },
);

/** A conditional edge that was tested. */
const TESTED = shapeOf<TestedEdge>(
  "a tested edge",
  { edge: count, target: text, matched: boolean, evaluable: boolean },
  { failed: alwaysTrue, reason: text, actual: json },
);

const FINISHED_TURN = shapeOf<FinishedTurn>(
  "a turn",
  {
    turn: fromOne,
    node: nonEmptyText,
    questionText: text,
    reply: text,
    verifyResult: truth,
    score: numberOrNull,
    parsed: jsonObject,
    fields: record(shapeOf<FieldVerdict>("a field", { result: truth, score: number }, { reason: text })),
    traits: record(jsonObject),
    rubric: jsonObject,
    refused: truth,
    readStatus: READ_STATUS,
    notes: textRecord,
    quotes: textRecord,
    finish: text,
    next: textOrNull,
    spending: SPENDING,
  },
  {
    agent: text,
    judgeFailure: FAILURE,
    notVerified: alwaysTrue,
    ofParent: alwaysTrue,
    user: shapeOf<UserState>("a user", { done: boolean, reveals: texts, revealed: texts }, {}),
    toolCalls,
    unreadByRules: texts,
  },
);

const conversation = nonEmptyText;
const ofTurn = { conversation, turn: fromOne };

/** Everything that happens in a run, as plain data; each event has its time (`at`) besides. */
const EVENTS = {
  "run-start": {
    required: {
      run: nonEmptyText,
      seed: number,
      conversations: count,
      /** The hash of each scenario by its name. */
      scenarios: textRecord,
      subjects: texts,
      judges: texts,
      replicates: fromOne,
      /** Everything else that shapes results, as data and without secrets. */
      configuration: jsonObject,
    },
    optional: {
      /** The hash of the rows of each scenario that uses some, by its name: of their ids and of the columns that it uses. */
      datasets: textRecord,
      /** The command or call that started the run, for people to read; it shapes nothing. */
      origin: jsonObject,
    },
  },
  "scenario-define": {
    required: {
      scenario: text,
      hash: text,
      /** JSON in the format of files; a function is its source, even if that cannot stand alone. */
      definition: text,
    },
  },
  "run-end": {
    required: { statuses: STATUS_COUNTS, spending: SPENDING },
    optional: {
      /** The health of each judge that was asked; of a resumed run, since it was resumed. */
      judges: list(jsonObject) as Shape as ShapeOf<readonly JudgeHealth[]>,
    },
  },
  "conversation-start": {
    required: { conversation, cell: CELL, scenarioHash: text, settings: SETTINGS },
    optional: {
      /** The hash of what the scenario uses of its row: of what is asked, and of what counts as right. */
      itemHash: text,
      /** The short values of its row, by column: what results can be grouped by. */
      rowValues: jsonObject,
      /** What was said before the first turn. It is sent with the first question to each agent. */
      history: messages,
      /** What an arm of a fork continues: its events follow those of its parent. */
      fork: FORK_POINT,
      /** What it took before it began again. */
      spent: SPENDING,
    },
  },
  "turn-start": {
    required: {
      ...ofTurn,
      node: text,
      model: text,
      /** Exactly what is sent after the messages that this agent has seen before. */
      messages,
    },
    optional: {
      agent: text,
      instructions: text,
      /** The names of the tools offered, where the run has tools, and of those that the node takes away. */
      tools: texts,
      removedTools: texts,
    },
  },
  "turn-user": {
    required: {
      ...ofTurn,
      text,
      /** The ids of the facts that it reveals. */
      reveals: texts,
      done: boolean,
      spending: SPENDING,
    },
    optional: {
      /** How its first message broke the contract; missing if it did not. */
      repaired: text,
    },
  },
  "turn-reply": {
    required: {
      ...ofTurn,
      reply: text,
      /** All messages of the model and of tools in this turn, in order; the last is the reply. */
      messages,
      finish: text,
      spending: SPENDING,
    },
    optional: {
      /** Tool calls that the agent made itself and reports; later requests do not have them. */
      reportedCalls: toolCalls,
      /** True if the model still wanted tools when the limit of steps was reached. */
      stepLimit: alwaysTrue,
      /** What others have read of a recorded reply, in place of rules and judges. */
      labels: LABELS,
    },
  },
  "turn-judgement": {
    required: {
      ...ofTurn,
      /** Which of the turn's requests, from 0. */
      part: count,
      judgement: JUDGEMENT,
      spending: SPENDING,
    },
    optional: {
      /** Why there is no judgement; the fields are then unreadable. */
      failure: FAILURE,
      /** What each judge of a panel said. */
      votes: list(JUDGEMENT),
      /** How it went with each judge that was asked. */
      judges: list(JUDGE_ANSWERED),
    },
  },
  "conversation-stop": {
    required: {
      conversation,
      status: STATUS as ShapeOf<Exclude<ConversationStatus, "completed" | "limit_reached">>,
    },
    optional: {
      failure: FAILURE,
      /** What calls of the turn that failed had taken by then. */
      spending: SPENDING,
    },
  },
  "conversation-resume": {
    required: {
      conversation,
      /** From 2. */
      attempt: count,
      /** True if judges that could not be asked are asked again. */
      retriesErrors: boolean,
    },
    optional: {
      /** True if judges whose answers could not be read are asked again. */
      retriesUnreadable: alwaysTrue,
      /** True if it begins again: its agent has a memory, and has not heard what was said before. */
      restarts: alwaysTrue,
      /** What judges had done for judgements that are made again: it no longer counts. */
      judgedAgain: list(JUDGE_COUNTS),
    },
  },
  hop: {
    required: {
      ...ofTurn,
      node: text,
      target: textOrNull,
      edge: either(count, nothing),
      fallback: boolean,
      tested: list(TESTED),
    },
    optional: { fork: texts },
  },
  "turn-end": { required: { conversation, result: FINISHED_TURN } },
  outcome: {
    required: {
      conversation,
      name: text,
      value: either(boolean, number, nothing),
      status: oneOfTexts("decided", "inconclusive", "not_applicable"),
      turns: list(count),
    },
    optional: { reason: text },
  },
  "conversation-end": {
    required: {
      conversation,
      cell: CELL,
      status: STATUS,
      /** How many turns are finished; of an arm, with those of its parent. */
      turnCount: count,
      path: texts,
      spending: SPENDING,
    },
    optional: {
      failure: FAILURE,
      /** The arms in which it continues. */
      arms: texts,
      /** Of that, what the simulated user took. */
      simulator: SPENDING,
    },
  },
  "call-start": {
    required: {
      ...ofTurn,
      /** Unique within its conversation: `3.subject.1`, `3.judge.0`. */
      call: text,
      purpose: oneOfTexts("subject", "judge", "simulator", "tool"),
      model: text,
    },
    optional: {
      /** The hash of everything that shapes the answer; tools have none. */
      identity: text,
    },
  },
  retry: {
    required: {
      ...ofTurn,
      call: text,
      /** The number of the attempt that failed, from 1. */
      attempt: count,
      category: CATEGORY,
      message: text,
      delayMs: number,
    },
    optional: {
      /** Of the response, if there was one. */
      statusCode: number,
    },
  },
  "call-end": {
    required: {
      ...ofTurn,
      call: text,
      /** True if the answer was known already: it cost nothing, and its latency says nothing. */
      cached: boolean,
      latencyMs: number,
    },
    optional: {
      /** Missing if the call failed; its retries say how often it was tried. */
      attempts: count,
      usage: record(count) as Shape as ShapeOf<Usage>,
      /** In USD; null if the price is unknown. */
      cost: numberOrNull,
      /** What attempts took that were sent and have no usable answer, estimated. */
      unanswered: SPENDING,
      failure: FAILURE,
    },
  },
  warning: { required: { code: text, message: text }, optional: { conversation, turn: fromOne } },
  label: {
    required: {
      conversation,
      /** From 1. */
      turn: fromOne,
      field: text,
      /** Null if the person says that nothing can be read. */
      value: either(boolean, number, text, nothing),
      /** Who says so. */
      who: text,
      /** When it was said, in milliseconds since 1970. */
      when: number,
    },
  },
  outage: {
    required: {
      /** The account, as `caps` names it. */
      account: text,
      /** `begin`: calls wait; `end`: they go on; `given_up`: they fail, because it took longer than the patience of the run. */
      status: oneOfTexts("begin", "end", "given_up"),
      /** Why the server cannot be reached. */
      message: text,
      /** How long it has lasted. */
      ms: number,
    },
  },
  progress: { required: { finished: count, running: count, total: count, spending: SPENDING } },
} as const;

type EventTypes = VariantsOf<typeof EVENTS>;

/** What is said about a run as a whole, at its start. */
export type RunStart = EventTypes["run-start"];
/** A scenario of the run, so that readers of the journal have its graph and its texts. */
export type ScenarioDefine = EventTypes["scenario-define"];
/** The end of a run: how many conversations ended how, and what it took. */
export type RunEnd = EventTypes["run-end"];
/** A conversation begins. The first of the events that `step` folds. */
export type ConversationStart = EventTypes["conversation-start"];
/** A question is about to be sent. It has what is new for the model since its last turn; earlier messages are in earlier events. */
export type TurnStart = EventTypes["turn-start"];
/** The simulated user has written the question of a turn. Folded by `step`. */
export type TurnUser = EventTypes["turn-user"];
/** The subject has answered. Folded by `step`. */
export type TurnReply = EventTypes["turn-reply"];
/** A judge has answered one of the requests of a turn, or could not be asked. Folded by `step`. */
export type TurnJudgementEvent = EventTypes["turn-judgement"];
/** The conversation cannot go on. Folded by `step`. */
export type ConversationStop = EventTypes["conversation-stop"];
/** A conversation that was stopped goes on: what stopped it, and judgements that were never made, no longer count. */
export type ConversationResume = EventTypes["conversation-resume"];
/** Where the conversation goes after a turn, and why. */
export type Hop = Omit<EventTypes["hop"], keyof RoutingDecision> & RoutingDecision;
/** A turn has been read and verified. Turns end in order, though perhaps after later ones have begun. */
export type TurnEnd = EventTypes["turn-end"];
/** What an outcome says about the finished conversation. */
export type OutcomeEvent = Omit<EventTypes["outcome"], keyof OutcomeResult> & OutcomeResult;
/** A conversation is over. */
export type ConversationEnd = EventTypes["conversation-end"];
/** A model is asked. */
export type CallStart = EventTypes["call-start"];
/** An attempt has failed in a way that may pass; another follows after `delayMs`. */
export type CallRetry = EventTypes["retry"];
/** A model has answered, or has failed for good. */
export type CallEnd = EventTypes["call-end"];
/** Something a person should know that changes no result. */
export type Warning = EventTypes["warning"];
/**
 * A person says what a field of a reply is. It changes no result: statistics compare it with what the judge said. The field
 * `verify_result` is the verdict on the turn.
 */
export type Label = EventTypes["label"];
/** The server of an account cannot be reached, and its calls wait; or that is over. */
export type OutageEvent = EventTypes["outage"];
/** How far the run is; not part of any conversation's journal. */
export type Progress = EventTypes["progress"];

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

const withTime = Object.entries(EVENTS).map(([type, parts]) => [
  type,
  { ...parts, required: { at: number, ...parts.required } },
]);
const SHAPES = variantShapes(Object.fromEntries(withTime), (type) => `the event ${type}`);

/** Any event of a run. */
export const EVENT_SHAPE: Shape = variant("an event", SHAPES);

/** The first event of a run. */
export const RUN_START_SHAPE: Shape = SHAPES["run-start"] as ObjectShape;

/** Sees every event of a run at once, as it happens. It cannot change or slow the run: an error it throws is reported once. */
export interface RunObserver {
  onEvent(event: RunEvent): void;
  /** Headers for requests of a turn's subject over HTTP, such as the context of a trace. */
  headersOf?(conversation: string, turn: number): Readonly<Record<string, string>> | undefined;
}
