import {
  type ColumnType,
  columnsInWhere,
  compileWhere,
  contentRowId,
  type DatasetOptions,
  type DatasetSource,
} from "../../core/scenario/dataset.ts";
import type { RowProblem } from "../../core/scenario/row-texts.ts";
import { nearestOf } from "../../core/schema/nearest-name.ts";
import { numberValue } from "../../core/text/text-value.ts";
import { sha256 } from "../../core/values/hash.ts";
import {
  canonicalJson,
  isReservedKey,
  type JsonObject,
  type JsonValue,
  ownValue,
} from "../../core/values/json.ts";
import { DatasetError, type FileRow, itemLines, readRows } from "./row-files.ts";

/** A row of a dataset. */
export interface DatasetRow {
  /** Of the column that `id` names, else made from the content. */
  readonly id: string;
  /** Position among the rows that are used, from 0. */
  readonly index: number;
  readonly values: JsonObject;
}

/** A further test of rows; returns what is wrong. */
type RowTest = (row: JsonObject) => readonly RowProblem[];

/** How a dataset is read. */
interface ReadOptions {
  /** True to leave out rows that cannot be used; otherwise they are an error (default false). */
  readonly skipBadRows?: boolean;
  readonly test?: RowTest;
  /** What of a row is part of the hash (default: all of it). */
  readonly used?: (row: JsonObject) => JsonObject;
  /** What is wrong with the columns as a whole, in sentences. */
  readonly testColumns?: (columns: readonly string[]) => readonly string[];
}

/** The result of reading all rows once. */
interface Inspection {
  readonly count: number;
  readonly hash: string;
  readonly columns: readonly string[];
  /** How many rows were left out because they cannot be used. */
  readonly skipped: number;
  /** In sentences with file and line. */
  readonly problems: readonly string[];
  /** How many rows have a problem. */
  readonly problemCount: number;
}

/** Where a row stands. */
interface RowPlace {
  readonly line: number;
  /** Among all rows of the file, from 1. */
  readonly number: number;
}

/** Rows with the same problem. */
interface ProblemGroup {
  readonly problem: RowProblem;
  /** The first of them. */
  readonly places: RowPlace[];
  count: number;
}

/** How many problems are kept to be shown, and how many rows with the same one are named. */
const MOST_PROBLEMS = 50;
const MOST_PLACES = 6;

/**
 * Rows that have been read once: they are counted and valid. They are read again when they are needed, so that a file of any size takes
 * the memory of a part of it.
 */
export class Dataset {
  readonly count: number;
  /** Of the ids and values of all rows for which `where` holds. */
  readonly hash: string;
  readonly columns: readonly string[];
  /** How many rows were left out because they cannot be used. */
  readonly skipped: number;
  /** What is read, and how. */
  readonly source: DatasetSource;
  readonly skipsBadRows: boolean;
  readonly #reader: RowReader;

  private constructor(reader: RowReader, { count, hash, columns, skipped }: Inspection) {
    this.#reader = reader;
    this.source = reader.source;
    this.skipsBadRows = reader.options.skipBadRows === true;
    this.count = count;
    this.hash = hash;
    this.columns = columns;
    this.skipped = skipped;
  }

  /** Reads all rows once. Throws `DatasetError` with all problems of rows, unless they are to be skipped. */
  static async open(source: DatasetSource, options: ReadOptions = {}): Promise<Dataset> {
    const reader = new RowReader(source, options);
    const found = await reader.inspect();
    // Without a row that can be used there are no columns, and that is not the cause.
    if (found.columns.length === 0 && found.problemCount > 0 && options.skipBadRows !== true)
      throw badRows(found);
    if (found.columns.length === 0 && found.problemCount === 0) throw new DatasetError(noRows(source, found));
    const wrong = options.testColumns?.(found.columns) ?? [];
    if (wrong.length > 0) throw new DatasetError(wrong.join("\n"), wrong);
    if (found.problemCount > 0 && options.skipBadRows !== true) throw badRows(found);
    if (found.count === 0) throw new DatasetError(noRows(source, found));
    return new Dataset(reader, found);
  }

  /** The rows in portions. */
  portions(): AsyncGenerator<readonly DatasetRow[]> {
    return this.#reader.portions();
  }

