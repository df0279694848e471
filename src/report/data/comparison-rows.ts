import type { TableRow } from "../../journal/transfer/tables.ts";
import type { Comparison } from "./compare-sides.ts";

/** Comparisons as a table: a row for each line. */
export function* comparisonRows(comparisons: readonly Comparison[]): Generator<TableRow> {
  for (const { a, b, lines } of comparisons)
    for (const line of lines)
      yield {
        a_name: a,
        b_name: b,
        name: line.name,
        group: Object.entries(line.group)
          .map(([key, value]) => `${key}=${value ?? ""}`)
          .join(", "),
        kind: line.kind,
        a: line.a,
        b: line.b,
        difference: line.difference,
        low: line.interval?.low ?? null,
        high: line.interval?.high ?? null,
        p: line.p,
        p_holm: line.adjusted,
        method: line.method,
        pairs: line.pairs,
        items: line.items,
        only_a: line.onlyA.length,
        only_b: line.onlyB.length,
        inconclusive: line.left.inconclusive,
        errors: line.left.errors,
        detectable: line.detectable,
      };
}
