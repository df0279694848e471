import {
  boolean,
  either,
  json,
  jsonObject,
  list,
  type NumberShape,
  nonEmptyText,
  number,
  type ObjectShape,
  object,
  oneOfTexts,
  type RecordShape,
  type Shape,
  text,
} from "../../../core/schema/shape.ts";
import type { TestedEdge } from "../../../core/state/routing.ts";
import type { ConversationStatus, UserState } from "../../../core/state/state.ts";
import type { JudgementPart } from "../../grading/judge/judge-turn.ts";
import type { TurnLabels } from "../../grading/verify/conclude-reply.ts";
import type { FieldVerdict } from "../../grading/verify/verify-parsed.ts";
import { MESSAGES } from "../../models/cassette/call-lines.ts";
import type { ErrorCategory } from "../../models/model-error.ts";
import type { RunFailure, Stage } from "../failure.ts";
import type { JudgeAnswered, JudgeCounts, JudgeReason } from "../judge-health.ts";
import type { Cell, ConversationSettings, ForkPoint, RunEvent } from "../run-event.ts";
import type { Spending } from "../spending.ts";
import type { FinishedTurn } from "../turn.ts";

/** Null. */
const nothing: Shape = { kind: "null" };
/** A whole number from 0. */
export const count: NumberShape = { kind: "number", integer: true, minimum: 0 };
/** A whole number from 1. */
const fromOne: NumberShape = { kind: "number", integer: true, minimum: 1 };
/** True, false or null. */
const truth: Shape = either(boolean, nothing);
/** A text, or null. */
export const textOrNull: Shape = either(text, nothing);
/** A number, or null. */
export const numberOrNull: Shape = either(number, nothing);
/** A list of texts. */
const texts: Shape = list(text);
/** Texts by any name. */
const textRecord: RecordShape = { kind: "record", values: text };

const CATEGORIES: Readonly<Record<ErrorCategory, true>> = {
  connection: true,
  timeout: true,
  rate_limit: true,
  server: true,
  bad_response: true,
  authentication: true,
  permission: true,
  not_found: true,
  bad_request: true,
  cassette_miss: true,
  tool: true,
  author: true,
  cancelled: true,
  budget: true,
  mismatch: true,
  contract: true,
  internal: true,
};
const STAGES: Readonly<Record<Stage, true>> = {
  subject: true,
  judge: true,
  tool: true,
  handover: true,
  run: true,
  record: true,
  simulator: true,
};

const STATUSES: Readonly<Record<ConversationStatus, true>> = {
  completed: true,
  limit_reached: true,
  timeout: true,
  budget_exhausted: true,
  cancelled: true,
  error: true,
  simulator_fault: true,
  record_mismatch: true,
};

/** Why there is no answer. */
const CATEGORY: Shape = oneOfTexts(...Object.keys(CATEGORIES));
/** How a conversation ended. */
const STATUS: Shape = oneOfTexts(...Object.keys(STATUSES));
/** How many conversations ended how. */
const STATUS_COUNTS: RecordShape = { kind: "record", values: count };

/** What something took. */
const SPENDING: Shape = typedShape<Spending>("spending", {
  required: { calls: count, cached: count, tokens: either(count, nothing), cost: numberOrNull },
  optional: { unanswered: count },
});

/** What failed. */
const FAILURE: Shape = typedShape<RunFailure>("a failure", {
  required: { category: CATEGORY, stage: oneOfTexts(...Object.keys(STAGES)), message: text },
  optional: { node: text, turn: count, statusCode: number, cause: text },
});

/** Where a conversation stands in a run. */
const CELL: Shape = typedShape<Cell>("a cell", {
  required: { index: count, scenario: text, subject: text, judge: text, replicate: fromOne },
  optional: { row: text, rowIndex: count, variant: textRecord, arm: text, parent: count },
});

/** What of the configuration shapes a conversation. */
const SETTINGS: Shape = typedShape<ConversationSettings>("settings", {
  required: {
    turnLimit: fromOne,
    judged: boolean,
    judging: oneOfTexts("together", "separate"),
    detectRefusal: boolean,
  },
  optional: {
    instructions: text,
    subjectInstructions: textRecord,
    embeds: boolean,
    reading: oneOfTexts("judge", "rules-then-judge"),
  },
});

const LABEL_VALUE: Shape = either(boolean, number, text, nothing);

const LABELS: Shape = typedShape<TurnLabels>("labels", {
  required: {},
  optional: { parsed: jsonObject, verifyResult: truth, rubric: jsonObject, refused: truth },
});

