import { isRecord } from "../../core/values/json.ts";
import { contentHash } from "../../models/content-hash.ts";
import { LONG_TEXT, lineOf, MAX_LINE, TEXT_WINDOW } from "./run-file.ts";

/** What stands for a text is an object with this one key. Data that looks like it gets one more `$`. */
const REFERENCE = /^\$+text$/;

/** Nothing that models say or read is nested deeper. */
const MAX_DEPTH = 500;

/** Replaces long texts in the values of a file by their hashes. */
export class LongTextWriter {
  readonly #known = new BoundedMap<true>(TEXT_WINDOW);

  /** The lines of texts that have not been written yet, and then the line of the value. */
  *lines(value: unknown): Generator<string> {
    const texts: string[] = [];
    const encoded = this.#encode(value, texts);
    yield* texts;
    yield lineOf(encoded);
  }

  #encode(value: unknown, lines: string[]): unknown {
    if (typeof value === "string") return value.length < LONG_TEXT ? value : this.#reference(value, lines);
    if (Array.isArray(value)) return value.map((item) => this.#encode(item, lines));
    if (!isRecord(value)) return value;
    const entries = Object.entries(value).filter(([, item]) => item !== undefined);
    const [first] = entries;
    const isLike = entries.length === 1 && first !== undefined && REFERENCE.test(first[0]);
    // Unlike assignment, this makes a key of any name.
    return Object.fromEntries(
      entries.map(([key, item]) => [isLike ? `$${key}` : key, this.#encode(item, lines)]),
    );
  }

  #reference(text: string, lines: string[]): unknown {
    // Halves of characters are all the same to the hash.
    if (!text.isWellFormed()) return text;
    const hash = contentHash(text);
    if (!this.#known.has(hash)) {
      this.#known.add(hash, true, text.length);
      lines.push(lineOf({ text: hash, value: text }));
    }
    return { $text: hash };
  }
}

/** Puts long texts back where their hashes stand. */
export class LongTextReader {
  /** One line may name texts that it has itself pushed out of the writer's window. */
  readonly #known = new BoundedMap<string>(TEXT_WINDOW + MAX_LINE);
  #remaining = 0;

  /** False if the hash is not that of the text. */
  add(hash: string, text: string): boolean {
    if (contentHash(text) !== hash) return false;
    this.#known.add(hash, text, text.length);
    return true;
  }

  /** The value with its texts; throws a sentence without a full stop if it cannot be. */
  decode(value: unknown): unknown {
    this.#remaining = MAX_LINE;
    return this.#decode(value, 0);
  }

  #decode(value: unknown, depth: number): unknown {
    if (depth > MAX_DEPTH) throw new RangeError(`it is nested more than ${MAX_DEPTH} levels deep`);
    if (Array.isArray(value)) return value.map((item) => this.#decode(item, depth + 1));
    if (!isRecord(value)) return value;
    const entries = Object.entries(value);
    const [first] = entries;
    if (entries.length !== 1 || first === undefined || !REFERENCE.test(first[0])) {
      return Object.fromEntries(entries.map(([key, item]) => [key, this.#decode(item, depth + 1)]));
    }
    const [key, item] = first;
    return key === "$text" ? this.#text(item) : { [key.slice(1)]: this.#decode(item, depth + 1) };
  }

  #text(hash: unknown): string {
    const text = typeof hash === "string" ? this.#known.get(hash) : undefined;
    if (text === undefined) throw new RangeError(`no earlier line has the text ${shown(hash)}`);
    this.#remaining -= text.length;
    if (this.#remaining < 0) throw new RangeError(`its texts have more than ${MAX_LINE} characters`);
    return text;
  }
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
