import type { Message } from "../message.ts";
import { extendMessages, noMessages } from "../message-list.ts";
import { type MessageNode, type MessageTree, messagesOf } from "./message-tree.ts";

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
