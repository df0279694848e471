import type { JsonValue } from "../../core/values/json.ts";
import { foldCalls } from "../../journal/fold/calls.ts";
import { foldConversation } from "../../journal/fold/conversation.ts";
import type { RunEvent } from "../../journal/run-event.ts";
import type { Store } from "../../journal/store/store.ts";
import type { CallAnswer } from "../answers.ts";

/** What was sent in a call and what came back; undefined if the conversation has no such call. */
export function callAnswer(
  store: Store,
  run: string,
  conversation: string,
  call: string,
): CallAnswer | undefined {
  const made = foldCalls(eventsOf(store, run, conversation)).find((known) => known.call === call);
  if (made === undefined) return undefined;
  return recordedCall(store, run, made.identity) ?? { request: null, reply: null };
}

/** The calls of a conversation that are kept, by name. */
export function keptCalls(store: Store, run: string, conversation: string): ReadonlyMap<string, CallAnswer> {
  const kept = new Map<string, CallAnswer>();
  for (const { call, identity } of foldCalls(eventsOf(store, run, conversation))) {
    const recorded = recordedCall(store, run, identity);
    if (recorded !== undefined) kept.set(call, recorded);
  }
  return kept;
}

function recordedCall(store: Store, run: string, identity: string | undefined): CallAnswer | undefined {
  if (identity === undefined) return undefined;
  // Those of a run from elsewhere came with it.
  const recorded = store.calls.get(identity) ?? store.callsOf(run).get(identity);
  // A recorded call is JSON.
  return (
    recorded && {
      request: recorded.request as unknown as JsonValue,
      reply: recorded.reply as unknown as JsonValue,
    }
  );
}

/** The events of a conversation, after those of the conversations that it continues as an arm. */
function eventsOf(store: Store, run: string, conversation: string): readonly RunEvent[] {
  const events = [...store.events(run, conversation)];
  const { fork } = foldConversation(events);
  return fork === null ? events : [...eventsOf(store, run, fork.parent), ...events];
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
