import { lazy } from "../../../core/lazy.ts";
import { frozenCopy } from "../../../core/values/frozen-copy.ts";
import { setOwn } from "../../../core/values/json.ts";
import type { SqliteDatabase } from "./sqlite-database.ts";
import { StoreError } from "./store-error.ts";

/** Data as JSON, in which long texts are references. */
export interface EncodedData {
  readonly json: string;
  /** The long texts by their hash. */
  readonly texts: readonly (readonly [hash: string, value: string])[];
}

/** From this length on a text is stored once. */
const LONG = 64;

/** A reference is this and the hash of the text; a text that begins with it is written with another one before it. */
const MARK = "~";

/** Already short for what they say, and never the same. */
const CONTENT_HASH = /^[0-9a-f]{64}$/;

const crypto = lazy(() => process.getBuiltinModule("node:crypto"));

/** The hash by which a text is known in a store: 192 bits of SHA-256, as 32 letters. */
export function textHash(text: string): string {
  return crypto().hash("sha256", text, "base64url").slice(0, 32);
}

/** Writes data as JSON and takes the long texts out. What JSON cannot hold is null; nothing throws. */
export function encodeData(data: unknown): EncodedData {
  const texts: (readonly [string, string])[] = [];
  const write = (value: unknown): string => JSON.stringify(outlined(value, texts)) ?? "null";
  try {
    return { json: write(data), texts };
  } catch {
    // Circular, too deep, or with something that is not data: a copy has null in these places.
    texts.length = 0;
    return { json: write(plainCopy(data)), texts };
  }
}

type Texts = (readonly [string, string])[];

/** The same value, or a copy with references where it has long texts. JSON without a replacer is many times faster. */
function outlined(value: unknown, texts: Texts): unknown {
  if (typeof value === "string") return outlinedText(value, texts);
  if (typeof value !== "object" || value === null) return value;
  if (typeof (value as { toJSON?: unknown }).toJSON === "function") throw new TypeError("not data");
  return Array.isArray(value) ? outlinedList(value, texts) : outlinedRecord(value, texts);
}

function outlinedRecord(record: object, texts: Texts): object {
  let copy: object | undefined;
  for (const key of Object.keys(record)) {
    const part = (record as Record<string, unknown>)[key];
    if (typeof part !== "string" && typeof part !== "object") continue;
    const replaced = outlined(part, texts);
    if (replaced === part) continue;
    copy ??= { ...record };
    setOwn(copy, key, replaced);
  }
  return copy ?? record;
}

/** Apart from records: to ask a list for its keys takes several times as long. */
function outlinedList(list: readonly unknown[], texts: Texts): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let index = 0; index < list.length; index++) {
    const part = list[index];
    if (typeof part !== "string" && typeof part !== "object") continue;
    const replaced = outlined(part, texts);
    if (replaced === part) continue;
    copy ??= [...list];
    copy[index] = replaced;
  }
  return copy ?? list;
}

function outlinedText(text: string, texts: Texts): string {
  if (text.length < LONG || CONTENT_HASH.test(text) || !isStorable(text)) {
    // JSON can escape what a database cannot hold.
    return text.startsWith(MARK) ? MARK + text : text;
  }
  const hash = textHash(text);
  texts.push([hash, text]);
  return MARK + hash;
}

/** False of halves of surrogate pairs and of zero bytes: not every database holds them. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

/** Data and nothing else: what only says how it would be written is written that way first. */
function plainCopy(value: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(value) ?? "null");
  } catch {
    // Functions go, too: one of them may be what throws.
    return JSON.parse(
      JSON.stringify(
        frozenCopy(value, () => {}),
        (_, part) => part,
      ),
    );
  }
}

/** Reads what `encodeData` wrote; `textOf` gives the text of a hash. */
export function decodeData(json: string, textOf: (hash: string) => string): unknown {
  const value: unknown = JSON.parse(json);
  // Most of what is written has neither references nor anything that looks like one.
  return json.includes(`"${MARK}`) ? decoded(value, textOf) : value;
}

function decoded(value: unknown, textOf: (hash: string) => string): unknown {
  if (typeof value === "string") {
    if (!value.startsWith(MARK)) return value;
    return value.startsWith(MARK, 1) ? value.slice(1) : textOf(value.slice(1));
  }
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) value[index] = decoded(value[index], textOf);
    return value;
  }
  for (const key of Object.keys(value)) {
    const item = (value as Record<string, unknown>)[key];
    if (typeof item !== "string" && typeof item !== "object") continue;
    const part = decoded(item, textOf);
    if (part !== item) setOwn(value, key, part);
  }
  return value;
}

/** The hashes of the texts that encoded data refers to. */
export function* textsIn(json: string): Generator<string> {
  // What begins a string comes after a bracket, a comma or a colon; a quotation mark inside one has a backslash before it.
  for (const [, hash] of json.matchAll(/(?<=^|[[,:])"~([\w-]{32})"/g)) yield hash as string;
}

const PORTION = 1000;

/** Where texts are referred to. */
const REFERRING: readonly (readonly [table: string, column: string])[] = [
  ["event", "data"],
  ["message", "data"],
  ["call", "reply"],
  ["setting", "data"],
  ["run", "start"],
];

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

  /** Removes texts that nothing refers to, within a transaction. They are listed in a table, so that a store of any size fits in memory. */
  removeUnused(): void {
    const database = this.#database;
    database.connection.exec("CREATE TEMP TABLE used (hash TEXT PRIMARY KEY) WITHOUT ROWID");
    for (const [table, column] of REFERRING) {
      const page = `SELECT id, ${column} AS data FROM ${table} WHERE id > ? ORDER BY id LIMIT ${PORTION}`;
      const read = (after: number) =>
        database.all<{ readonly id: number; readonly data: string }>(page, after);
      for (let rows = read(0); rows.length > 0; rows = read(rows.at(-1)?.id ?? 0))
        for (const { data } of rows)
          for (const hash of textsIn(data))
            database.run("INSERT INTO temp.used VALUES (?) ON CONFLICT DO NOTHING", hash);
    }
    database.connection.exec(
      "DELETE FROM text WHERE hash NOT IN (SELECT hash FROM temp.used); DROP TABLE temp.used;",
    );
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
