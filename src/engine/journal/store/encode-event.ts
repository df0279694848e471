import type { RunEvent } from "../run-event.ts";
import { decodeData, type EncodedData, encodeData, isStorable } from "./text-codec.ts";

/** An event as a row: what every event has in columns, the rest as JSON. */
interface EncodedEvent extends EncodedData {
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
  // Most names can stand in the column, and the event need not be copied again.
  const isPlaced = conversation === undefined || isStorable(conversation);
  const { json, texts } = encodeData(isPlaced ? rest : { conversation, ...rest });
  return { type: EVENT_CODES[type], turn: turn ?? null, at, json, texts };
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

const TYPES: ReadonlyMap<number, string> = new Map(
  Object.entries(EVENT_CODES).map(([type, code]) => [code, type]),
);

/** The type that a number stands for; undefined if no release so far has written it. */
export function eventType(code: number): string | undefined {
  return TYPES.get(code);
}
