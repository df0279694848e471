import type { CellValue, TableRow } from "./tables.ts";

/**
 * Rows as the lines of a CSV file (RFC 4180), each with its end. A text that a spreadsheet would run as a formula gets a
 * single quote in front. Null is empty, and so is a text without characters.
 *
 * @example
 * for (const line of toCsv(turnTable(store, "monday"))) file.write(line);
 */
export function* toCsv(
  rows: Iterable<TableRow> & { readonly columns?: readonly string[] },
): Generator<string> {
  let { columns } = rows;
  if (columns !== undefined) yield lineOf(columns);
  for (const row of rows) {
    if (columns === undefined) {
      columns = Object.keys(row);
      yield lineOf(columns);
    }
    for (const key of Object.keys(row)) {
      if (!columns.includes(key))
        throw new TypeError(`A row has the column "${key}", which the first has not.`);
    }
    yield lineOf(columns.map((column) => row[column] ?? null));
  }
}

function lineOf(cells: readonly CellValue[]): string {
  return `${cells.map(cellOf).join(",")}\r\n`;
}

function cellOf(value: CellValue): string {
  if (value === null) return "";
  if (typeof value !== "string") return String(value);
  // Halves of characters are not UTF-8.
  const safe = (isFormula(value) ? `'${value}` : value).toWellFormed();
  return /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** What spreadsheets take for the beginning of a formula; the wide forms are Japanese. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
const PLAIN_NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

function isFormula(text: string): boolean {
  return FORMULA.test(text) && !PLAIN_NUMBER.test(text);
}

/** Rows as the pieces of a JSON file: a list with one row on each line. */
export function* toJson(rows: Iterable<TableRow>): Generator<string> {
  let isFirst = true;
  for (const row of rows) {
    yield `${isFirst ? "[\n" : ",\n"}${JSON.stringify(row)}`;
    isFirst = false;
  }
  yield isFirst ? "[]\n" : "\n]\n";
}
