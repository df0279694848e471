import { canonicalJson } from "../../../core/values/json.ts";
import { decodeData, withTexts } from "../store/text-codec.ts";
import type { LongTextWriter } from "./long-texts.ts";
import { LONG_TEXT } from "./run-file.ts";

/** How many texts are kept as JSON: a reply is in several events that follow each other, and in two calls. */
const MOST_KEPT = 1000;

/** Gives the text of a hash. */
type TextOf = (hash: string) => string;

/** The JSON of rows for a run's file. It is put together from what rows hold, mostly without parsing it. */
export class RowJson {
  readonly #texts: LongTextWriter;
  /** The JSON of short texts, by their hashes in the store. */
  readonly #short = new Map<string, string>();

  constructor(texts: LongTextWriter) {
    this.#texts = texts;
  }

  /** The JSON of encoded data; the lines of texts that have not been written yet are added to `lines`. */
  data(json: string, textOf: TextOf, lines: string[]): string {
    if (ODD.test(json)) return this.#texts.json(decodeData(json, textOf), lines);
    return withTexts(json, (hash) => this.text(hash, textOf, lines));
  }

  /** The JSON of a text, or of what refers to it. */
  text(hash: string, textOf: TextOf, lines: string[]): string {
    return this.#short.get(hash) ?? this.#textJson(hash, textOf, lines);
  }

  /** `canonicalJson` of an encoded message. */
  canonicalMessage(json: string, textOf: TextOf): string {
    const [, role, content, hash] = PLAIN_MESSAGE.exec(json) ?? [];
    if (role === undefined) return canonicalJson(decodeData(json, textOf));
    const filled = hash === undefined ? content : (this.#short.get(hash) ?? JSON.stringify(textOf(hash)));
    return `{"content":${filled},"role":"${role}"}`;
  }

  #textJson(hash: string, textOf: TextOf, lines: string[]): string {
    const text = textOf(hash);
    const json = this.#texts.json(text, lines);
    if (text.length >= LONG_TEXT) return json;
    if (this.#short.size >= MOST_KEPT) this.#short.clear();
    this.#short.set(hash, json);
    return json;
  }
}

/** Escaped marks, data that looks like what files mark, and texts that a store cannot hold but a file can. */
const ODD = /"~~|"\$|\\u0000/;

/** A message with nothing but its content, a text of its own or a reference, with nothing that is escaped. */
const PLAIN_MESSAGE = /^\{"role":"([a-z]+)","content":("~([\w-]{32})"|"(?:[^"\\~][^"\\]*)?")\}$/;
