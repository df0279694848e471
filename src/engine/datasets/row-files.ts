import type { Worker } from "node:worker_threads";
import { errorMessage } from "../../core/error-message.ts";
import { nearestOf } from "../../core/schema/nearest-name.ts";
import { MAX_DEPTH } from "../../core/values/frozen-copy.ts";
import { isRecord, isReservedKey, type JsonObject } from "../../core/values/json.ts";
import { linePortions, textPieces } from "../../system/files/read-text-file.ts";
import { CsvReader, type CsvRecord } from "./csv-records.ts";
import type { ParquetReply, ParquetRequest } from "./parquet-worker.ts";

/** A row as a file has it, or why it cannot be read. */
export type FileRow =
  | { readonly values: JsonObject; readonly line: number }
  | { readonly problem: string; readonly line: number };

/** A dataset that cannot be used: a sentence, and what is wrong with its rows. */
export class DatasetError extends Error {
  override readonly name = "DatasetError";
  /** Each with file and line; empty if the dataset itself is the problem. */
  readonly problems: readonly string[];

  constructor(message: string, problems: readonly string[] = []) {
    super(message);
    this.problems = problems;
  }
}

/** The formats of datasets, by the end of the file's name. */
const FORMATS: Readonly<Record<string, (path: string) => AsyncGenerator<readonly FileRow[]>>> = {
  csv: (path) => readCsv(path, ","),
  tsv: (path) => readCsv(path, "\t"),
  jsonl: readJsonLines,
  ndjson: readJsonLines,
  json: (path) => readWhole(path, exactJson),
  yaml: readYaml,
  yml: readYaml,
  parquet: readParquet,
};

/** What a missing file may be called, as the end of a sentence. */
function nearbyFile(path: string): string {
  const { existsSync, readdirSync } = process.getBuiltinModule("node:fs");
  const { basename, dirname, extname } = process.getBuiltinModule("node:path");
  const folder = dirname(path);
  if (!existsSync(folder)) return ` There is no folder ${folder} either.`;
  const names = readdirSync(folder).filter((name) => Object.hasOwn(FORMATS, extname(name).slice(1)));
  const { nearest } = nearestOf(basename(path), names);
  if (nearest !== undefined) return ` Did you mean "${nearest}"?`;
  const same = names.filter((name) => extname(name) === extname(path)).slice(0, 10);
  return same.length === 0 ? "" : ` There are ${same.join(", ")}.`;
}

const SPREADSHEET = /^(?:xlsx?|xlsm|ods|numbers)$/;

/** The rows of a file in portions, read on demand. Throws `DatasetError` if the file cannot be read. */
export async function* readRows(path: string): AsyncGenerator<readonly FileRow[]> {
  const format = /\.([^./\\]+)$/.exec(path)?.[1]?.toLowerCase() ?? "";
  const read = Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
  if (SPREADSHEET.test(format))
    throw new DatasetError(
      `The dataset ${path} is a spreadsheet. Save its sheet as CSV (in Excel: Save As, CSV UTF-8), and name that file.`,
    );
  if (read === undefined)
    throw new DatasetError(
      `The dataset ${path} has no known format. Its name must end in ${Object.keys(FORMATS)
        .map((name) => `.${name}`)
        .join(", ")}.`,
    );
  const { existsSync } = process.getBuiltinModule("node:fs");
  if (!existsSync(path)) throw new DatasetError(`There is no dataset at ${path}.${nearbyFile(path)}`);
  try {
    yield* read(path);
  } catch (error) {
    if (error instanceof DatasetError) throw error;
    throw new DatasetError(`The dataset ${path} cannot be read: ${errorMessage(error).replace(/\.$/, "")}.`);
  }
}

async function* readCsv(path: string, separator: "," | "\t"): AsyncGenerator<readonly FileRow[]> {
  let reader: CsvReader | undefined;
  let header: readonly string[] | undefined;
  const rowsOf = (records: readonly CsvRecord[]): readonly FileRow[] => {
    let rest = records;
    if (header === undefined && rest[0] !== undefined) {
      header = headerOf(rest[0], path);
      rest = rest.slice(1);
    }
    return header === undefined ? [] : rest.map((record) => csvRow(record, header as readonly string[]));
  };
  for await (const piece of textPieces(path, path)) {
    reader ??= new CsvReader(separator === "," ? separatorOf(piece) : separator);
    yield rowsOf(reader.read(piece));
  }
  if (reader !== undefined) yield rowsOf(reader.end());
  if (header === undefined) throw new DatasetError(`The dataset ${path} is empty.`);
}