  /** The rows, one after the other. */
  async *[Symbol.asyncIterator](): AsyncGenerator<DatasetRow> {
    for await (const portion of this.portions()) yield* portion;
  }
}

function noRows({ file, where }: DatasetSource, { skipped }: Inspection): string {
  const name = file === undefined ? "The dataset" : `The dataset ${file}`;
  if (skipped > 0) return `${name} has no row that can be used: ${skipped} were left out.`;
  return where === undefined ? `${name} has no rows.` : `${name} has no rows for which "where" holds.`;
}

function badRows({ problems, problemCount }: Inspection): DatasetError {
  return new DatasetError(
    [
      problemCount === 1
        ? "A row of the dataset cannot be used. Fix it, or leave it out with --skip-bad-rows (`skipBadRows`):"
        : `${problemCount} rows of the dataset cannot be used. Fix them, or leave them out with --skip-bad-rows (\`skipBadRows\`):`,
      ...problems.map((problem) => `  - ${problem}`),
    ].join("\n"),
    problems,
  );
}

interface ReadRow {
  readonly id: string;
  readonly values: JsonObject;
}

/** Reads rows, gives them ids and types, and leaves out those that are not selected. */
class RowReader {
  readonly source: DatasetSource;
  readonly options: ReadOptions;
  readonly #holds: (row: JsonObject) => boolean;
  /** The ids of a sample; undefined if all rows are used. */
  #sample: ReadonlySet<string> | undefined;
  #columns: readonly string[] = [];

  constructor(source: DatasetSource, options: ReadOptions) {
    this.source = source;
    this.options = options;
    this.#holds = compileWhere(source.where);
  }

  async inspect(): Promise<Inspection> {
    const { sample, limit = Number.POSITIVE_INFINITY } = this.source;
    const columns = new Set<string>();
    const groups = new Map<string, ProblemGroup>();
    let [count, problemCount] = [0, 0];
    const hash = process.getBuiltinModule("node:crypto").createHash("sha256");
    const { used = (row) => row } = this.options;
    const drawn = sample === undefined ? undefined : new Lowest(sample.n);
    const onProblems = (problems: readonly RowProblem[], place: RowPlace): void => {
      problemCount++;
      for (const problem of problems) {
        const group = groups.get(problem.kind) ?? { problem, places: [], count: 0 };
        if (groups.size < MOST_PROBLEMS) groups.set(problem.kind, group);
        if (group.places.length < MOST_PLACES) group.places.push(place);
        group.count++;
      }
    };
    for await (const portion of this.#read({ columns, onProblems })) {
      count += portion.length;
      for (const { id, values } of portion) hash.update(`${canonicalJson([id, used(values)])}\n`);
      if (drawn !== undefined)
        for (const { id } of portion) drawn.add(id, sha256(`${sample?.seed ?? 0} ${id}`));
    }
    this.#columns = [...columns];
    if (count > 0 || columns.size > 0) this.#requireColumns();
    if (drawn !== undefined) {
      this.#sample = drawn.ids;
      count = drawn.ids.size;
    }
    return {
      count: Math.min(count, limit),
      hash: hash.digest("hex").slice(0, 16),
      columns: this.#columns,
      skipped: this.options.skipBadRows === true ? problemCount : 0,
      problems: await this.#sentences([...groups.values()]),
      problemCount,
    };
  }

  async *portions(): AsyncGenerator<readonly DatasetRow[]> {
    const { limit = Number.POSITIVE_INFINITY } = this.source;
    let index = 0;
    for await (const portion of this.#read({})) {
      const selected =
        this.#sample === undefined ? portion : portion.filter(({ id }) => this.#sample?.has(id));
      const left = selected.slice(0, Math.max(0, limit - index));
      if (left.length > 0) yield left.map(({ id, values }) => ({ id, index: index++, values }));
      if (index >= limit) return;
    }
  }

