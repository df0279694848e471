import type { SqliteDatabase } from "./sqlite-database.ts";
import { StoreError } from "./store-error.ts";
import { decodeData, type EncodedData } from "./text-codec.ts";

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

  /** Writes the texts of some data, and gives its JSON. */
  write({ json, texts }: EncodedData): string {
    for (const [hash, value] of texts)
      this.#database.run(
        "INSERT INTO text (hash, value) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING",
        hash,
        value,
      );
    return json;
  }

  /** Reads what was encoded. */
  decode(json: string): unknown {
    return decodeData(json, this.valueOf);
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
