import { frozenCopy } from "../../../core/values/frozen-copy.ts";
import type { CallSettings, RecordedCall } from "../../models/cassette/recorded-call.ts";
import type { Message } from "../../models/message.ts";
import type { ModelReply } from "../../models/model.ts";
import { type ChainLink, MessageChains } from "./message-chains.ts";
import type { CallRow, EncodedSettings } from "./sqlite-rows.ts";
import { encodeData, textHash } from "./text-codec.ts";

/** A call on its way to its row. */
interface EncodedCall extends Omit<CallRow, "run"> {
  /** The reply, copied. */
  readonly kept: ModelReply;
}

/** Turns calls into what rows hold; settings and messages that they share are encoded once. */
export class CallEncoder {
  readonly #chains = new MessageChains();
  readonly #settings = new SettingsEncoder();

  /** Undefined if no store can hold the reply. */
  encode({ identity, purpose, request, reply }: RecordedCall): EncodedCall | undefined {
    const { rateLimit: _, ...lasting } = reply;
    let isData = true;
    // Copied as it is.
    const kept = frozenCopy(lasting, () => {
      isData = false;
    }) as ModelReply;
    if (!isData) return undefined;
    const { replicate, seed } = request;
    const settings = this.#settings.encode(request);
    const messages = this.chain(request.messages);
    return {
      identity,
      purpose,
      settings,
      messages,
      replicate,
      seed,
      at: Date.now(),
      kept,
      answer: encodeData(kept),
    };
  }

  chain(messages: readonly Message[]): ChainLink | null {
    return this.#chains.linkOf(messages);
  }
}

const MOST_REMEMBERED = 64;

/** Encodes settings, and remembers those of late: they are the same objects from call to call. */
class SettingsEncoder {
  #recent: { readonly settings: CallSettings; readonly encoded: EncodedSettings }[] = [];

  encode({ name, model, instructions, tools, schema }: CallSettings): EncodedSettings {
    const settings = { name, model, instructions, tools, schema };
    const known = this.#recent.find((recent) => isSame(recent.settings, settings));
    if (known !== undefined) return known.encoded;
    const data = encodeData(settings);
    const encoded = { name, hash: textHash(data.json), data };
    // What may still change is not cached.
    if ([model, tools, schema].every((part) => part === null || Object.isFrozen(part)))
      this.#recent = [{ settings, encoded }, ...this.#recent.slice(0, MOST_REMEMBERED - 1)];
    return encoded;
  }
}

function isSame(one: CallSettings, other: CallSettings): boolean {
  return (
    one.model === other.model &&
    one.schema === other.schema &&
    one.tools === other.tools &&
    one.instructions === other.instructions &&
    one.name === other.name
  );
}
