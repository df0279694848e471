import type { SqlDatabase } from "./sql-database.ts";
import { StoreError } from "./store-error.ts";
import { textsIn } from "./text-codec.ts";

const MOST_READ = 500;
const LONGEST_READ = 20_000;

/** The long texts of a store, each once. */
export class TextTable {
  readonly #database: SqlDatabase;
  /** Texts that were read last: an event often refers to one several times. */
  readonly #read = new Map<string, string>();

  /** Texts of the data that is being read. */
  readonly #loaded = new Map<string, string>();

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  /** Reads the texts that some data refers to at once, where each question takes time. */
  load(data: readonly string[]): void {
    if (this.#database.calls === undefined) return;
    const hashes = new Set<string>();
    for (const json of data) for (const hash of textsIn(json)) if (!this.#read.has(hash)) hashes.add(hash);
    this.#loaded.clear();
    if (hashes.size === 0) return;
    const sql = "SELECT hash, value FROM text WHERE hash = ANY(?)";
    for (const [hash, value] of this.#database.raw<readonly [string, string]>(sql, [...hashes]))
      this.#loaded.set(hash, value);
  }

  /** The text of a hash. */
  readonly valueOf = (hash: string): string => {
    const known = this.#read.get(hash) ?? this.#loaded.get(hash);
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
