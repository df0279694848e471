import type { CompiledCheck } from "../checks/check-result.ts";
import type { Truth } from "../logic/kleene.ts";
import type { ConversationResult, TurnRecord } from "../state/state.ts";
import { valueAt } from "../state/state-path.ts";
import { numberValue } from "../text/text-value.ts";
import { isRecord, type JsonValue } from "../values/json.ts";

/** The first words of a field of a turn; `raw_response` is another word for `reply`. */
export const TURN_FIELD_ROOTS: readonly string[] = [
  "node_id",
  "verify_result",
  "score",
  "refused",
  "reply",
  "raw_response",
  "question_text",
  "parsed",
  "rubric",
];

/** Stands for a value that is there in principle but could not be read. */
export const UNREADABLE: unique symbol = Symbol("unreadable");

/**
 * Whether a value that was read fits; null if it could not be read or cannot be compared. A check that null itself passes asks
 * whether something is there, which an unreadable value answers.
 */
export function compareRead(check: CompiledCheck, value: unknown, expected: JsonValue): Truth {
  if (value === UNREADABLE) return check(null, expected).passes ? true : null;
  const { passes, evaluable } = check(value, expected);
  if (passes) return true;
  // What is missing is not what was asked for; what is there and cannot be compared says nothing.
  return evaluable || value === null ? false : null;
}

/** Reads a field of a turn: its value, null if there is none, or `UNREADABLE`. */
export type TurnReader = (turn: TurnRecord) => unknown;

/** Prepares a field such as `verify_result` or `parsed.letter` for reading; null for a field that turns do not have. */
export function compileTurnField(field: string): TurnReader | null {
  const [root, ...keys] = field.split(".");
  if (root === "parsed" || root === "rubric") {
    return keys.includes("")
      ? null
      : root === "parsed"
        ? (turn) => readParsed(turn, keys)
        : (turn) => readTrait(turn, keys);
  }
  if (keys.length > 0) return null;
  switch (root) {
    case "node_id":
      return (turn) => turn.node ?? null;
    case "verify_result":
      // A turn that a gate leaves out has no verdict, which is not the same as one that could not be read.
      return (turn) => turn.verifyResult ?? (turn.notVerified === true ? null : UNREADABLE);
    case "score":
      // Fields that were not read score 0, which says nothing about a turn without a verdict.
      return (turn) =>
        (turn.verifyResult ?? null) === null && isAttempt(turn) ? UNREADABLE : (turn.score ?? null);
    case "refused":
      return (turn) => turn.refused ?? UNREADABLE;
    case "reply":
    case "raw_response":
      return (turn) => turn.reply ?? null;
    case "question_text":
      return (turn) => turn.questionText ?? null;
    default:
      return null;
  }
}

/** True of a turn whose node has a template that verifies such a reply. */
export function isAttempt({ notVerified, verifyResult, fields }: TurnRecord): boolean {
  if (notVerified === true) return false;
  // What results say of a node without a template; a turn that says nothing of its fields may have had one.
  return verifyResult !== null || fields === undefined || Object.keys(fields).length > 0;
}

/**
 * Prepares a field for reading as a number: true is 1 and false 0, null stands for a value that could not be read, undefined
 * for a turn without a number there.
 */
export function compileTurnNumber(field: string): (turn: TurnRecord) => number | null | undefined {
  const read = compileTurnField(field);
  return (turn) => {
    if (field === "verify_result" && !isAttempt(turn)) return undefined;
    const value = read?.(turn);
    if (value === UNREADABLE) return null;
    return typeof value === "boolean" ? Number(value) : numberValue(value);
  };
}

/**
 * A missing field of a turn with a verdict is simply not there. Without a verdict the reply may not have been read:
 * then the field is unreadable if it was looked for and not found (null), or if nothing at all was read.
 */
function readParsed(turn: TurnRecord, keys: readonly string[]): unknown {
  const value = valueAt(turn.parsed, keys);
  if (value !== null || (turn.verifyResult ?? null) !== null || turn.notVerified === true) return value;
  const parsed = isRecord(turn.parsed) ? turn.parsed : {};
  const [first = ""] = keys;
  const nothingRead = Object.keys(parsed).length === 0;
  return nothingRead || Object.hasOwn(parsed, keys.join(".")) || Object.hasOwn(parsed, first)
    ? UNREADABLE
    : null;
}

/** A trait that is there as null was looked for and could not be decided. */
function readTrait(turn: TurnRecord, keys: readonly string[]): unknown {
  const value = valueAt(turn.rubric, keys);
  return value === null && isRecord(turn.rubric) && Object.hasOwn(turn.rubric, keys.join("."))
    ? UNREADABLE
    : value;
}

/** The first words of a field of a conversation. */
export const RESULT_FIELD_ROOTS: readonly string[] = [
  "status",
  "turn_count",
  "path",
  "arm",
  "accumulated",
  "cost",
  "tokens",
];

/** Reads a field of a finished conversation: its value, null if there is none, or `UNREADABLE`. */
export type ResultReader = (result: ConversationResult) => unknown;

/** Prepares a field such as `turn_count` for reading; null for a field that conversations do not have. */
export function compileResultField(field: string): ResultReader | null {
  const [root, ...keys] = field.split(".");
  if (root === "accumulated") return keys.includes("") ? null : (result) => valueAt(result.accumulated, keys);
  if (keys.length > 0) return null;
  switch (root) {
    case "status":
      return (result) => result.status ?? null;
    case "turn_count":
      return (result) => result.turnCount ?? null;
    case "path":
      return (result) => result.path ?? null;
    case "arm":
      return (result) => result.arm ?? null;
    case "cost":
      // An unknown price is not a price of nothing.
      return (result) => result.cost ?? UNREADABLE;
    case "tokens":
      return (result) => result.tokens ?? UNREADABLE;
    default:
      return null;
  }
}
