import { setOwn } from "../../../core/values/json.ts";
import { contentHash } from "../../models/content-hash.ts";
import { asLine, LONG_TEXT, lineOf, MAX_LINE, TEXT_WINDOW } from "./run-file.ts";

/** What stands for a text is an object with this one key. Data that looks like it gets one more `$`. */
const REFERENCE = /^\$+text$/;

/** Nothing that models say or read is nested deeper. */
const MAX_DEPTH = 500;

/** How many characters of texts are kept with their hashes. */
const HASHED = 1_000_000;

/** Replaces long texts in the values of a file by their hashes. */
export class LongTextWriter {
  readonly #known = new BoundedMap<true>(TEXT_WINDOW);
  /** A reply is in several events that follow each other. */
  readonly #hashes = new BoundedMap<string>(HASHED);

  /** The lines of texts that have not been written yet, and then the line of the value. */
  lines(value: unknown): readonly string[] {
    const lines: string[] = [];
    lines.push(asLine(this.json(value, lines)));
    return lines;
  }

  /** The JSON of a value, not yet as a line; the lines of texts that have not been written yet are added to `lines`. */
  json(value: unknown, lines: string[]): string {
    return JSON.stringify(this.#encode(value, lines));
  }

  /** The same value, or a copy where something is replaced. */
  #encode(value: unknown, lines: string[]): unknown {
    if (typeof value === "string") return value.length < LONG_TEXT ? value : this.#reference(value, lines);
    if (typeof value !== "object" || value === null) return value;
    if (!Array.isArray(value) && isLikeReference(value))
      return escaped(value, (item) => this.#encode(item, lines));
    return Array.isArray(value) ? this.#encodeList(value, lines) : this.#encodeRecord(value, lines);
  }

  #encodeRecord(record: object, lines: string[]): object {
    let copy: object | undefined;
    for (const key of Object.keys(record)) {
      const part = (record as Record<string, unknown>)[key];
      if (typeof part !== "string" && typeof part !== "object") continue;
      const encoded = this.#encode(part, lines);
      if (encoded === part) continue;
      copy ??= { ...record };
      setOwn(copy, key, encoded);
    }
    return copy ?? record;
  }

  #encodeList(list: readonly unknown[], lines: string[]): readonly unknown[] {
    let copy: unknown[] | undefined;
    for (let index = 0; index < list.length; index++) {
      const encoded = this.#encode(list[index], lines);
      if (encoded === list[index]) continue;
      copy ??= [...list];
      copy[index] = encoded;
    }
    return copy ?? list;
  }

  #reference(text: string, lines: string[]): unknown {
    const known = this.#hashes.get(text);
    // Halves of characters are all the same to the hash.
    if (known === undefined && !text.isWellFormed()) return text;
    const hash = known ?? contentHash(text);
    if (known === undefined) this.#hashes.add(text, hash, text.length);
    if (!this.#known.has(hash)) {
      this.#known.add(hash, true, text.length);
      lines.push(lineOf({ text: hash, value: text }));
    }
    return { $text: hash };
  }
}

/** True of data that could be taken for a reference. */
function isLikeReference(value: object): boolean {
  let only: string | undefined;
  for (const key in value) {
    if ((value as Record<string, unknown>)[key] === undefined) continue;
    if (only !== undefined) return false;
    only = key;
  }
  return only !== undefined && REFERENCE.test(only);
}

/** The one key gets a `$` more. */
function escaped(value: object, encode: (item: unknown) => unknown): object {
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  // Unlike assignment, this makes a key of any name.
  return Object.fromEntries(entries.map(([key, item]) => [`$${key}`, encode(item)]));
}

/** A text, and its JSON once that was needed. */
interface KnownText {
  readonly text: string;
  json?: string;
}

/** Longer texts are not copied into lines: the events that refer to one share it. */
const LONGEST_FILLED = 4_000;

/** Puts long texts back where their hashes stand. */
export class LongTextReader {
  /** Until the line that names them has come, a writer may have pushed out of its window as much as a line can hold. */
  readonly #known = new BoundedMap<KnownText>(TEXT_WINDOW, MAX_LINE);
  #remaining = 0;
  #isFilled = false;

  /** False if the hash is not that of the text. */
  add(hash: string, text: string, isVerified = false): boolean {
    if (!isVerified && contentHash(text) !== hash) return false;
    this.#known.add(hash, { text }, text.length);
    return true;
  }

