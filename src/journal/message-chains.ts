import type { Message } from "../model/message.ts";
import { canonicalJson } from "../value/canonical-json.ts";
import { frozenCopy } from "../value/frozen-copy.ts";
import { textHash } from "./text-codec.ts";

/** A list of messages, as its last message and the list before it. */
export interface MessageLink {
  /** Of all messages up to this one. */
  readonly hash: string;
  readonly message: Message;
  readonly previous: MessageLink | null;
  /** How many messages there are. */
  readonly length: number;
}

/** From how far back a list is taken up again: a turn adds a reply and a question, or some tool calls. */
const LOOKED_BACK = 8;

/**
 * Lists of messages as chains. A conversation whose messages are the same objects from call to call is hashed once, and
 * remembered no longer than its messages are.
 */
export class MessageChains {
  readonly #seen = new WeakMap<Message, MessageLink>();

  /** The last link of a list; null for no messages. */
  linkOf(messages: readonly Message[]): MessageLink | null {
    let link = this.#takenUp(messages);
    for (let index = link?.length ?? 0; index < messages.length; index++)
      link = this.#append(link, messages[index] as Message);
    return link;
  }

  #append(previous: MessageLink | null, message: Message): MessageLink {
    const isFrozen = Object.isFrozen(message);
    // Copied as it is: messages are data.
    const kept = isFrozen ? message : (frozenCopy(message, () => {}) as Message);
    const hash = textHash(`${previous?.hash ?? ""}${canonicalJson(kept)}`);
    const link = { hash, message: kept, previous, length: (previous?.length ?? 0) + 1 };
    if (isFrozen) this.#seen.set(message, link);
    return link;
  }

  /** The link of a beginning of the list, message by message the same objects. */
  #takenUp(messages: readonly Message[]): MessageLink | null {
    const last = messages.length - 1;
    for (let index = last; index >= 0 && index > last - LOOKED_BACK; index--) {
      const link = this.#seen.get(messages[index] as Message);
      if (link?.length === index + 1 && isBeginning(link, messages)) return link;
    }
    return null;
  }
}

function isBeginning(link: MessageLink, messages: readonly Message[]): boolean {
  for (let at: MessageLink | null = link; at !== null; at = at.previous)
    if (at.message !== messages[at.length - 1]) return false;
  return true;
}
