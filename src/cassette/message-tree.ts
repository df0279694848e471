import { contentHash } from "../model/content-hash.ts";
import type { Message } from "../model/message.ts";
import { canonicalJson } from "../value/canonical-json.ts";
import { frozenCopy } from "../value/frozen-copy.ts";

/** A list of messages, as its last message and the list before it. */
export interface MessageNode {
  /** Of all messages up to this one; empty for no messages. Files refer to it, so it never changes. */
  readonly hash: string;
  readonly message: Message | null;
  readonly previous: MessageNode | null;
  /** How many messages there are. */
  readonly length: number;
  readonly next: MessageNode[];
}

/** From how far back a list is taken up again: a turn adds a reply and a question, or some tool calls. */
const LOOKED_BACK = 8;

/** Many lists of messages, each message of a common beginning kept once: a long conversation grows linearly. */
export class MessageTree {
  readonly root: MessageNode = { hash: "", message: null, previous: null, length: 0, next: [] };
  readonly #byHash = new Map<string, MessageNode>([["", this.root]]);
  /** Where a message was seen last, so that a conversation is not hashed again on each turn. */
  readonly #seen = new WeakMap<Message, MessageNode>();

  /** The node of a list; added if it is new. */
  add(messages: readonly Message[], from: MessageNode = this.root): MessageNode {
    let node = from === this.root ? this.#takenUp(messages) : from;
    for (let index = node.length - from.length; index < messages.length; index++) {
      const message = messages[index] as Message;
      node = this.#find(node, message) ?? this.#append(node, message);
    }
    return node;
  }

  /** The node of the longest beginning of a list that is here. */
  longest(messages: readonly Message[]): MessageNode {
    let node = this.root;
    for (const message of messages) {
      const found = this.#find(node, message);
      if (found === undefined) break;
      node = found;
    }
    return node;
  }

  get(hash: string): MessageNode | undefined {
    return this.#byHash.get(hash);
  }

  /** A node that holds the beginning of a list, message by message the same objects; else the root. */
  #takenUp(messages: readonly Message[]): MessageNode {
    const last = messages.length - 1;
    for (let index = last; index >= 0 && index > last - LOOKED_BACK; index--) {
      const node = this.#seen.get(messages[index] as Message);
      if (node?.length === index + 1 && isBeginning(node, messages)) return node;
    }
    return this.root;
  }

  #find(node: MessageNode, message: Message): MessageNode | undefined {
    return this.#byHash.get(hashAfter(node, message));
  }

  #append(previous: MessageNode, message: Message): MessageNode {
    // What is frozen stays as it is, as everywhere here; anything else is JSON, which is copied as it is.
    const kept = Object.isFrozen(message) ? message : (frozenCopy(message, () => {}) as Message);
    const hash = hashAfter(previous, kept);
    const node: MessageNode = { hash, message: kept, previous, length: previous.length + 1, next: [] };
    previous.next.push(node);
    this.#byHash.set(hash, node);
    this.#seen.set(kept, node);
    return node;
  }
}

function isBeginning(node: MessageNode, messages: readonly Message[]): boolean {
  for (let at = node; at.previous !== null; at = at.previous) {
    if (at.message !== messages[at.length - 1]) return false;
  }
  return true;
}

/** The messages of a node in order, those after `after` only. */
export function messagesOf(node: MessageNode, after?: MessageNode): readonly Message[] {
  const messages: Message[] = [];
  for (let at: MessageNode | null = node; at !== null && at !== after; at = at.previous) {
    if (at.message !== null) messages.push(at.message);
  }
  return messages.reverse();
}

function hashAfter(node: MessageNode, message: Message): string {
  return contentHash(node.hash + canonicalJson(message));
}
