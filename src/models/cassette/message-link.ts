import { frozenCopy } from "../../core/values/frozen-copy.ts";
import type { Message } from "../message.ts";

/** A list of messages, as its last message and the list before it. */
export interface MessageLink {
  /** Of all messages up to this one. */
  readonly hash: string;
  /** Null for no messages. */
  readonly message: Message | null;
  readonly previous: MessageLink | null;
  /** How many messages there are. */
  readonly length: number;
}

/** From how far back a list is taken up again: a turn adds a reply and a question, or some tool calls. */
const LOOKED_BACK = 8;

/**
 * Where each message was seen last, so that a conversation whose messages are the same objects from call to call is not hashed
 * again on each turn. Remembered no longer than the messages are.
 */
export class SeenMessages<Link extends MessageLink> {
  readonly #seen = new WeakMap<Message, Link>();

  /** Notes the link of a message that cannot change any more. */
  note(message: Message, link: Link): void {
    this.#seen.set(message, link);
  }

  /** The link of a beginning of the list, message by message the same objects; undefined if there is none. */
  takenUp(messages: readonly Message[]): Link | undefined {
    const last = messages.length - 1;
    for (let index = last; index >= 0 && index > last - LOOKED_BACK; index--) {
      const link = this.#seen.get(messages[index] as Message);
      if (link?.length === index + 1 && isBeginning(link, messages)) return link;
    }
    return undefined;
  }
}

function isBeginning(link: MessageLink, messages: readonly Message[]): boolean {
  for (let at: MessageLink | null = link; at !== null && at.message !== null; at = at.previous)
    if (at.message !== messages[at.length - 1]) return false;
  return true;
}

/** A message that stays as it is: itself if it is frozen, as everywhere here; anything else is JSON, which is copied as it is. */
export function keptMessage(message: Message): Message {
  return Object.isFrozen(message) ? message : (frozenCopy(message, () => {}) as Message);
}
