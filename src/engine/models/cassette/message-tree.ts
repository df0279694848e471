import { frozenCopy } from "../../../core/values/frozen-copy.ts";
import { canonicalJson } from "../../../core/values/json.ts";
import { contentHash } from "../content-hash.ts";
import type { Message } from "../message.ts";
import { extendMessages, noMessages } from "../message-list.ts";

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
    let node = from === this.root ? (this.#seen.knownStart(messages) ?? this.root) : from;
    for (let index = node.length - from.length; index < messages.length; index++) {
      const message = messages[index] as Message;
      const hash = hashAfter(node, message);
      node = this.#byHash.get(hash) ?? this.#append(node, message, hash);
    }
    return node;
  }

  /** The node of the longest beginning of a list that is here. */
  longest(messages: readonly Message[]): MessageNode {
    let node = this.root;
    for (const message of messages) {
      const found = this.#byHash.get(hashAfter(node, message));
      if (found === undefined) break;
      node = found;
    }
    return node;
  }

  get(hash: string): MessageNode | undefined {
    return this.#byHash.get(hash);
  }

  #append(previous: MessageNode, message: Message, hash: string): MessageNode {
    const kept = frozenMessage(message);
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

/** How many messages from the end are looked up: a turn adds a reply and a question, or some tool calls. */
const LOOKED_BACK = 8;

/**
 * Where each message was seen last, so that a conversation whose messages are the same objects from call to call is not hashed
 * again on each turn. The messages themselves can still be freed.
 */
export class SeenMessages<Link extends MessageLink> {
  readonly #seen = new WeakMap<Message, Link>();

  /** Notes the link of a message that cannot change any more. */
  note(message: Message, link: Link): void {
    this.#seen.set(message, link);
  }

  /** The link of a beginning of the list, message by message the same objects; undefined if there is none. */
  knownStart(messages: readonly Message[]): Link | undefined {
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

/** The message itself if it is frozen, which is usual; else a frozen copy. */
export function frozenMessage(message: Message): Message {
  return Object.isFrozen(message) ? message : (frozenCopy(message, () => {}) as Message);
}

/** A node of the tree, and its messages as a list whose hash is known. */
export interface NodeList {
  readonly node: MessageNode;
  readonly messages: readonly Message[];
}

/** Lines of one conversation follow each other, and forks are few. */
const MOST_KEPT = 8;

/**
 * The lists that were made last, so that the next turn of a conversation is hashed alone. All lists of a long conversation
 * together would take memory in proportion to the square of its length.
 */
export class RecentLists {
  readonly #tree: MessageTree;
  readonly #lists = new Map<string, readonly Message[]>();

  constructor(tree: MessageTree) {
    this.#tree = tree;
  }

  /** The list with more messages at its end; undefined if the tree does not have it. */
  extend(hash: string, added: readonly Message[]): NodeList | undefined {
    const previous = this.#tree.get(hash);
    if (previous === undefined) return undefined;
    const list = this.#lists.get(hash) ?? extendMessages(noMessages(), messagesOf(previous));
    const messages = extendMessages(list, added);
    const node = this.#tree.add(added, previous);
    this.#lists.delete(node.hash);
    this.#lists.set(node.hash, messages);
    const [oldest] = this.#lists.keys();
    if (oldest !== undefined && this.#lists.size > MOST_KEPT) this.#lists.delete(oldest);
    return { node, messages };
  }
}
