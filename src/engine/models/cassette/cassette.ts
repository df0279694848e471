import { frozenCopy } from "../../../core/values/frozen-copy.ts";
import type { ModelReply } from "../model.ts";
import { cassetteLines, parseCassette } from "./cassette-format.ts";
import { type MessageNode, MessageTree, messagesOf } from "./message-tree.ts";
import type { CallRequest, CassetteEntry, RecordedCall } from "./recorded-call.ts";

/** What is looked at to explain a miss. */
const MOST_NEAR = 500;

/** Recorded calls by their identity, which can stand in for models. A call that is recorded again replaces the first. */
export class Cassette {
  readonly #messages = new MessageTree();
  readonly #calls = new Map<string, CassetteEntry>();
  readonly #byNode = new Map<MessageNode, Map<string, CassetteEntry>>();

  /** A cassette from the text of its file; throws a `ModelError` that names the line that is wrong. */
  static parse(text: string): Cassette {
    const cassette = new Cassette();
    for (const call of parseCassette(text, cassette.#messages)) cassette.#keep(call);
    return cassette;
  }

  /** How many calls there are. */
  get size(): number {
    return this.#calls.size;
  }

  get(identity: string): RecordedCall | undefined {
    const kept = this.#calls.get(identity);
    return kept === undefined ? undefined : recorded(kept);
  }

  /** The answer to a call, without the work of putting its messages together. */
  replyTo(identity: string): ModelReply | undefined {
    return this.#calls.get(identity)?.reply;
  }

  /**
   * Records a call. Rate limits are left out: they describe one moment. False, and nothing is
   * recorded, if the reply is not data that a file can hold.
   */
  set({ identity, purpose, request: { messages, ...parts }, reply }: RecordedCall): boolean {
    const { rateLimit: _, ...lasting } = reply;
    let isData = true;
    const copied = frozenCopy({ request: parts, reply: lasting }, () => {
      isData = false;
    });
    if (!isData) return false;
    // Copied as they are.
    const kept = copied as Pick<CassetteEntry, "request" | "reply">;
    this.#keep({ identity, purpose, ...kept, node: this.#messages.add(messages) });
    return true;
  }

  /** The recorded calls. */
  *[Symbol.iterator](): IterableIterator<RecordedCall> {
    for (const kept of this.#calls.values()) yield recorded(kept);
  }

  /** Calls whose messages begin as those of a call do, as far as possible: where to look for what differs. */
  near({ messages }: Pick<CallRequest, "messages">): readonly RecordedCall[] {
    const near = new Set<CassetteEntry>();
    const nodes = new Set<MessageNode>();
    for (
      let node: MessageNode | null = this.#messages.longest(messages);
      node !== null;
      node = node.previous
    ) {
      if (nodes.size < MOST_NEAR) nodes.add(node);
    }
    // A set goes through what is added on the way: after the beginnings of the call, what else begins like it.
    for (const node of nodes) {
      for (const call of this.#callsAt(node)) {
        if (near.size >= MOST_NEAR) return [...near].map(recorded);
        near.add(call);
      }
      for (const next of node.next) if (nodes.size < 4 * MOST_NEAR) nodes.add(next);
    }
    return [...near].map(recorded);
  }

  /** The lines of its file, in an order that does not depend on the order of recording. */
  lines(): Generator<string> {
    return cassetteLines(this.#messages.root, (node) => this.#callsAt(node));
  }

  /** The text of its file. */
  toJsonLines(): string {
    return `${[...this.lines()].join("\n")}\n`;
  }

  #callsAt(node: MessageNode): Iterable<CassetteEntry> {
    return this.#byNode.get(node)?.values() ?? [];
  }

  #keep(call: CassetteEntry): void {
    const { identity, node } = call;
    const replaced = this.#calls.get(identity);
    // Messages that differ in what does not matter have the same identity, but another place.
    if (replaced !== undefined) this.#byNode.get(replaced.node)?.delete(identity);
    const calls = this.#byNode.get(node) ?? new Map<string, CassetteEntry>();
    calls.set(identity, call);
    this.#byNode.set(node, calls);
    this.#calls.set(identity, call);
  }
}

function recorded({ identity, purpose, request, reply, node }: CassetteEntry): RecordedCall {
  return { identity, purpose, request: { ...request, messages: messagesOf(node) }, reply };
}
