import type { TableRow } from "../../../engine/journal/transfer/tables.ts";
import type { Comparison } from "./compare-sides.ts";
import type { RateReport } from "./rates.ts";

/** Rates as a table: a row for each line, a column for each thing that they are grouped by. */
export function* rateRows({ by, lines }: RateReport): Generator<TableRow> {
  for (const line of lines) {
    const levels = Object.entries(line.group)
      .filter(([name]) => !by.includes(name))
      .map(([, value]) => value);
    yield {
      name: line.name,
      kind: line.kind,
      ...Object.fromEntries(by.map((name) => [name, line.group[name] ?? null])),
      level: levels.length === 0 ? null : levels.join(", "),
      estimate: line.estimate,
      low: line.interval?.low ?? null,
      high: line.interval?.high ?? null,
      method: line.method,
      n: line.n,
      items: line.items,
      yes: line.kind === "rate" ? line.yes : null,
      excluded: line.excluded,
      inconclusive: line.inconclusive,
      errors: line.errors,
      not_applicable: line.notApplicable,
      bound_low: line.bounds?.low ?? null,
      bound_high: line.bounds?.high ?? null,
      decided: line.decided,
    };
  }
}

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
