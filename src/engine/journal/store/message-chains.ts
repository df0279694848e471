import { canonicalJson } from "../../../core/values/json.ts";
import { frozenMessage, type MessageLink, SeenMessages } from "../../models/cassette/message-tree.ts";
import type { Message } from "../../models/message.ts";
import { type EncodedData, encodeData, textHash } from "./text-codec.ts";

/** A list of at least one message, as rows keep it: its last message and the list before it. */
export interface StoredLink {
  /** Of all messages up to this one. */
  readonly hash: string;
  readonly previous: StoredLink | null;
  /** The message. */
  readonly data: EncodedData;
}

/** A list of at least one message, as its last message and the list before it. */
export interface ChainLink extends MessageLink, StoredLink {
  readonly message: Message;
  readonly previous: ChainLink | null;
}

/** Lists of messages as chains, as rows of a database keep them. */
export class MessageChains {
  readonly #seen = new SeenMessages<ChainLink>();

  /** The last link of a list; null for no messages. */
  linkOf(messages: readonly Message[]): ChainLink | null {
    let link = this.#seen.knownStart(messages) ?? null;
    for (let index = link?.length ?? 0; index < messages.length; index++)
      link = this.#append(link, messages[index] as Message);
    return link;
  }

  #append(previous: ChainLink | null, message: Message): ChainLink {
    const kept = frozenMessage(message);
    const hash = textHash(`${previous?.hash ?? ""}${canonicalJson(kept)}`);
    const link: ChainLink = {
      hash,
      message: kept,
      previous,
      length: (previous?.length ?? 0) + 1,
      // Most messages are in the store already.
      get data() {
        return encodeData(kept);
      },
    };
    this.#seen.note(kept, link);
    return link;
  }
}
