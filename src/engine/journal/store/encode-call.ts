import { frozenCopy } from "../../../core/values/frozen-copy.ts";
import { canonicalJson } from "../../../core/values/json.ts";
import type { RecordedCall } from "../../models/cassette/recorded-call.ts";
import type { Message } from "../../models/message.ts";
import type { ModelReply } from "../../models/model.ts";
import { type EncodedData, encodeData, textHash } from "./text-codec.ts";

/** Settings as they are stored, once for all calls that have them. */
interface EncodedSettings {
  readonly hash: string;
  readonly data: EncodedData;
}

/** A call on its way to its row. */
interface EncodedCall {
  readonly settings: EncodedSettings;
  readonly messages: ChainLink | null;
  /** The reply, copied. */
  readonly reply: ModelReply;
}

/** Turns calls into what rows hold; messages that they share are encoded once. */
export class CallEncoder {
  readonly chains: MessageChains = new MessageChains();

  /** Undefined if no store can hold the reply. */
  encode({ request, reply }: RecordedCall): EncodedCall | undefined {
    const { rateLimit: _, ...lasting } = reply;
    let isData = true;
    // Copied as it is.
    const kept = frozenCopy(lasting, () => {
      isData = false;
    }) as ModelReply;
    if (!isData) return undefined;
    const { name, model, instructions, tools, schema } = request;
    const data = encodeData({ name, model, instructions, tools, schema });
    const settings = { hash: textHash(data.json), data };
    return { settings, messages: this.chains.linkOf(request.messages), reply: kept };
  }
}

/** A list of at least one message, as rows keep it: its last message and the list before it. */
export interface ChainLink {
  /** Of all messages up to this one. */
  readonly hash: string;
  readonly previous: ChainLink | null;
  readonly message: Message;
  /** The message. */
  readonly data: EncodedData;
  /** How many messages there are. */
  readonly length: number;
}

/** How many messages from the end are looked up: a turn adds a reply and a question, or some tool calls. */
const LOOKED_BACK = 8;

/** Lists of messages as chains, as rows of a database keep them. */
export class MessageChains {
  /** Where each message was seen last: a conversation whose messages are the same objects from call to call is hashed once. */
  readonly #seen = new WeakMap<Message, ChainLink>();

  /** The last link of a list; null for no messages. */
  linkOf(messages: readonly Message[]): ChainLink | null {
    let link = this.#knownStart(messages) ?? null;
    for (let index = link?.length ?? 0; index < messages.length; index++)
      link = this.#append(link, messages[index] as Message);
    return link;
  }

  #append(previous: ChainLink | null, message: Message): ChainLink {
    // What cannot change any more is not copied.
    const kept = Object.isFrozen(message) ? message : (frozenCopy(message, () => {}) as Message);
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
    this.#seen.set(kept, link);
    return link;
  }

  /** The link of a beginning of the list, message by message the same objects; undefined if there is none. */
  #knownStart(messages: readonly Message[]): ChainLink | undefined {
    const last = messages.length - 1;
    for (let index = last; index >= 0 && index > last - LOOKED_BACK; index--) {
      const link = this.#seen.get(messages[index] as Message);
      if (link?.length === index + 1 && isBeginning(link, messages)) return link;
    }
    return undefined;
  }
}

function isBeginning(last: ChainLink, messages: readonly Message[]): boolean {
  for (let link: ChainLink | null = last; link !== null; link = link.previous)
    if (link.message !== messages[link.length - 1]) return false;
  return true;
}
