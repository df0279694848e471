import type { JsonValue } from "../../core/values/json.ts";
import type { CallAnswer, ConversationAnswer } from "./answers.ts";

/** How many conversations an export has in one part. */
export const CHUNK = 50;

/** A conversation in an export. What its calls repeat stands near it, so that compressing leaves little of it. */
export interface ExportedConversation {
  readonly answer: ConversationAnswer;
  /** Missing in an export without texts. */
  readonly calls?: PackedCalls;
}

/** The calls of a conversation in little space: a message that many requests have is there once. */
interface PackedCalls {
  readonly values: readonly JsonValue[];
  /** By call: which values its request and its reply are made of. */
  readonly calls: Readonly<Record<string, PackedCall>>;
}

interface PackedCall {
  /** All of a request but its messages. */
  readonly settings: number;
  readonly messages: readonly number[];
  readonly reply: number;
}

/** Packs calls; without a quadratic size in turns, although each request repeats all messages before it. */
export function packCalls(calls: ReadonlyMap<string, CallAnswer>): PackedCalls {
  const values: JsonValue[] = [];
  const places = new Map<string, number>();
  const placeOf = (value: JsonValue): number => {
    const key = JSON.stringify(value);
    const known = places.get(key);
    if (known !== undefined) return known;
    places.set(key, values.length);
    return values.push(value) - 1;
  };
  const packed = [...calls].map(([call, { request, reply }]): readonly [string, PackedCall] => {
    // A recorded request has messages.
    const { messages, ...settings } = request as { readonly messages: readonly JsonValue[] };
    return [call, { settings: placeOf(settings), messages: messages.map(placeOf), reply: placeOf(reply) }];
  });
  return { values, calls: Object.fromEntries(packed) };
}

/** A call as it was; undefined if it is not kept. */
export function unpackCall({ values, calls }: PackedCalls, call: string): CallAnswer | undefined {
  const packed = Object.hasOwn(calls, call) ? calls[call] : undefined;
  if (packed === undefined) return undefined;
  const valueAt = (place: number): JsonValue => values[place] ?? null;
  const settings = valueAt(packed.settings) as Readonly<Record<string, JsonValue>>;
  return {
    request: { ...settings, messages: packed.messages.map(valueAt) },
    reply: valueAt(packed.reply),
  };
}
