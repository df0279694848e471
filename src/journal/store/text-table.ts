import type BetterSqlite3 from "better-sqlite3";
import { StoreError } from "./store-error.ts";
import type { EncodedData } from "./text-codec.ts";

const MOST_KNOWN = 20_000;
const MOST_READ = 500;
const LONGEST_READ = 20_000;

/** The long texts of a store, each once. */
export class TextTable {
  readonly #insert: BetterSqlite3.Statement<[string, string]>;
  readonly #select: BetterSqlite3.Statement<[string], string>;
  readonly #path: string;
  /** Hashes that are in the file for certain. */
  readonly #known = new Set<string>();
  /** Texts that were read last: an event often refers to one several times. */
  readonly #read = new Map<string, string>();

  constructor(database: BetterSqlite3.Database, path: string) {
    this.#path = path;
    this.#insert = database.prepare(
      "INSERT INTO text (hash, value) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING",
    );
    this.#select = database.prepare<[string], string>("SELECT value FROM text WHERE hash = ?").pluck();
  }

  /** Writes the texts of some data, within a transaction, and gives its JSON. */
  write({ json, texts }: EncodedData): string {
    for (const [hash, value] of texts) {
      if (this.#known.has(hash)) continue;
      this.#insert.run(hash, value);
      if (this.#known.size >= MOST_KNOWN) this.#known.clear();
      this.#known.add(hash);
    }
    return json;
  }

  /** The text of a hash. */
  readonly valueOf = (hash: string): string => {
    const known = this.#read.get(hash);
    if (known !== undefined) return known;
    const value = this.#select.get(hash);
    if (value === undefined) {
      const advice = "Restore a copy of the file.";
      throw new StoreError("corrupt", `The store ${this.#path} has lost a text (${hash}). ${advice}`, {
        path: this.#path,
      });
    }
    if (this.#read.size >= MOST_READ) this.#read.clear();
    if (value.length <= LONGEST_READ) this.#read.set(hash, value);
    return value;
  };

  /** Nothing is certain any more: texts may have been removed. */
  forget(): void {
    this.#known.clear();
  }
}
