import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { parseScenario, type ScenarioDefinition } from "../../src/apps/public/index.ts";
import type { Interval } from "../../src/apps/public/statistics.ts";

/** One number of one group of a benchmark. */
export interface Entry {
  readonly benchmark: string;
  readonly group: string;
  readonly metric: string;
  readonly value: number | null;
  readonly n: number;
  readonly interval: Interval | null;
}

/** What one benchmark comes to, with what has to be said about it. */
export interface Reproduced {
  readonly entries: readonly Entry[];
  readonly notes: readonly string[];
}

/** A number with the n behind it, and its interval, if it has one. */
export type Result = readonly [value: number | null, n: number, interval?: Interval | null];

/** Collects the entries of a benchmark. */
export class Entries {
  readonly all: Entry[] = [];
  readonly #benchmark: string;

  constructor(benchmark: string) {
    this.#benchmark = benchmark;
  }

  add(group: string, results: Readonly<Record<string, Result>>): void {
    for (const [metric, [value, n, interval]] of Object.entries(results))
      this.all.push({ benchmark: this.#benchmark, group, metric, value, n, interval: interval ?? null });
  }
}

/** A scenario of nodes whose verdicts were published. */
export function verdictScenario(name: string, nodes: readonly string[], more: object): ScenarioDefinition {
  const fields = { right: { type: "boolean", description: "whether the reply is right", truth: true } };
  const asked = nodes.map((id) => [id, { question: { question: id, rawAnswer: "", template: { fields } } }]);
  const edges = nodes.map((source, i) => ({ source, target: nodes[i + 1] ?? "END" }));
  return parseScenario({ name, entry: nodes[0], nodes: Object.fromEntries(asked), edges, ...more });
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
