import {
  boolean,
  either,
  jsonObject,
  list,
  nonEmptyText,
  number,
  type ObjectShape,
  oneOfTexts,
  type Shape,
  text,
} from "../../core/schema/shape.ts";
import type { RunEvent } from "../run-event.ts";
import {
  CATEGORY,
  CELL,
  count,
  FAILURE,
  fromOne,
  JUDGEMENT,
  MESSAGES,
  nothing,
  numberOrNull,
  SETTINGS,
  SPENDING,
  STATUS,
  STATUS_COUNTS,
  TESTED,
  TURN_RESULT,
  textOrNull,
  textRecord,
  texts,
} from "./part-shapes.ts";
import { type KeyShapes, typedShape } from "./typed-shape.ts";

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
    optional: { origin: jsonObject, seal: text },
  }),
  "scenario-define": event("scenario-define", {
    required: { scenario: text, hash: text, definition: text },
    optional: {},
  }),
  "run-end": event("run-end", { required: { statuses: STATUS_COUNTS, spending: SPENDING }, optional: {} }),
  "conversation-start": event("conversation-start", {
    required: { conversation, cell: CELL, scenarioHash: text, settings: SETTINGS },
    optional: {},
  }),
  "conversation-stop": event("conversation-stop", {
    required: { conversation, status: STATUS },
    optional: { failure: FAILURE, spending: SPENDING },
  }),
  "conversation-resume": event("conversation-resume", {
    required: { conversation, attempt: count, retriesErrors: boolean },
    optional: {},
  }),
  "conversation-end": event("conversation-end", {
    required: { conversation, cell: CELL, status: STATUS, turnCount: count, path: texts, spending: SPENDING },
    optional: { failure: FAILURE },
  }),
  "turn-start": event("turn-start", {
    required: { ...ofTurn, node: text, model: text, messages: MESSAGES },
    optional: { agent: text, instructions: text, tools: texts, removedTools: texts },
  }),
  "turn-reply": event("turn-reply", {
    required: { ...ofTurn, reply: text, messages: MESSAGES, finish: text, spending: SPENDING },
    optional: { stepLimit: boolean },
  }),
  "turn-judgement": event("turn-judgement", {
    required: { ...ofTurn, part: count, judgement: JUDGEMENT, spending: SPENDING },
    optional: { failure: FAILURE, votes: list(JUDGEMENT) },
  }),
  "turn-end": event("turn-end", { required: { conversation, result: TURN_RESULT }, optional: {} }),
  "call-start": event("call-start", {
    required: { ...ofTurn, call: text, purpose: oneOfTexts("subject", "judge", "tool"), model: text },
    optional: { identity: text },
  }),
  retry: event("retry", {
    required: { ...ofTurn, call: text, attempt: count, category: CATEGORY, message: text, delayMs: number },
    optional: { statusCode: number },
  }),
  "call-end": event("call-end", {
    required: { ...ofTurn, call: text, cached: boolean, latencyMs: number },
    optional: { attempts: count, usage: USAGE_KEYS, cost: numberOrNull, failure: FAILURE },
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
    optional: {},
  }),
  outcome: event("outcome", {
    required: {
      conversation,
      name: text,
      value,
      status: oneOfTexts("decided", "inconclusive"),
      turns: list(count),
    },
    optional: { reason: text },
  }),
  warning: event("warning", {
    required: { code: text, message: text },
    optional: { conversation, turn: fromOne },
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
