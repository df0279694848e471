import { frozenCopy } from "../core/values/frozen-copy.ts";
import type { Message } from "./message.ts";
import { isMessageList } from "./message-list.ts";

const copies = new WeakMap<Message, Message>();

/** Messages that nobody can change; each is copied once, however many turns it is part of. */
export function frozenMessages(messages: readonly Message[]): readonly Message[] {
  return isMessageList(messages) ? messages : Object.freeze(messages.map(frozenMessage));
}

function frozenMessage(message: Message): Message {
  let copy = copies.get(message);
  if (copy === undefined) {
    // Messages are JSON, which is copied as it is.
    copy = frozenCopy(message, () => {}) as Message;
    // What somebody may still change must be copied again.
    if (Object.isFrozen(message)) copies.set(message, copy);
  }
  return copy;
}