const FORK_POINT: Shape = typedShape<ForkPoint>("a fork", {
  required: { parent: nonEmptyText, turn: count, edge: count, target: text },
  optional: {},
});

const READ_STATUS = oneOfTexts("read", "unreadable");

/** What a judge said. */
const JUDGEMENT: Shape = typedShape<JudgementPart>("a judgement", {
  required: {
    status: READ_STATUS,
    parsed: jsonObject,
    quotes: textRecord,
    notes: textRecord,
    rubric: jsonObject,
    refused: truth,
  },
  optional: { unread: jsonObject, similarities: { kind: "record", values: number } },
});

const JUDGE_ANSWERED = typedShape<JudgeAnswered>("what a judge did", {
  required: { judge: text, result: oneOfTexts("read", "repaired", "unreadable", "failed") },
  optional: { reason: text, category: CATEGORY, stored: boolean, partly: boolean },
});

const JUDGE_COUNTS = typedShape<JudgeCounts>("what a judge did", {
  required: {
    judge: text,
    judged: count,
    repaired: count,
    unreadable: count,
    failed: count,
    reasons: list(
      typedShape<JudgeReason>("a reason", {
        required: { result: oneOfTexts("unreadable", "failed"), reason: text, count },
        optional: { category: CATEGORY },
      }),
    ),
  },
  optional: {},
});

/** A conditional edge that was tested. */
const TESTED: Shape = typedShape<TestedEdge>("a tested edge", {
  required: { edge: count, target: text, matched: boolean, evaluable: boolean },
  optional: { failed: { kind: "literal", values: [true] }, reason: text, actual: json },
});

const FIELD = typedShape<FieldVerdict>("a field", {
  required: { result: truth, score: number },
  optional: { reason: text },
});

const USER_STATE: Shape = typedShape<UserState>("a user", {
  required: { done: boolean, reveals: texts, revealed: texts },
  optional: {},
});

/** A finished turn. */
const TURN_RESULT: Shape = typedShape<FinishedTurn>("a turn", {
  required: {
    turn: fromOne,
    node: nonEmptyText,
    questionText: text,
    reply: text,
    verifyResult: truth,
    score: numberOrNull,
    parsed: jsonObject,
    fields: { kind: "record", values: FIELD },
    traits: { kind: "record", values: jsonObject },
    rubric: jsonObject,
    refused: truth,
    readStatus: READ_STATUS,
    notes: textRecord,
    quotes: textRecord,
    finish: text,
    next: textOrNull,
    spending: SPENDING,
  },
  optional: {
    agent: text,
    judgeFailure: FAILURE,
    notVerified: { kind: "literal", values: [true] },
    ofParent: { kind: "literal", values: [true] },
    user: USER_STATE,
    toolCalls: list(jsonObject),
    unreadByRules: texts,
  },
});

type OptionalKeys<Data> = {
  [Key in keyof Data]-?: Record<never, never> extends Pick<Data, Key> ? Key : never;
}[keyof Data];

/** The shapes of all keys that must be there, and of all that may. */
interface KeyShapes<Data> {
  readonly required: Readonly<Record<Exclude<keyof Data, OptionalKeys<Data>>, Shape>>;
  readonly optional: Readonly<Record<OptionalKeys<Data>, Shape>>;
}

/**
 * The shape of data of a type, key by key: a key that is added to the type does not compile before it has a shape, and then
 * the version of the file must be looked at.
 */
function typedShape<Data extends object>(
  owner: string,
  { required, optional }: KeyShapes<Data>,
): ObjectShape {
  return object(owner, required, { optional });
}

type EventType = RunEvent["type"];
type EventOf<Type extends EventType> = Extract<RunEvent, { readonly type: Type }>;
type EventShapes = { readonly [Type in EventType]: ObjectShape };

const conversation = nonEmptyText;
const ofTurn = { conversation, turn: fromOne };
const value: Shape = either(boolean, number, nothing);
const USAGE_KEYS = { kind: "record", values: count } as const;

