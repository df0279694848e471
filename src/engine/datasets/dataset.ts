import {
  type ColumnType,
  columnsInWhere,
  compileWhere,
  contentRowId,
  type DatasetOptions,
  type DatasetSource,
} from "../../core/scenario/dataset.ts";
import type { RowProblem } from "../../core/scenario/row-texts.ts";
import { nameHint, nearestOf } from "../../core/schema/nearest-name.ts";
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
  /** Only the rows with these ids. */
  readonly onlyRows?: readonly string[];
  /** Only so many rows, the first. */
  readonly rowLimit?: number;
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
  /** How many rows have a problem. */
  readonly problemCount: number;
  /** In sentences with file and line. */
  readonly problems: readonly string[];
  /** The ids of the rows that are used; undefined for all. */
  readonly chosen: ReadonlySet<string> | undefined;
}

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
  readonly #test: RowTest | undefined;
  readonly #chosen: ReadonlySet<string> | undefined;

  private constructor(source: DatasetSource, { test, skipBadRows = false }: ReadOptions, found: Inspection) {
    this.source = source;
    this.skipsBadRows = skipBadRows;
    this.count = found.count;
    this.hash = found.hash;
    this.columns = found.columns;
    this.skipped = skipBadRows ? found.problemCount : 0;
    this.#test = test;
    this.#chosen = found.chosen;
  }

  /** Reads all rows once. Throws `DatasetError` with all problems of rows, unless they are to be skipped. */
  static async open(source: DatasetSource, options: ReadOptions = {}): Promise<Dataset> {
    const { skipBadRows = false, testColumns = () => [] } = options;
    const found = await inspect(source, options);
    const { columns, count, problemCount } = found;
    const isRefused = problemCount > 0 && !skipBadRows;
    // Without a row that can be used there are no columns, and that is not the cause.
    if (columns.length === 0) throw isRefused ? badRows(found) : noRows(source, problemCount);
    const wrong = testColumns(columns);
    if (wrong.length > 0) throw new DatasetError(wrong.join("\n"), wrong);
    if (isRefused) throw badRows(found);
    if (count === 0) throw noRows(source, problemCount);
    return new Dataset(source, options, found);
  }

  /** The rows in portions. */
  async *portions(): AsyncGenerator<readonly DatasetRow[]> {
    let index = 0;
    for await (const portion of usableRows(this.source, { test: this.#test })) {
      const chosen = this.#chosen;
      const wanted = chosen === undefined ? portion : portion.filter(({ id }) => chosen.has(id));
      const selected = wanted.slice(0, this.count - index);
      if (selected.length > 0) yield selected.map(({ id, values }) => ({ id, index: index++, values }));
      if (index >= this.count) return;
    }
  }

  /** The rows, one after the other. */
  async *[Symbol.asyncIterator](): AsyncGenerator<DatasetRow> {
    for await (const portion of this.portions()) yield* portion;
  }
}

function noRows({ file, where }: DatasetSource, problemCount: number): DatasetError {
  const name = file === undefined ? "The dataset" : `The dataset ${file}`;
  if (problemCount > 0)
    return new DatasetError(`${name} has no row that can be used: ${problemCount} were left out.`);
  const rows = where === undefined ? "rows" : 'rows for which "where" holds';
  return new DatasetError(`${name} has no ${rows}.`);
}

function badRows({ problems, problemCount }: Inspection): DatasetError {
  const head =
    problemCount === 1
      ? "A row of the dataset cannot be used. Fix it, or leave it out with --skip-bad-rows (`skipBadRows`):"
      : `${problemCount} rows of the dataset cannot be used. Fix them, or leave them out with --skip-bad-rows (\`skipBadRows\`):`;
  return new DatasetError([head, ...problems.map((problem) => `  - ${problem}`)].join("\n"), problems);
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

async function inspect(
  source: DatasetSource,
  { test, used = (row) => row, onlyRows, rowLimit = Number.POSITIVE_INFINITY }: ReadOptions,
): Promise<Inspection> {
  const { sample, limit = Number.POSITIVE_INFINITY } = source;
  const columns = new Set<string>();
  const groups = new Map<string, ProblemGroup>();
  let [count, problemCount] = [0, 0];
  const onProblems = (problems: readonly RowProblem[], place: RowPlace): void => {
    problemCount++;
    for (const problem of problems) {
      const group = groups.get(problem.kind) ?? { problem, places: [], count: 0 };
      if (groups.size < MOST_PROBLEMS) groups.set(problem.kind, group);
      if (group.places.length < MOST_PLACES) group.places.push(place);
      group.count++;
    }
  };
  const hash = process.getBuiltinModule("node:crypto").createHash("sha256");
  const drawn: (readonly [key: string, id: string])[] = [];
  const ids: string[] = [];
  for await (const portion of usableRows(source, { test, columns, onProblems })) {
    count += portion.length;
    for (const { id, values } of portion) {
      hash.update(`${canonicalJson([id, used(values)])}\n`);
      if (onlyRows !== undefined) ids.push(id);
      if (sample !== undefined) drawn.push([sha256(`${sample.seed ?? 0} ${id}`), id]);
    }
  }
  if (count > 0 || columns.size > 0) requireColumns(source, [...columns]);
  // Those with the lowest keys: which ones does not depend on the order, and another id changes at most one.
  drawn.sort(([one], [other]) => (one < other ? -1 : 1));
  const sampled = sample === undefined ? undefined : new Set(drawn.slice(0, sample.n).map(([, id]) => id));
  const chosen = onlyRows === undefined ? sampled : new Set(onlyRows);
  const unknown = onlyRows?.find((id) => !ids.includes(id));
  if (unknown !== undefined && problemCount === 0 && count > 0)
    throw new DatasetError(`There is no row ${JSON.stringify(unknown)}. ${nameHint(unknown, ids)}`);
  return {
    count: Math.min(chosen?.size ?? count, limit, rowLimit),
    hash: hash.digest("hex").slice(0, 16),
    columns: [...columns],
    problemCount,
    problems: await sentences(source, [...groups.values()]),
    chosen,
  };
}

async function sentences(
  { file }: DatasetSource,
  groups: readonly ProblemGroup[],
): Promise<readonly string[]> {
  const lineOf = groups.length === 0 ? () => undefined : await lineFinder(file);
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

/** Finds the line of a row, if there is one; those of JSON and YAML are looked for here, only for messages. */
async function lineFinder(file: string | undefined): Promise<(place: RowPlace) => number | undefined> {
  if (file === undefined || /\.parquet$/i.test(file)) return () => undefined;
  if (!/\.(json|ya?ml)$/i.test(file)) return ({ line }) => line;
  const { readFileSync } = process.getBuiltinModule("node:fs");
  const lines = await itemLines(readFileSync(file, "utf8"));
  return ({ number }) => lines[number - 1];
}

/** The columns that the options name must be there. */
function requireColumns({ id, where, columns = {}, file }: DatasetSource, present: readonly string[]): void {
  const named = [...(id === undefined ? [] : [id]), ...Object.keys(columns), ...columnsInWhere(where)];
  const missing = named.find(
    (name) => !present.includes(name) && !present.includes(name.split(".")[0] ?? ""),
  );
  if (missing === undefined) return;
  const { nearest } = nearestOf(missing, present);
  const hint = nearest === undefined ? `It has ${present.join(", ")}.` : `Did you mean "${nearest}"?`;
  throw new DatasetError(
    `The dataset${file === undefined ? "" : ` ${file}`} has no column "${missing}". ${hint}`,
  );
}

interface ReadRow {
  readonly id: string;
  readonly values: JsonObject;
}

interface UnusableRow {
  readonly problems: readonly RowProblem[];
}

/** What is done while rows are read. */
interface Reading {
  readonly test: RowTest | undefined;
  /** Gets the names of all columns. */
  readonly columns?: Set<string>;
  readonly onProblems?: (problems: readonly RowProblem[], place: RowPlace) => void;
}

/** Reads rows and gives them ids and types; rows that cannot be used, and those for which the filter does not hold, are left out. */
async function* usableRows(
  source: DatasetSource,
  { test, columns, onProblems }: Reading,
): AsyncGenerator<readonly ReadRow[]> {
  const { file, rows = [], id: idColumn } = source;
  const holds = compileWhere(source.where);
  const ids = new Map<string, number>();
  let number = 0;
  const read = (row: FileRow): ReadRow | UnusableRow | null => {
    if ("problem" in row) return problemOf(row.problem);
    if (columns !== undefined)
      for (const column in row.values) {
        if (columns.has(column)) continue;
        if (isReservedKey(column)) throw new DatasetError(reservedColumn(column, file));
        columns.add(column);
      }
    if (Object.values(row.values).every(isEmpty)) return problemOf("all of its columns are empty");
    const typed = typedRow(row.values, source.columns);
    if ("problems" in typed) return typed;
    const { values } = typed;
    if (!holds(values)) return null;
    const id = rowId(values, idColumn, ids);
    if (typeof id !== "string") return id;
    const problems = test?.(values) ?? [];
    return problems.length === 0 ? { id, values } : { problems };
  };
  const portions = file === undefined ? [rows.map((values) => ({ values, line: 0 }))] : readRows(file);
  for await (const portion of portions) {
    const usable: ReadRow[] = [];
    for (const row of portion) {
      number++;
      const found = read(row);
      if (found === null) continue;
      if ("problems" in found) onProblems?.(found.problems, { line: row.line, number });
      else usable.push(found);
    }
    yield usable;
  }
}

/** The id of a row: that of its column, or else made from its content and how often the same content came before. */
function rowId(
  values: JsonObject,
  column: string | undefined,
  ids: Map<string, number>,
): string | UnusableRow {
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

function reservedColumn(column: string, file: string | undefined): string {
  return `${file === undefined ? "" : `${file}: `}A column cannot be called "${column}". Give it another name.`;
}

function problemOf(text: string, kind: string = text): UnusableRow {
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
): Pick<ReadRow, "values"> | UnusableRow {
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
