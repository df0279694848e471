import { shareInterval } from "../../src/core/statistics/bounded-mean.ts";
import type { ResultRow } from "../../src/engine/journal/store/store.ts";
import type { Plan } from "../../src/insight/report/data/run-counts.ts";
import { runCounts } from "../../src/insight/report/data/run-counts.ts";
import { pooledOutcomes, type RunRates } from "../../src/insight/report/data/run-rates.ts";

/** Rates of rows without a store: as if each conversation were about an item of its own. */
export function ratedRows(rows: readonly ResultRow[], plan?: Plan): RunRates {
  const counts = runCounts(rows, plan);
  const outcomes = pooledOutcomes(rows, counts.totals).map((rated) => ({
    ...rated,
    lines: rated.lines.map((line) => {
      const { kind, estimate, n } = line;
      if (kind !== "rate" || estimate === null || n < 2) return line;
      return { ...line, interval: shareInterval(estimate, n), method: "beta" as const };
    }),
  }));
  return { ...counts, outcomes, health: [] };
}