  /** Rows that can be used and for which the filter holds. */
  async *#read({
    columns,
    onProblems,
  }: {
    readonly columns?: Set<string>;
    readonly onProblems?: (problems: readonly RowProblem[], place: RowPlace) => void;
  }): AsyncGenerator<readonly ReadRow[]> {
    const ids = new Map<string, number>();
    let number = 0;
    for await (const portion of this.#portions()) {
      const rows: ReadRow[] = [];
      for (const row of portion) {
        number++;
        const read = this.#row(row, ids, columns);
        if (read === null) continue;
        if ("values" in read) rows.push(read);
        else onProblems?.(read.problems, { line: row.line, number });
      }
      yield rows;
    }
  }

  #portions(): AsyncIterable<readonly FileRow[]> | Iterable<readonly FileRow[]> {
    const { file, rows = [] } = this.source;
    if (file !== undefined) return readRows(file);
    return [rows.map((values) => ({ values, line: 0 }))];
  }

  /** The row, why it cannot be used, or null if the filter leaves it out. */
  #row(
    row: FileRow,
    ids: Map<string, number>,
    columns: Set<string> | undefined,
  ): ReadRow | { readonly problems: readonly RowProblem[] } | null {
    if ("problem" in row) return problemOf(row.problem);
    if (columns !== undefined)
      for (const column in row.values) {
        if (columns.has(column)) continue;
        if (isReservedKey(column)) throw new DatasetError(reservedColumn(column, this.source.file));
        columns.add(column);
      }
    if (Object.values(row.values).every(isEmpty)) return problemOf("all of its columns are empty");
    const typed = typedRow(row.values, this.source.columns);
    if ("problems" in typed) return typed;
    const { values } = typed;
    if (!this.#holds(values)) return null;
    const id = this.#id(values, ids);
    if (typeof id !== "string") return id;
    const problems = this.options.test?.(values) ?? [];
    return problems.length === 0 ? { id, values } : { problems };
  }

  #id(values: JsonObject, ids: Map<string, number>): string | { readonly problems: readonly RowProblem[] } {
    const { id: column } = this.source;
    if (column === undefined) {
      const hash = sha256(canonicalJson(values));
      const occurrence = (ids.get(hash) ?? 0) + 1;
      ids.set(hash, occurrence);
      return contentRowId(hash, occurrence);
    }
    const value = ownValue(values, column);
    if ((typeof value !== "string" && typeof value !== "number") || String(value).trim() === "")
      return problemOf(`the column "${column}" has no id, but ${shown(value)}`, "no id");
    const id = String(value);
    if (ids.has(id)) return problemOf(`another row has the id "${id}"`, "same id");
    ids.set(id, 1);
    return id;
  }

  async #sentences(groups: readonly ProblemGroup[]): Promise<readonly string[]> {
    if (groups.length === 0) return [];
    const lineOf = await this.#lines();
    const { file } = this.source;
    return groups.map(({ problem: { text, columns = [] }, places, count }) => {
      const [first, ...others] = places as [RowPlace, ...RowPlace[]];
      const line = lineOf(first);
      const row = line === undefined ? `row ${first.number}` : `${file}:${line}`;
      const place = line === undefined && file !== undefined ? `${file}, ${row}` : row;
      const named = columns.map((column) => JSON.stringify(column)).join(" and ");
      const where = columns.length === 0 ? "" : `, ${columns.length === 1 ? "column" : "columns"} ${named}`;
      if (count === 1) return `${place}${where}: ${text}.`;
      const more = `${line === undefined ? "row" : "line"}${count === 2 ? "" : "s"} ${others.map((other) => lineOf(other) ?? other.number).join(", ")}`;
      const rest = count - places.length;
      return `${place}${where}: ${text}. The same in ${more}${rest > 0 ? ` and ${rest} more` : ""}.`;
    });
  }

  /** The line of a row, if there is one; those of JSON and YAML are looked for here, only for messages. */
  async #lines(): Promise<(place: RowPlace) => number | undefined> {
    const { file } = this.source;
    if (file === undefined || /\.parquet$/i.test(file)) return () => undefined;
    if (!/\.(json|ya?ml)$/i.test(file)) return ({ line }) => line;
    const { readFileSync } = await import("node:fs");
    const lines = await itemLines(readFileSync(file, "utf8"));
    return ({ number }) => lines[number - 1];
  }

  /** The columns that the options name must be there. */
  #requireColumns(): void {
    const { id, where, columns = {}, file } = this.source;
    const named = [...(id === undefined ? [] : [id]), ...Object.keys(columns), ...columnsInWhere(where)];
    const missing = named.find(
      (name) => !this.#columns.includes(name) && !this.#columns.includes(name.split(".")[0] ?? ""),
    );
    if (missing === undefined) return;
    const { nearest } = nearestOf(missing, this.#columns);
    const hint = nearest === undefined ? `It has ${this.#columns.join(", ")}.` : `Did you mean "${nearest}"?`;
    throw new DatasetError(
      `The dataset${file === undefined ? "" : ` ${file}`} has no column "${missing}". ${hint}`,
    );
  }
}

