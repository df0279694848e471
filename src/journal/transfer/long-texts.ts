import { setOwn } from "../../core/values/set-own.ts";
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
  *lines(value: unknown): Generator<string> {
    const texts: string[] = [];
    const encoded = this.#encode(value, texts);
    yield* texts;
    yield lineOf(encoded);
  }

  /** The lines of texts that have not been written yet, and then the line that `make` puts together with the JSON of texts. */
  *joined(make: (textJson: (text: string) => string) => string): Generator<string> {
    const texts: string[] = [];
    const line = make((text) =>
      JSON.stringify(text.length < LONG_TEXT ? text : this.#reference(text, texts)),
    );
    yield* texts;
    yield asLine(line);
  }

  /** The same value, or a copy where something is replaced. */
  #encode(value: unknown, lines: string[]): unknown {
    if (typeof value === "string") return value.length < LONG_TEXT ? value : this.#reference(value, lines);
    if (typeof value !== "object" || value === null) return value;
    if (!Array.isArray(value) && isLikeReference(value))
      return escaped(value, (item) => this.#encode(item, lines));
    let copy: Record<string, unknown> | undefined;
    // Values are plain data, without inherited keys; this is quicker than a list of entries.
    for (const key in value) {
      const part = (value as Record<string, unknown>)[key];
      if (typeof part !== "string" && typeof part !== "object") continue;
      const encoded = this.#encode(part, lines);
      if (encoded === part) continue;
      // An array takes its indices as keys, too.
      copy ??= (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
      setOwn(copy, key, encoded);
    }
    return copy ?? value;
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

/** Puts long texts back where their hashes stand. */
export class LongTextReader {
  /** As JSON. One line may name texts that it has itself pushed out of the writer's window. */
  readonly #known = new BoundedMap<string>(TEXT_WINDOW + MAX_LINE);
  #remaining = 0;
  #isFilled = false;

  /** False if the hash is not that of the text. */
  add(hash: string, text: string, isVerified = false): boolean {
    if (!isVerified && contentHash(text) !== hash) return false;
    this.#known.add(hash, JSON.stringify(text), text.length);
    return true;
  }

  /**
   * The line with its texts, before it is parsed: much quicker than looking for references in what was parsed. A line that is
   * not as `LongTextWriter` writes it stays as it is, and `decode` says what is wrong with it.
   */
  fill(line: string): string {
    this.#isFilled = false;
    if (opens(line) > MAX_DEPTH) return line;
    const marks = line.split('"$').length - 1;
    let filled = 0;
    this.#remaining = MAX_LINE;
    const whole =
      marks === 0
        ? line
        : line.replace(REFERENCES, (reference, hash: string) => {
            const json = this.#known.get(hash);
            this.#remaining -= json?.length ?? 0;
            if (json === undefined || this.#remaining < 0) return reference;
            filled++;
            return json;
          });
    this.#isFilled = filled === marks;
    return this.#isFilled ? whole : line;
  }

  /** The value of the line with its texts; throws a sentence without a full stop if it cannot be. */
  decode(value: unknown): unknown {
    if (this.#isFilled) return value;
    this.#remaining = MAX_LINE;
    return this.#decode(value, 0);
  }

  /** What was parsed from a line is used nowhere else, so it is changed in place. */
  #decode(value: unknown, depth: number): unknown {
    if (typeof value !== "object" || value === null) return value;
    if (depth > MAX_DEPTH) throw new RangeError(`it is nested more than ${MAX_DEPTH} levels deep`);
    if (!Array.isArray(value) && isLikeReference(value)) {
      const [key, item] = Object.entries(value)[0] as [string, unknown];
      return key === "$text" ? this.#text(item) : { [key.slice(1)]: this.#decode(item, depth + 1) };
    }
    for (const key in value) {
      const part = (value as Record<string, unknown>)[key];
      if (typeof part !== "object" || part === null) continue;
      const decoded = this.#decode(part, depth + 1);
      if (decoded !== part) setOwn(value, key, decoded);
    }
    return value;
  }

  #text(hash: unknown): string {
    const json = typeof hash === "string" ? this.#known.get(hash) : undefined;
    if (json === undefined) throw new RangeError(`no earlier line has the text ${shown(hash)}`);
    this.#remaining -= json.length;
    if (this.#remaining < 0) throw new RangeError(`its texts have more than ${MAX_LINE} characters`);
    // Written by `add`.
    return JSON.parse(json) as string;
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
  #weight = 0;

  constructor(limit: number) {
    this.#limit = limit;
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
    for (const [oldest] of this.#items) {
      if (this.#weight <= this.#limit || oldest === key) break;
      this.#remove(oldest);
    }
  }

  #remove(key: string): void {
    this.#weight -= this.#items.get(key)?.weight ?? 0;
    this.#items.delete(key);
  }
}
