import type { JsonObject } from "../../core/values/json.ts";
import { maskSecretsIn } from "../../system/secrets/mask-secrets.ts";
import { redactSecrets } from "../../system/secrets/redact-secrets.ts";

/** A longer value tells rows apart, but groups none: questions, passages, reference answers. */
const LONGEST_VALUE = 100;
const MOST_COLUMNS = 40;

/**
 * The values of a row that results can be grouped by: short texts, numbers and booleans, of the first columns that have one. They stand in
 * the journal with each conversation, because the file that the row came from may be gone when results are read. Secrets are masked.
 */
export function rowValues(row: JsonObject): JsonObject {
  if (latest.row === row) return latest.values;
  const kept: [string, string | number | boolean][] = [];
  for (const [column, value] of Object.entries(row)) {
    if (kept.length === MOST_COLUMNS) break;
    if (column.length > LONGEST_VALUE) continue;
    if (typeof value === "number" || typeof value === "boolean") kept.push([column, value]);
    else if (typeof value === "string" && value.length <= LONGEST_VALUE && value !== "")
      kept.push([column, redactSecrets(value)]);
  }
  const values = maskSecretsIn(Object.fromEntries(kept));
  latest = { row, values };
  return values;
}

/** The conversations about a row, with all subjects and judges, begin one after the other. */
let latest: { readonly row?: JsonObject; readonly values: JsonObject } = { values: {} };
