import { frozenCopy } from "../../../core/values/frozen-copy.ts";
import type { CallSettings, RecordedCall } from "../../models/cassette/recorded-call.ts";
import type { ModelReply } from "../../models/model.ts";
import { type ChainLink, MessageChains } from "./message-chains.ts";
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

const MOST_REMEMBERED = 64;

/** Turns calls into what rows hold; settings and messages that they share are encoded once. */
export class CallEncoder {
  readonly chains: MessageChains = new MessageChains();
  /** Settings of late: they are the same objects from call to call. */
  #recent: { readonly settings: CallSettings; readonly encoded: EncodedSettings }[] = [];

  /** Undefined if no store can hold the reply. */
  encode({ request, reply }: RecordedCall): EncodedCall | undefined {
    const { rateLimit: _, ...lasting } = reply;
    let isData = true;
    // Copied as it is.
    const kept = frozenCopy(lasting, () => {
      isData = false;
    }) as ModelReply;
    if (!isData) return undefined;
    return {
      settings: this.#settings(request),
      messages: this.chains.linkOf(request.messages),
      reply: kept,
    };
  }

  #settings({ name, model, instructions, tools, schema }: CallSettings): EncodedSettings {
    const settings = { name, model, instructions, tools, schema };
    const known = this.#recent.find((recent) => isSame(recent.settings, settings));
    if (known !== undefined) return known.encoded;
    const data = encodeData(settings);
    const encoded = { hash: textHash(data.json), data };
    // What may still change is not cached.
    if ([model, tools, schema].every((part) => part === null || Object.isFrozen(part)))
      this.#recent = [{ settings, encoded }, ...this.#recent.slice(0, MOST_REMEMBERED - 1)];
    return encoded;
  }
}

function isSame(one: CallSettings, other: CallSettings): boolean {
  return (Object.keys(one) as (keyof CallSettings)[]).every((key) => one[key] === other[key]);
}
