import type { TableRow } from "./table.ts";

/** Rows as the pieces of a JSON file: a list with one row on each line. */
export function* toJson(rows: Iterable<TableRow>): Generator<string> {
  let isFirst = true;
  for (const row of rows) {
    yield `${isFirst ? "[\n" : ",\n"}${JSON.stringify(row)}`;
    isFirst = false;
  }
  yield isFirst ? "[]\n" : "\n]\n";
}
