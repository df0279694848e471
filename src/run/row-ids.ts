import { contentRowId } from "../core/scenario/row-id.ts";
import { canonicalJson, type JsonObject } from "../core/values/json.ts";
import { contentHash } from "../models/content-hash.ts";

/**
 * The ids of rows that have no column for it: hashes of their content, so that they do not depend on their position. Rows with the
 * same content are numbered.
 */
export function rowIds(rows: readonly JsonObject[]): readonly string[] {
  const counts = new Map<string, number>();
  return rows.map((row) => {
    const hash = contentHash(canonicalJson(row));
    const count = (counts.get(hash) ?? 0) + 1;
    counts.set(hash, count);
    return contentRowId(hash, count);
  });
}
