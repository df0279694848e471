import { canonicalJson } from "../../core/values/canonical-json.ts";
import { contentHash } from "../content-hash.ts";
import type { Message } from "../message.ts";
import { keptMessage, type MessageLink, SeenMessages } from "./message-link.ts";

/** A list of messages in a tree. Files refer to its hash, which is empty for no messages, so it never changes. */
export interface MessageNode extends MessageLink {
  readonly previous: MessageNode | null;
  readonly next: MessageNode[];
}

/** Many lists of messages, each message of a common beginning kept once: a long conversation grows linearly. */
export class MessageTree {
  readonly root: MessageNode = { hash: "", message: null, previous: null, length: 0, next: [] };
  readonly #byHash = new Map<string, MessageNode>([["", this.root]]);
  readonly #seen = new SeenMessages<MessageNode>();

  /** The node of a list; added if it is new. */
  add(messages: readonly Message[], from: MessageNode = this.root): MessageNode {
    let node = from === this.root ? (this.#seen.takenUp(messages) ?? this.root) : from;
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

  #find(node: MessageNode, message: Message): MessageNode | undefined {
    return this.#byHash.get(hashAfter(node, message));
  }

  #append(previous: MessageNode, message: Message): MessageNode {
    const kept = keptMessage(message);
    const hash = hashAfter(previous, kept);
    const node: MessageNode = { hash, message: kept, previous, length: previous.length + 1, next: [] };
    previous.next.push(node);
    this.#byHash.set(hash, node);
    this.#seen.note(kept, node);
    return node;
  }
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
