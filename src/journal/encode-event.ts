import { EVENT_CODES, eventType } from "./event-code.ts";
import type { RunEvent } from "./run-event.ts";
import { decodeData, type EncodedData, encodeData } from "./text-codec.ts";

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

/** The key of a conversation in a database, which holds no halves of surrogate pairs. */
export function conversationKey(conversation: string): string {
  return conversation.isWellFormed() ? conversation : JSON.stringify(conversation);
}

/** Writes an event as a row. */
export function encodeEvent(event: RunEvent): EncodedEvent {
  // Which keys an event has is looked at here only; each may be missing.
  const { type, at, conversation, turn, ...rest } = event as RunEvent & {
    readonly conversation?: string;
    readonly turn?: number;
  };
  const hasColumn = Number.isSafeInteger(turn);
  const inJson = {
    ...(turn === undefined || hasColumn ? {} : { turn }),
    ...(conversation === undefined || conversation.isWellFormed() ? {} : { conversation }),
    ...rest,
  };
  const encoded = encodeData(inJson);
  return { type: EVENT_CODES[type], turn: hasColumn ? (turn as number) : null, at, ...encoded };
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
