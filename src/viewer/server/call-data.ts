import type { JsonValue } from "../../core/values/json.ts";
import { foldCalls } from "../../journal/fold/calls.ts";
import { foldConversation } from "../../journal/fold/conversation.ts";
import type { Store } from "../../journal/store/store.ts";
import type { CallAnswer } from "../answers.ts";

/** What was sent in a call and what came back; undefined if the conversation has no such call. */
export function callAnswer(
  store: Store,
  run: string,
  conversation: string,
  call: string,
): CallAnswer | undefined {
  const made = foldCalls(store.events(run, conversation)).find((known) => known.call === call);
  if (made === undefined) return undefined;
  const { identity } = made;
  const recorded = identity === undefined ? undefined : store.calls.get(identity);
  if (recorded === undefined) return { request: null, reply: null };
  // A recorded call is JSON.
  return { request: recorded.request as unknown as JsonValue, reply: recorded.reply as unknown as JsonValue };
}

/** The whole reply of a turn; undefined if there is none. */
export function textAnswer(
  store: Store,
  run: string,
  conversation: string,
  turn: number,
): string | undefined {
  return foldConversation(store.events(run, conversation)).turn(turn)?.reply;
}
