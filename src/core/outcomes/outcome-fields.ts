import type { CompiledCheck } from "../checks/check-result.ts";
import type { Truth } from "../logic/kleene.ts";
import type { ConversationResult, TurnRecord } from "../state/state.ts";
import { valueAt } from "../state/state-path.ts";
import { numberValue } from "../text/text-value.ts";
import { isRecord, type JsonValue } from "../values/json.ts";

/** Stands for a value that is there in principle but could not be read. */
export const UNREADABLE: unique symbol = Symbol("unreadable");

/** Reads a field: its value, null if there is none, or `UNREADABLE`. */
type Reader<Source> = (source: Source) => unknown;

/** A field with keys of its own, such as `parsed.letter`. */
type DeepReader<Source> = (source: Source, keys: readonly string[]) => unknown;

const TURN_FIELDS: ReadonlyMap<string, Reader<TurnRecord>> = new Map<string, Reader<TurnRecord>>([
  ["node_id", (turn) => turn.node ?? null],
  // A turn that a gate leaves out has no verdict, which is not the same as one that could not be read.
  ["verify_result", (turn) => turn.verifyResult ?? (turn.notVerified === true ? null : UNREADABLE)],
  // Fields that were not read score 0, which says nothing about a turn without a verdict.
  [
    "score",
    (turn) => ((turn.verifyResult ?? null) === null && isAttempt(turn) ? UNREADABLE : (turn.score ?? null)),
  ],
  ["refused", (turn) => turn.refused ?? UNREADABLE],
  ["reply", (turn) => turn.reply ?? null],
  ["raw_response", (turn) => turn.reply ?? null],
  ["question_text", (turn) => turn.questionText ?? null],
]);

const DEEP_TURN_FIELDS: ReadonlyMap<string, DeepReader<TurnRecord>> = new Map([
  ["parsed", readParsed],
  ["rubric", readTrait],
]);

const RESULT_FIELDS: ReadonlyMap<string, Reader<ConversationResult>> = new Map<
  string,
  Reader<ConversationResult>
>([
  ["status", (result) => result.status ?? null],
  ["turn_count", (result) => result.turnCount ?? null],
  ["path", (result) => result.path ?? null],
  ["arm", (result) => result.arm ?? null],
  // An unknown price is not a price of nothing.
  ["cost", (result) => result.cost ?? UNREADABLE],
  ["tokens", (result) => result.tokens ?? UNREADABLE],
]);

const DEEP_RESULT_FIELDS: ReadonlyMap<string, DeepReader<ConversationResult>> = new Map([
  ["accumulated", (result: ConversationResult, keys: readonly string[]) => valueAt(result.accumulated, keys)],
]);

/** The first words of a field of a turn; `raw_response` is another word for `reply`. */
export const TURN_FIELD_ROOTS: readonly string[] = [...TURN_FIELDS.keys(), ...DEEP_TURN_FIELDS.keys()];

/** The first words of a field of a conversation. */
export const RESULT_FIELD_ROOTS: readonly string[] = [...RESULT_FIELDS.keys(), ...DEEP_RESULT_FIELDS.keys()];

/** Prepares a field such as `verify_result` or `parsed.letter` for reading; null for a field that turns do not have. */
export function compileTurnField(field: string): Reader<TurnRecord> | null {
  return compileField(field, TURN_FIELDS, DEEP_TURN_FIELDS);
}

/** Prepares a field such as `turn_count` for reading; null for a field that conversations do not have. */
export function compileResultField(field: string): Reader<ConversationResult> | null {
  return compileField(field, RESULT_FIELDS, DEEP_RESULT_FIELDS);
}

function compileField<Source>(
  field: string,
  plain: ReadonlyMap<string, Reader<Source>>,
  deep: ReadonlyMap<string, DeepReader<Source>>,
): Reader<Source> | null {
  const [root = "", ...keys] = field.split(".");
  const read = deep.get(root);
  if (read !== undefined) return keys.includes("") ? null : (source) => read(source, keys);
  return keys.length > 0 ? null : (plain.get(root) ?? null);
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
  const isNamed = Object.hasOwn(parsed, keys.join(".")) || Object.hasOwn(parsed, keys[0] ?? "");
  return isNamed || Object.keys(parsed).length === 0 ? UNREADABLE : null;
}

/** A trait that is there as null was looked for and could not be decided. */
function readTrait(turn: TurnRecord, keys: readonly string[]): unknown {
  const value = valueAt(turn.rubric, keys);
  return value === null && isRecord(turn.rubric) && Object.hasOwn(turn.rubric, keys.join("."))
    ? UNREADABLE
    : value;
}

/** Why something that could not be read decides nothing. */
export const UNREADABLE_TURN = "a turn could not be read";

/** Whether a value that was read fits; null, with the reason, if it could not be read or cannot be compared. */
export function compareRead(
  check: CompiledCheck,
  value: unknown,
  expected: JsonValue,
): { readonly truth: Truth; readonly reason?: string | undefined } {
  // A check that null itself passes asks whether something is there, which an unreadable value answers.
  if (value === UNREADABLE)
    return check(null, expected).passes ? { truth: true } : { truth: null, reason: UNREADABLE_TURN };
  const { passes, evaluable, reason } = check(value, expected);
  if (passes || evaluable) return { truth: passes };
  // What is missing is not what was asked for; what is there and cannot be compared says nothing.
  return { truth: value === null ? false : null, reason };
}