/** Where a comma stands in numbers, spreadsheets write semicolons between fields: then the header has no comma. */
function separatorOf(start: string): "," | ";" {
  const names =
    start
      .replace(/^\s+/, "")
      .split("\n", 1)[0]
      ?.replace(/"[^"]*"/g, "") ?? "";
  return names.includes(";") && !names.includes(",") ? ";" : ",";
}

function headerOf(record: CsvRecord, path: string): readonly string[] {
  if ("problem" in record)
    throw new DatasetError(`${path}:${record.line}: The header cannot be read: ${record.problem}.`);
  const { fields } = record;
  const empty = fields.findIndex((name) => name.trim() === "");
  if (empty !== -1) throw new DatasetError(`${path}:1: Column ${empty + 1} has no name.`);
  const seen = new Set<string>();
  const twice = fields.find((name) => seen.size === seen.add(name).size);
  if (twice !== undefined) throw new DatasetError(`${path}:1: Two columns are called "${twice}".`);
  const reserved = fields.find(isReservedKey);
  if (reserved !== undefined)
    throw new DatasetError(`${path}:1: A column cannot be called "${reserved}". Give it another name.`);
  return fields;
}

function csvRow(record: CsvRecord, header: readonly string[]): FileRow {
  if ("problem" in record) return record;
  const { fields, line } = record;
  if (fields.length !== header.length) {
    const problem = `it has ${fields.length} fields, and the header has ${header.length}`;
    return { problem, line };
  }
  const values: Record<string, string> = {};
  for (let index = 0; index < header.length; index++)
    values[header[index] as string] = fields[index] as string;
  return { values, line };
}

async function* readJsonLines(path: string): AsyncGenerator<readonly FileRow[]> {
  for await (const lines of linePortions(path, path))
    yield lines.map(({ line, text }) => jsonRow(text, line));
}

function jsonRow(text: string, line: number): FileRow {
  try {
    return objectRow(exactJson(text), line);
  } catch {
    return { problem: "it is not JSON", line };
  }
}

/** Parses JSON. A whole number that a `number` cannot represent exactly becomes a text, as in Parquet: ids must not change. */
function exactJson(text: string): unknown {
  if (!/\d{16}/.test(text)) return JSON.parse(text) as unknown;
  // The types of the library lack the third argument.
  const revive = (_: string, value: unknown, context?: { readonly source?: string }): unknown =>
    typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? "")
      ? context?.source
      : value;
  return JSON.parse(text, revive) as unknown;
}

function objectRow(value: unknown, line: number): FileRow {
  if (!isRecord(value)) return { problem: "it is not an object", line };
  if (isDeeper(value, MAX_DEPTH)) return { problem: `it is nested more than ${MAX_DEPTH} levels deep`, line };
  // What JSON, YAML and Parquet give is plain data.
  return { values: value as JsonObject, line };
}

function isDeeper(value: object, levels: number): boolean {
  if (levels === 0) return true;
  for (const part of Array.isArray(value) ? value : Object.values(value))
    if (typeof part === "object" && part !== null && isDeeper(part, levels - 1)) return true;
  return false;
}

/** Formats that are read at once. Larger files are for JSONL, CSV and Parquet. */
const LARGEST_WHOLE = 256_000_000;
/** YAML takes many times its size in memory. */
const LARGEST_YAML = 10_000_000;

async function* readWhole(
  path: string,
  parse: (text: string) => unknown,
  largest = LARGEST_WHOLE,
): AsyncGenerator<readonly FileRow[]> {
  if (process.getBuiltinModule("node:fs").statSync(path).size > largest)
    throw new DatasetError(`The dataset ${path} is too large for its format. Write it as JSONL.`);
  let text = "";
  for await (const piece of textPieces(path, path)) text += piece;
  const value = parse(text);
  const list = isRecord(value) && Array.isArray(value.rows) ? value.rows : value;
  if (!Array.isArray(list)) throw new DatasetError(`The dataset ${path} is not a list of rows.`);
  const lines = list.every(isRecord) ? [] : await itemLines(text);
  yield list.map((item, index) => objectRow(item, lines[index] ?? 0));
}

