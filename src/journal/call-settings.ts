import type { AskedCall } from "../cassette/recorded-call.ts";
import { type EncodedData, encodeData, textHash } from "./text-codec.ts";

/** What calls of one model, prompt, tools and schema have in common. */
export type CallSettings = Pick<AskedCall, "name" | "model" | "instructions" | "tools" | "schema">;

/** Settings as they are stored, once for all calls that have them. */
export interface EncodedSettings {
  readonly name: string;
  readonly hash: string;
  readonly data: EncodedData;
}

const MOST_REMEMBERED = 64;

/** Encodes settings, and remembers those of late: they are the same objects from call to call. */
export class SettingsEncoder {
  #recent: { readonly settings: CallSettings; readonly encoded: EncodedSettings }[] = [];

  encode({ name, model, instructions, tools, schema }: CallSettings): EncodedSettings {
    const settings = { name, model, instructions, tools, schema };
    const known = this.#recent.find((recent) => isSame(recent.settings, settings));
    if (known !== undefined) return known.encoded;
    const data = encodeData(settings);
    const encoded = { name, hash: textHash(data.json), data };
    // What somebody may still change is not remembered.
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
