import type { SqliteDatabase } from "./sqlite-database.ts";
import { StoreError } from "./store-error.ts";

const MOST_READ = 500;
const LONGEST_READ = 20_000;

/** The long texts of a store, each once. */
export class TextTable {
  readonly #database: SqliteDatabase;
  /** Texts that were read last: an event often refers to one several times. */
  readonly #read = new Map<string, string>();

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  /** The text of a hash. */
  readonly valueOf = (hash: string): string => {
    const known = this.#read.get(hash);
    if (known !== undefined) return known;
    const value = this.#database.value<string>("SELECT value FROM text WHERE hash = ?", hash);
    if (value === undefined) {
      const { path } = this.#database;
      const advice = "Restore a copy of the file.";
      throw new StoreError("corrupt", `The store ${path} has lost a text (${hash}). ${advice}`, { path });
    }
    if (this.#read.size >= MOST_READ) this.#read.clear();
    if (value.length <= LONGEST_READ) this.#read.set(hash, value);
    return value;
  };
}