async function* readYaml(path: string): AsyncGenerator<readonly FileRow[]> {
  const { parse } = await import("yaml");
  const read = (text: string): unknown => {
    try {
      return parse(text, { maxAliasCount: 100, logLevel: "error" });
    } catch (error) {
      // The parser calls itself for each level.
      if (/call stack/i.test(errorMessage(error)))
        throw new DatasetError(`The dataset ${path} is nested too deeply.`);
      throw error;
    }
  };
  yield* readWhole(path, read, LARGEST_YAML);
}

/** Longer texts are not read a second time for the sake of a message. */
const LONGEST_SEARCHED = 1_000_000;

/** The lines on which the items of a list begin, in JSON or YAML, for messages. Empty if they cannot be found. */
export async function itemLines(text: string): Promise<readonly number[]> {
  if (text.length > LONGEST_SEARCHED || hasDeepBrackets(text)) return [];
  const { isMap, isSeq, LineCounter, parseDocument } = await import("yaml");
  const lineCounter = new LineCounter();
  const { contents } = parseDocument(text, { lineCounter, uniqueKeys: false });
  const list = isMap(contents) ? contents.get("rows") : contents;
  if (!isSeq(list)) return [];
  return list.items.map((item) => {
    const { range } = item as { readonly range?: readonly number[] | null };
    return range == null ? 0 : lineCounter.linePos(range[0] ?? 0).line;
  });
}

/** The parser of YAML takes time in proportion to the square of the depth. */
function hasDeepBrackets(text: string): boolean {
  let depth = 0;
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    depth = Math.max(0, depth + ("[{".includes(bracket) ? 1 : -1));
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

/** How long a portion of rows may take, without what a large file adds. */
const PARQUET_MS = 20_000;
const PARQUET_BYTES_PER_MS = 10_000;
const PARQUET_MEMORY_MB = 2_048;

/** In a thread of its own: a damaged or hostile file can keep the library busy without end, or use up the memory. */
export async function* readParquet(
  path: string,
  longestMs: number = PARQUET_MS,
): AsyncGenerator<readonly FileRow[]> {
  const { size } = process.getBuiltinModule("node:fs").statSync(path);
  const limitMs = longestMs + size / PARQUET_BYTES_PER_MS;
  const thread = startParquetThread();
  let line = 1;
  try {
    for (let request: ParquetRequest = { path }; ; request = {}) {
      const reply = await parquetReply(thread, request, limitMs);
      if (reply === undefined)
        throw new DatasetError(
          `The dataset ${path} cannot be read: it is damaged, or takes too much time or memory. Write it with smaller row groups.`,
        );
      if ("failure" in reply) {
        const { message, isSentence } = reply.failure;
        throw isSentence ? new DatasetError(message) : new Error(message);
      }
      if (reply.rows === null) return;
      yield reply.rows.map((row) => objectRow(row, line++));
    }
  } finally {
    await thread.terminate();
  }
}

function startParquetThread(): Worker {
  // Beside the sources there is the compiled package, where the program of the thread is a file of its own as well.
  const program = import.meta.url.endsWith(".ts") ? "./parquet-worker.ts" : "./parquet-worker.js";
  // Not imported, so that loading the library does not load threads.
  const { Worker } = process.getBuiltinModule("node:worker_threads");
  const thread = new Worker(new URL(program, import.meta.url), {
    name: "elenchus parquet",
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: PARQUET_MEMORY_MB },
  });
  // Its exit says enough.
  thread.on("error", () => {});
  return thread;
}

/** What the thread answers; undefined if it takes too long or ends. */
function parquetReply(
  thread: Worker,
  request: ParquetRequest,
  limitMs: number,
): Promise<ParquetReply | undefined> {
  const { promise, resolve } = Promise.withResolvers<ParquetReply | undefined>();
  const end = (): void => resolve(undefined);
  const timer = setTimeout(end, limitMs);
  thread.once("message", resolve).once("exit", end);
  thread.postMessage(request);
  return promise.finally(() => {
    clearTimeout(timer);
    thread.off("message", resolve).off("exit", end);
  });
}