function reservedColumn(column: string, file: string | undefined): string {
  return `${file === undefined ? "" : `${file}: `}A column cannot be called "${column}". Give it another name.`;
}

function problemOf(text: string, kind: string = text): { readonly problems: readonly RowProblem[] } {
  return { problems: [{ kind, text }] };
}

function isEmpty(value: JsonValue): boolean {
  return value === null || (typeof value === "string" && value.trim() === "");
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

/** The values of a row in the types of their columns. */
function typedRow(
  values: JsonObject,
  columns: DatasetOptions["columns"],
): { readonly values: JsonObject } | { readonly problems: readonly RowProblem[] } {
  if (columns === undefined) return { values };
  const typed: Record<string, JsonValue> = { ...values };
  for (const [column, type] of Object.entries(columns)) {
    const value = ownValue(values, column) as JsonValue | undefined;
    if (value === undefined) continue;
    const converted = convert(value, type);
    if (converted === undefined)
      return problemOf(
        `the column "${column}" must be ${NAMES[type]}, but is ${shown(value)}`,
        `type ${column}`,
      );
    typed[column] = converted;
  }
  return { values: typed };
}

const NAMES: Readonly<Record<ColumnType, string>> = {
  text: "text",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  json: "JSON",
};

/** The value in a type, or undefined if it cannot be one. An empty field of a CSV is null, except as text. */
function convert(value: JsonValue, type: ColumnType): JsonValue | undefined {
  if (value === null) return null;
  if (type === "text")
    return typeof value === "string" ? value : typeof value === "object" ? undefined : String(value);
  if (typeof value === "string" && value.trim() === "") return null;
  switch (type) {
    case "number":
    case "integer": {
      const number = typeof value === "string" || typeof value === "number" ? numberValue(value) : undefined;
      return number === undefined || (type === "integer" && !Number.isInteger(number)) ? undefined : number;
    }
    case "boolean":
      if (typeof value === "boolean") return value;
      if (/^(true|yes|1)$/i.test(String(value).trim())) return true;
      return /^(false|no|0)$/i.test(String(value).trim()) ? false : undefined;
    case "json":
      if (typeof value !== "string") return value;
      try {
        return JSON.parse(value) as JsonValue;
      } catch {
        return undefined;
      }
  }
}

/** Keeps the ids with the lowest keys: which ones does not depend on the order, and another id changes at most one. */
class Lowest {
  readonly #most: number;
  #kept: { readonly id: string; readonly key: string }[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  get ids(): ReadonlySet<string> {
    this.#drop();
    return new Set(this.#kept.map(({ id }) => id));
  }

  add(id: string, key: string): void {
    this.#kept.push({ id, key });
    if (this.#kept.length >= 2 * this.#most + 1_000) this.#drop();
  }

  #drop(): void {
    this.#kept.sort((one, other) => (one.key < other.key ? -1 : 1));
    this.#kept = this.#kept.slice(0, this.#most);
  }
}

/**
 * Reads the rows of a file once: CSV, TSV, JSONL, JSON, YAML or Parquet. Throws `DatasetError` with all problems, each with file and
 * line. The result can be iterated several times, and passed to `runScenarios` as `dataset`.
 *
 * @example
 * for await (const { id, values } of await readDataset("questions.csv", { id: "id", columns: { year: "integer" } })) …
 */
export function readDataset(
  file: string,
  options: DatasetOptions & Pick<ReadOptions, "skipBadRows"> = {},
): Promise<Dataset> {
  const { skipBadRows = false, ...source } = options;
  return Dataset.open({ ...source, file }, { skipBadRows });
}
