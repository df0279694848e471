import { compileComparison } from "../checks/shorthand.ts";
import { evaluateComposition, leavesOf } from "../logic/composition.ts";
import type { Truth } from "../logic/kleene.ts";
import {
  described,
  either,
  integer,
  integerFrom,
  jsonObject,
  list,
  nonEmptyText,
  object,
  oneOfTexts,
  record,
  type TypeOf,
} from "../schema/shape.ts";
import { type ConditionLeaf, compileWhen, WHEN_SHAPE, type When } from "../state/condition.ts";
import { isRecord, type JsonObject, ownValue } from "../values/json.ts";

const COLUMN_TYPE = oneOfTexts("text", "number", "integer", "boolean", "json");

/** What a column holds, where the file cannot say it. */
export type ColumnType = TypeOf<typeof COLUMN_TYPE>;

const ROWS = list(jsonObject, { ifEmpty: "empty_value" });

const SOURCE = object(
  "a dataset",
  {},
  {
    optional: {
      file: described(nonEmptyText, "CSV, TSV, JSONL, JSON, YAML or Parquet; relative to the scenario file."),
      rows: ROWS,
      id: described(nonEmptyText, "The column that identifies a row."),
      where: described(WHEN_SHAPE, "Only rows for which this holds; paths are columns."),
      limit: described(integerFrom(1), "Only the first rows."),
      sample: described(
        object("a sample", { n: integerFrom(1) }, { optional: { seed: integer } }),
        "Only rows that are drawn by their ids.",
      ),
      columns: described(record(COLUMN_TYPE), "Types of columns, where the file cannot say them."),
    },
    rule: (value, report) => {
      const count = ["file", "rows"].filter((key) => value[key] !== undefined).length;
      if (count !== 1)
        report(null, { code: "invalid_parameter", message: "A dataset needs either file or rows." });
      if (hasCode(value.where))
        report("where", {
          code: "invalid_parameter",
          message: "A filter of rows cannot be code; write { column: value }.",
        });
    },
  },
);

/** A dataset as it stands in files. */
export const DATASET_SHAPE = described(
  either(nonEmptyText, ROWS, SOURCE),
  "Rows: the scenario is run once for each of them. A path, a list of rows, or either with options.",
);

/** A dataset with options: rows in a file, or given rows. */
export interface DatasetSource extends TypeOf<typeof SOURCE> {}

/** Which rows of a dataset are used, and what their columns hold. */
export type DatasetOptions = Omit<DatasetSource, "file" | "rows">;

/** A dataset as scenarios name it: a path, rows, or either with options. */
export type DatasetOption = TypeOf<typeof DATASET_SHAPE>;

/** A dataset in the long form. */
export function datasetSource(dataset: DatasetOption): DatasetSource {
  if (typeof dataset === "string") return { file: dataset };
  return isRowList(dataset) ? { rows: dataset } : dataset;
}

function isRowList(dataset: Exclude<DatasetOption, string>): dataset is readonly JsonObject[] {
  return Array.isArray(dataset);
}

function hasCode(where: unknown): boolean {
  if (typeof where === "string" || typeof where === "function") return true;
  if (Array.isArray(where)) return where.some(hasCode);
  if (!isRecord(where) || typeof where.type !== "string") return false;
  return hasCode(where.condition) || (Array.isArray(where.conditions) && where.conditions.some(hasCode));
}

/** A test of rows. What cannot be evaluated does not hold. */
export function compileWhere(where: When | undefined): (row: JsonObject) => boolean {
  const condition = compileWhen(where);
  if (condition === null) return () => true;
  const tests = new Map(leavesOf(condition).map((leaf) => [leaf, leafTest(leaf)]));
  return (row) => evaluateComposition(condition, (leaf) => tests.get(leaf)?.(row) ?? null) === true;
}

function leafTest(leaf: ConditionLeaf): (row: JsonObject) => Truth {
  if (leaf.type === "function") return () => null;
  const { field, verifyWith, expected = null } = leaf;
  const check = compileComparison(verifyWith);
  return (row) => {
    const { passes, evaluable } = check(columnAt(row, field), expected);
    return passes ? true : evaluable ? false : null;
  };
}

/** The value of a column, or inside of it: `answer`, `row.answer`, `meta.level`. What is missing is null. */
function columnAt(row: JsonObject, path: string): unknown {
  const own = ownValue(row, path);
  if (own !== undefined) return own;
  const keys = path.split(".");
  let value: unknown = row;
  for (const key of keys[0] === "row" && !Object.hasOwn(row, "row") ? keys.slice(1) : keys)
    value = typeof value === "object" && value !== null ? ownValue(value, key) : undefined;
  return value ?? null;
}

/** The columns that a filter looks at. */
export function columnsInWhere(where: When | undefined): readonly string[] {
  const condition = compileWhen(where);
  return (condition === null ? [] : leavesOf(condition)).flatMap((leaf) =>
    leaf.type === "state_check" ? [leaf.field.replace(/^row\./, "")] : [],
  );
}

/** The id of a row that has none of its own, from the hash of its content; rows with the same content are numbered. */
export function contentRowId(hash: string, occurrence: number): string {
  const id = `row-${hash.slice(0, 16)}`;
  return occurrence === 1 ? id : `${id}-${occurrence}`;
}

const CONTENT_ID = /^row-[0-9a-f]{16}(-\d+)?$/;

/** True for an id that was made from the content. */
export function isContentId(id: string): boolean {
  return CONTENT_ID.test(id);
}
