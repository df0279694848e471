import type { RunEvent } from "../run-event.ts";
import { decodeData, type EncodedData, encodeData, isStorable, withTexts } from "./text-codec.ts";

/** An event as a row: what every event has in columns, the rest as JSON. */
export interface EncodedEvent extends EncodedData {
  readonly type: number;
  readonly turn: number | null;
  readonly at: number;
}

/** The columns of an event's row, with the name of its conversation. */
export interface EventColumns {
  readonly type: number;
  readonly conversation: string | null;
  readonly turn: number | null;
  readonly at: number;
  readonly data: string;
}

/** An event as its row, with what gives the texts that it refers to. */
export interface EncodedRow extends EventColumns {
  readonly textOf: (hash: string) => string;
}

/**
 * The JSON of a row's event: type, time, conversation and turn first, then the rest as it was written. `textJson` gives the JSON of
 * the text of a hash. Undefined if that is not all there is to it: the row must then be decoded.
 */
export function rowJson(row: EventColumns, textJson: (hash: string) => string): string | undefined {
  const { type, conversation, turn, at, data } = row;
  if (ODD.test(data)) return undefined;
  const place = conversation === null ? "" : `,"conversation":${JSON.stringify(conversation)}`;
  const head = `{"type":"${eventType(type)}","at":${JSON.stringify(at)}${place}${turn === null ? "" : `,"turn":${turn}`}`;
  return data === "{}" ? `${head}}` : `${head},${withTexts(data, textJson).slice(1)}`;
}

/** Escaped marks, data that looks like what files mark, long texts that are not references, and columns that are in the data. */
const ODD = /"~~|"\$|\\u0000|^\{"(?:turn|conversation)":/;

/** The key of a conversation in a database, which does not hold every text. */
export function conversationKey(conversation: string): string {
  return isStorable(conversation) ? conversation : JSON.stringify(conversation);
}

/** Writes an event as a row. */
export function encodeEvent(event: RunEvent): EncodedEvent {
  // Which keys an event has is looked at here only; each may be missing.
  const { type, at, conversation, turn, ...rest } = event as RunEvent & {
    readonly conversation?: string;
    readonly turn?: number;
  };
  const hasColumn = Number.isSafeInteger(turn);
  const isPlaced =
    (turn === undefined || hasColumn) && (conversation === undefined || isStorable(conversation));
  // Most events have all of it in columns, and need not be copied again.
  const inJson = isPlaced
    ? rest
    : {
        ...(turn === undefined || hasColumn ? {} : { turn }),
        ...(conversation === undefined || isStorable(conversation) ? {} : { conversation }),
        ...rest,
      };
  const { json, texts } = encodeData(inJson);
  return { type: EVENT_CODES[type], turn: hasColumn ? (turn as number) : null, at, json, texts };
}

/** The event of a row. */
export function decodeEvent(row: EventColumns, textOf: (hash: string) => string): RunEvent {
  const type = eventType(row.type);
  const rest = decodeData(row.data, textOf);
  // Written by `encodeEvent` from an event.
  return {
    type,
    ...(row.conversation === null ? {} : { conversation: row.conversation }),
    ...(row.turn === null ? {} : { turn: row.turn }),
    ...(rest as object),
    at: row.at,
  } as RunEvent;
}

/** The number that stands for a type of event in a file. Numbers are never used for something else again. */
export const EVENT_CODES: Readonly<Record<RunEvent["type"], number>> = Object.freeze({
  "run-start": 1,
  "run-end": 2,
  "conversation-start": 3,
  "conversation-stop": 4,
  "conversation-resume": 5,
  "conversation-end": 6,
  "turn-start": 7,
  "turn-reply": 8,
  "turn-judgement": 9,
  "turn-end": 10,
  "call-start": 11,
  retry: 12,
  "call-end": 13,
  hop: 14,
  outcome: 15,
  warning: 16,
  progress: 17,
  "scenario-define": 18,
  label: 19,
  outage: 20,
  "turn-user": 21,
});

/** True of the row of an event that begins a call. */
export function startsCall({ type }: EventColumns): boolean {
  return type === EVENT_CODES["call-start"];
}

const TYPES: ReadonlyMap<number, string> = new Map(
  Object.entries(EVENT_CODES).map(([type, code]) => [code, type]),
);

/** The type that a number stands for; undefined if no release so far has written it. */
export function eventType(code: number): string | undefined {
  return TYPES.get(code);
}
