import { type MessageNode, MessageTree, messagesOf } from "../cassette/message-tree.ts";
import type { RecordedCall } from "../cassette/recorded-call.ts";
import { contentHash } from "../model/content-hash.ts";
import { BoundedMap } from "./bounded-map.ts";
import type { LongTextWriter } from "./long-texts.ts";
import { SETTINGS_WINDOW } from "./run-file.ts";

/** How many calls are remembered, so that judges of the same replies share them in the file. */
const REMEMBERED_CALLS = 100_000;

/**
 * Writes calls as cassettes do: what many have in common by a number, and messages as those that follow a list which an
 * earlier call of the same conversation has.
 */
export class CallWriter {
  readonly #texts: LongTextWriter;
  readonly #written = new BoundedMap<true>(REMEMBERED_CALLS);
  readonly #settings = new BoundedMap<number>(SETTINGS_WINDOW);
  #numbers = 0;
  #tree = new MessageTree();
  #known = new Set<MessageNode>();

  constructor(texts: LongTextWriter) {
    this.#texts = texts;
  }

  /** Another conversation begins: what is kept must not grow with the run. */
  begin(): void {
    this.#tree = new MessageTree();
    this.#known = new Set([this.#tree.root]);
  }

  /** True if the call is in the file, as far back as is remembered. */
  has(identity: string): boolean {
    return this.#written.has(identity);
  }

  /** The lines of a call. */
  *lines({ identity, purpose, asked, reply }: RecordedCall): Generator<string> {
    this.#written.add(identity, true);
    const { name, model, instructions, tools, schema, replicate, seed, messages } = asked;
    const shared = { name, model, instructions, tools, schema };
    const hash = contentHash(JSON.stringify(shared));
    let settings = this.#settings.get(hash);
    if (settings === undefined) {
      settings = this.#numbers++;
      this.#settings.add(hash, settings);
      yield* this.#texts.lines({ settings: shared });
    }
    const node = this.#tree.add(messages);
    const previous = this.#lastKnown(node);
    // Said about one day only.
    const { rateLimit: _, cached: __, ...lasting } = reply;
    const added = messagesOf(node, previous);
    yield* this.#texts.lines({
      call: { settings, purpose, replicate, seed, previous: previous.hash, messages: added, reply: lasting },
    });
  }

  #lastKnown(node: MessageNode): MessageNode {
    let known = node;
    while (!this.#known.has(known) && known.previous !== null) {
      this.#known.add(known);
      known = known.previous;
    }
    return known;
  }
}