  /**
   * The line with its texts, before it is parsed: much quicker than looking for references in what was parsed. A line that is
   * not as `LongTextWriter` writes it stays as it is, and `decode` says what is wrong with it.
   */
  fill(line: string): string {
    this.#isFilled = false;
    if (opens(line) > MAX_DEPTH) return line;
    const marks = line.includes('"$') ? line.split('"$').length - 1 : 0;
    let filled = 0;
    this.#remaining = MAX_LINE;
    const whole =
      marks === 0
        ? line
        : line.replace(REFERENCES, (reference, hash: string) => {
            const known = this.#known.get(hash);
            this.#remaining -= known?.text.length ?? 0;
            if (known === undefined || known.text.length > LONGEST_FILLED || this.#remaining < 0)
              return reference;
            filled++;
            known.json ??= JSON.stringify(known.text);
            return known.json;
          });
    this.#isFilled = filled === marks;
    return this.#isFilled ? whole : line;
  }

  /** The value of the line with its texts; throws a sentence without a full stop if it cannot be. */
  decode(value: unknown): unknown {
    this.#remaining = MAX_LINE;
    const decoded = this.#isFilled ? value : this.#decode(value, 0);
    this.#known.trim();
    return decoded;
  }

  /** What was parsed from a line is used nowhere else, so it is changed in place. */
  #decode(value: unknown, depth: number): unknown {
    if (typeof value !== "object" || value === null) return value;
    if (depth > MAX_DEPTH) throw new RangeError(`it is nested more than ${MAX_DEPTH} levels deep`);
    if (!Array.isArray(value) && isLikeReference(value)) {
      const [key, item] = Object.entries(value)[0] as [string, unknown];
      return key === "$text" ? this.#text(item) : { [key.slice(1)]: this.#decode(item, depth + 1) };
    }
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length; index++) value[index] = this.#decode(value[index], depth + 1);
      return value;
    }
    for (const key of Object.keys(value)) {
      const part = (value as Record<string, unknown>)[key];
      if (typeof part !== "object" || part === null) continue;
      const decoded = this.#decode(part, depth + 1);
      if (decoded !== part) setOwn(value, key, decoded);
    }
    return value;
  }

  #text(hash: unknown): string {
    const known = typeof hash === "string" ? this.#known.get(hash) : undefined;
    if (known === undefined) throw new RangeError(`no earlier line has the text ${shown(hash)}`);
    this.#remaining -= known.text.length;
    if (this.#remaining < 0) throw new RangeError(`its texts have more than ${MAX_LINE} characters`);
    return known.text;
  }
}

/** A reference as it is written. In a text its quotation marks would have backslashes. */
const REFERENCES = /\{"\$text":"([0-9a-f]{64})"\}/g;

/** How many brackets open in a line, as far as it matters. */
function opens(line: string): number {
  if (line.length < 2 * MAX_DEPTH) return 0;
  let count = 0;
  for (let index = 0; index < line.length && count <= MAX_DEPTH; index++) {
    const code = line.charCodeAt(index);
    if (code === 0x5b || code === 0x7b) count++;
  }
  return count;
}

function shown(hash: unknown): string {
  return typeof hash === "string" && /^[0-9a-f]{1,64}$/.test(hash) ? hash : "that it names";
}

/** A map that keeps what was added last, up to a weight in all: two that are given the same items keep the same ones. */
export class BoundedMap<Value> {
  readonly #items = new Map<string, { readonly value: Value; readonly weight: number }>();
  readonly #limit: number;
  readonly #slack: number;
  #weight = 0;

  /** With `slack`, so much more is kept until `trim`. */
  constructor(limit: number, slack = 0) {
    this.#limit = limit;
    this.#slack = slack;
  }

  has(key: string): boolean {
    return this.#items.has(key);
  }

  get(key: string): Value | undefined {
    return this.#items.get(key)?.value;
  }

  /** Adds an item; the last one stays, however heavy it is. */
  add(key: string, value: Value, weight = 1): void {
    this.#remove(key);
    this.#items.set(key, { value, weight });
    this.#weight += weight;
    this.#trimTo(this.#limit + this.#slack);
  }

  /** Removes what is over the limit. */
  trim(): void {
    this.#trimTo(this.#limit);
  }

  #trimTo(limit: number): void {
    if (this.#weight <= limit) return;
    for (const oldest of this.#items.keys()) {
      if (this.#weight <= limit || this.#items.size === 1) break;
      this.#remove(oldest);
    }
  }

  #remove(key: string): void {
    this.#weight -= this.#items.get(key)?.weight ?? 0;
    this.#items.delete(key);
  }
}
