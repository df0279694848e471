import {
  boolean,
  either,
  json,
  jsonObject,
  list,
  type NumberShape,
  nonEmptyText,
  number,
  oneOfTexts,
  type RecordShape,
  type Shape,
  text,
} from "../../core/schema/shape.ts";
import type { TestedEdge } from "../../core/state/routing.ts";
import type { JudgementPart } from "../../grading/judge/judge-turn.ts";
import type { FieldVerdict } from "../../grading/verify/verify-parsed.ts";
import { CALL_SHAPE } from "../../models/cassette/cassette-format.ts";
import type { ErrorCategory } from "../../models/model-error.ts";
import type { RunFailure, Stage } from "../failure.ts";
import type { Cell, ConversationSettings } from "../run-event.ts";
import type { Spending } from "../spending.ts";
import type { FinishedTurn } from "../turn.ts";
import { CONVERSATION_STATUSES } from "./run-file.ts";
import { typedShape } from "./typed-shape.ts";

/** Null. */
export const nothing: Shape = { kind: "null" };
/** A whole number from 0. */
export const count: NumberShape = { kind: "number", integer: true, minimum: 0 };
/** A whole number from 1. */
export const fromOne: NumberShape = { kind: "number", integer: true, minimum: 1 };
/** True, false or null. */
export const truth: Shape = either(boolean, nothing);
/** A text, or null. */
export const textOrNull: Shape = either(text, nothing);
/** A number, or null. */
export const numberOrNull: Shape = either(number, nothing);
/** A list of texts. */
export const texts: Shape = list(text);
/** Texts by any name. */
export const textRecord: RecordShape = { kind: "record", values: text };

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
  internal: true,
};
const STAGES: Readonly<Record<Stage, true>> = {
  subject: true,
  judge: true,
  tool: true,
  handover: true,
  run: true,
};

/** Why there is no answer. */
export const CATEGORY: Shape = oneOfTexts(...Object.keys(CATEGORIES));
/** How a conversation ended. */
export const STATUS: Shape = oneOfTexts(...CONVERSATION_STATUSES);
/** How many conversations ended how. */
export const STATUS_COUNTS: RecordShape = { kind: "record", values: count };

/** What something took. */
export const SPENDING: Shape = typedShape<Spending>("spending", {
  required: { calls: count, cached: count, tokens: either(count, nothing), cost: numberOrNull },
  optional: {},
});

/** What failed. */
export const FAILURE: Shape = typedShape<RunFailure>("a failure", {
  required: { category: CATEGORY, stage: oneOfTexts(...Object.keys(STAGES)), message: text },
  optional: { node: text, turn: count, statusCode: number, cause: text },
});

/** Where a conversation stands in a run. */
export const CELL: Shape = typedShape<Cell>("a cell", {
  required: { index: count, scenario: text, subject: text, judge: text, replicate: fromOne },
  optional: { row: count },
});

/** What of the configuration shapes a conversation. */
export const SETTINGS: Shape = typedShape<ConversationSettings>("settings", {
  required: {
    turnLimit: fromOne,
    judged: boolean,
    judging: oneOfTexts("together", "separate"),
    detectRefusal: boolean,
  },
  optional: { instructions: text, reading: oneOfTexts("judge") },
});

/** Messages, as in the calls of a cassette. */
export const MESSAGES: Shape = (CALL_SHAPE.kind === "object" && CALL_SHAPE.keys.messages) || list(jsonObject);

const READ_STATUS = oneOfTexts("read", "unreadable");

/** What a judge said. */
export const JUDGEMENT: Shape = typedShape<JudgementPart>("a judgement", {
  required: {
    status: READ_STATUS,
    parsed: jsonObject,
    quotes: textRecord,
    notes: textRecord,
    rubric: jsonObject,
    refused: truth,
  },
  optional: {},
});

/** What became of a conditional edge. */
export const TESTED: Shape = typedShape<TestedEdge>("a tested edge", {
  required: { edge: count, target: text, matched: boolean, evaluable: boolean },
  optional: { reason: text, actual: json },
});

const FIELD = typedShape<FieldVerdict>("a field", {
  required: { result: truth, score: number },
  optional: { reason: text },
});

/** A finished turn. */
export const TURN_RESULT: Shape = typedShape<FinishedTurn>("a turn", {
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
  optional: { agent: text, judgeFailure: FAILURE, toolCalls: list(jsonObject) },
});
