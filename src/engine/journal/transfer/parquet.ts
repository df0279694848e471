import type { CellValue, ColumnType, TableRow } from "./tables.ts";

/** Rows that are packed together; memory is in proportion to them. */
const ROWS_IN_GROUP = 10_000;

/** A table of whatever rows. */
type ColumnTable = Iterable<TableRow> & {
  readonly columns: readonly string[];
  readonly types?: Readonly<Record<string, ColumnType>>;
};

/**
 * A table as the bytes of a Parquet file, for pandas, R and DuckDB. Columns have the types that the table says, the same in every run;
 * others that of their values: one that holds booleans and numbers has JSON. The table is read twice: for the types, and for the values.
 *
 * @example
 * for await (const bytes of toParquet(turnTable(store, "monday"))) file.write(bytes);
 */
export async function* toParquet(table: ColumnTable): AsyncGenerator<Uint8Array> {
  const { ByteWriter, ParquetWriter, schemaFromColumnData } = await import("hyparquet-writer");
  const types = columnTypes(table);
  const columns = [...types].map(([name, type]) => ({ name, type, nullable: true }));
  const writer = new ByteWriter();
  const parquet = new ParquetWriter({
    writer,
    schema: schemaFromColumnData({ columnData: columns.map((column) => ({ ...column, data: [] })) }),
  });
  const written = (): Uint8Array => {
    const bytes = Uint8Array.from(writer.getBytes());
    // The writer counts what it has written; only its buffer begins anew.
    writer.index = 0;
    return bytes;
  };
  for (const rows of groupsOf(table)) {
    const columnData = columns.map((column) => ({
      ...column,
      data: rows.map((row) => row[column.name] ?? null),
    }));
    await parquet.write({ columnData, rowGroupSize: rows.length });
    yield written();
  }
  await parquet.finish();
  yield written();
}

function* groupsOf(table: Iterable<TableRow>): Generator<readonly TableRow[]> {
  let group: TableRow[] = [];
  for (const row of table) {
    group.push(row);
    if (group.length < ROWS_IN_GROUP) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

/** The narrowest type that holds all values of each column. */
function columnTypes(table: ColumnTable): ReadonlyMap<string, ColumnType> {
  const types = new Map<string, ColumnType | undefined>(
    table.columns.map((name) => [name, table.types?.[name]]),
  );
  const open = table.columns.filter((name) => types.get(name) === undefined);
  for (const row of open.length === 0 ? [] : table)
    for (const name of open) {
      const known = types.get(name);
      const value = row[name] ?? null;
      if (value !== null) types.set(name, known === undefined ? typeOf(value) : joined(known, typeOf(value)));
    }
  return new Map([...types].map(([name, type]) => [name, type ?? "STRING"]));
}

function typeOf(value: NonNullable<CellValue>): ColumnType {
  if (typeof value === "boolean") return "BOOLEAN";
  if (typeof value === "string") return "STRING";
  // A whole number in one run may be none in the next.
  return "DOUBLE";
}

function joined(known: ColumnType, other: ColumnType): ColumnType {
  return known === other ? known : "JSON";
}
