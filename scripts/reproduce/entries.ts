import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import type { Interval } from "../../src/apps/public/statistics.ts";

/** One number of one group of a benchmark. */
export interface Entry {
  readonly benchmark: string;
  readonly group: string;
  readonly metric: string;
  readonly value: number | null;
  readonly n: number;
  readonly interval?: Interval | null;
}

/** What one benchmark comes to, with what has to be said about it. */
export interface Reproduced {
  readonly entries: readonly Entry[];
  readonly notes: readonly string[];
}

/** Collects the entries of a benchmark. */
export class Entries {
  readonly all: Entry[] = [];
  readonly #benchmark: string;

  constructor(benchmark: string) {
    this.#benchmark = benchmark;
  }

  add(
    group: string,
    metric: string,
    value: number | null,
    { n, interval }: { readonly n: number; readonly interval?: Interval | null },
  ): void {
    this.all.push({
      benchmark: this.#benchmark,
      group,
      metric,
      value,
      n,
      ...(interval === undefined ? {} : { interval }),
    });
  }
}

/** The rows of a CSV file of the data folder. */
export function csv(folder: string, ...path: readonly string[]): readonly Readonly<Record<string, string>>[] {
  return parse(readFileSync(join(folder, ...path), "utf8"), {
    columns: true,
    bom: true,
    skip_empty_lines: true,
  });
}

/** The data of a JSON file of the data folder. */
export function json<Data>(folder: string, ...path: readonly string[]): Data {
  return JSON.parse(readFileSync(join(folder, ...path), "utf8")) as Data;
}

/** The limits of a result with an interval; null if it has none. */
export function limits(
  result: { readonly low: number | null; readonly high: number | null } | null,
): Interval | null {
  return result === null || result.low === null || result.high === null
    ? null
    : { low: result.low, high: result.high };
}

/** Rows by the text of a key, in the order in which they appear. */
export function groupBy<Row>(
  rows: readonly Row[],
  key: (row: Row) => string,
): ReadonlyMap<string, readonly Row[]> {
  return Map.groupBy(rows, key);
}