/** The events by their type. */
const EVENTS: EventShapes = {
  "run-start": event("run-start", {
    required: {
      run: nonEmptyText,
      seed: number,
      conversations: count,
      scenarios: textRecord,
      subjects: texts,
      judges: texts,
      replicates: fromOne,
      configuration: jsonObject,
    },
    optional: { datasets: textRecord, origin: jsonObject },
  }),
  "scenario-define": event("scenario-define", {
    required: { scenario: text, hash: text, definition: text },
    optional: {},
  }),
  "run-end": event("run-end", {
    required: { statuses: STATUS_COUNTS, spending: SPENDING },
    optional: { judges: list(jsonObject) },
  }),
  "conversation-start": event("conversation-start", {
    required: { conversation, cell: CELL, scenarioHash: text, settings: SETTINGS },
    optional: { itemHash: text, rowValues: jsonObject, history: MESSAGES, fork: FORK_POINT, spent: SPENDING },
  }),
  "conversation-stop": event("conversation-stop", {
    required: { conversation, status: STATUS },
    optional: { failure: FAILURE, spending: SPENDING },
  }),
  "conversation-resume": event("conversation-resume", {
    required: { conversation, attempt: count, retriesErrors: boolean },
    optional: { retriesUnreadable: boolean, restarts: boolean, judgedAgain: list(JUDGE_COUNTS) },
  }),
  "conversation-end": event("conversation-end", {
    required: { conversation, cell: CELL, status: STATUS, turnCount: count, path: texts, spending: SPENDING },
    optional: { failure: FAILURE, arms: texts, simulator: SPENDING },
  }),
  "turn-start": event("turn-start", {
    required: { ...ofTurn, node: text, model: text, messages: MESSAGES },
    optional: { agent: text, instructions: text, tools: texts, removedTools: texts },
  }),
  "turn-user": event("turn-user", {
    required: { ...ofTurn, text, reveals: texts, done: boolean, spending: SPENDING },
    optional: { repaired: text },
  }),
  "turn-reply": event("turn-reply", {
    required: { ...ofTurn, reply: text, messages: MESSAGES, finish: text, spending: SPENDING },
    optional: { reportedCalls: list(jsonObject), stepLimit: boolean, labels: LABELS },
  }),
  "turn-judgement": event("turn-judgement", {
    required: { ...ofTurn, part: count, judgement: JUDGEMENT, spending: SPENDING },
    optional: { failure: FAILURE, votes: list(JUDGEMENT), judges: list(JUDGE_ANSWERED) },
  }),
  "turn-end": event("turn-end", { required: { conversation, result: TURN_RESULT }, optional: {} }),
  "call-start": event("call-start", {
    required: {
      ...ofTurn,
      call: text,
      purpose: oneOfTexts("subject", "judge", "simulator", "tool"),
      model: text,
    },
    optional: { identity: text },
  }),
  retry: event("retry", {
    required: { ...ofTurn, call: text, attempt: count, category: CATEGORY, message: text, delayMs: number },
    optional: { statusCode: number },
  }),
  "call-end": event("call-end", {
    required: { ...ofTurn, call: text, cached: boolean, latencyMs: number },
    optional: {
      attempts: count,
      usage: USAGE_KEYS,
      cost: numberOrNull,
      unanswered: SPENDING,
      failure: FAILURE,
    },
  }),
  hop: event("hop", {
    required: {
      ...ofTurn,
      node: text,
      target: textOrNull,
      edge: either(count, nothing),
      fallback: boolean,
      tested: list(TESTED),
    },
    optional: { fork: texts },
  }),
  outcome: event("outcome", {
    required: {
      conversation,
      name: text,
      value,
      status: oneOfTexts("decided", "inconclusive", "not_applicable"),
      turns: list(count),
    },
    optional: { reason: text },
  }),
  outage: event("outage", {
    required: { account: text, status: oneOfTexts("begin", "end", "given_up"), message: text, ms: number },
    optional: {},
  }),
  warning: event("warning", {
    required: { code: text, message: text },
    optional: { conversation, turn: fromOne },
  }),
  label: event("label", {
    required: { conversation, turn: fromOne, field: text, value: LABEL_VALUE, who: text, when: number },
    optional: {},
  }),
  progress: event("progress", {
    required: { finished: count, running: count, total: count, spending: SPENDING },
    optional: {},
  }),
};

/** Any event of a run. */
export const EVENT_SHAPE: Shape = { kind: "variant", owner: "an event", variants: EVENTS };

/** The first event of a run. */
export const RUN_START_SHAPE: Shape = EVENTS["run-start"];

function event<Type extends EventType>(
  type: Type,
  keys: KeyShapes<Omit<EventOf<Type>, "type" | "at">>,
): ObjectShape {
  const { required, optional } = keys;
  return typedShape(`the event ${type}`, {
    required: { type: oneOfTexts(type), at: number, ...required },
    optional,
  });
}
