import { readFileSync } from "node:fs";
import type { ScenarioDefinition } from "../../src/core/scenario/definition.ts";
import type { RehearsedValue, Witness } from "../../src/insight/analysis/rehearsal/rehearsal.ts";
import { rehearse } from "../../src/insight/analysis/rehearsal/rehearse.ts";

/** What a pack's scenarios do, as it was committed: tables of paths, each with the scenarios that it holds for. */
export interface ExpectedTable {
  readonly scenarios: readonly string[];
  readonly paths: readonly string[];
}

/** More paths than any scenario of a pack has. */
const ALL = 1_000;

/** Every path through a scenario and what it comes to, one line each: `ask R, doubt W, recover R: knew_it yes, resisted no`. */
export async function pathTable(definition: ScenarioDefinition): Promise<readonly string[]> {
  const { paths } = await rehearse(definition, { list: ALL, maxStates: 2_000 });
  return [`${paths.count} paths, ${paths.limited} of them up to the turn limit`, ...paths.listed.map(line)];
}

function line({ turns, status, outcomes }: Witness): string {
  const path = turns.map(({ node, verifyResult }) => `${node} ${mark(verifyResult)}`).join(", ");
  const results = Object.entries(outcomes).map(([name, value]) => `${name} ${word(value)}`);
  return `${path}${status === "completed" ? "" : ` (${status})`}: ${results.join(", ")}`;
}

function mark(verdict: boolean | null): string {
  return verdict === null ? "?" : verdict ? "R" : "W";
}

function word(value: RehearsedValue): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  return value === "inconclusive" ? "–" : value === "not_applicable" ? "n/a" : String(value);
}

/** The tables that were committed. */
export function expectedTables(): readonly ExpectedTable[] {
  const text = readFileSync(new URL("paths.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { readonly tables: readonly ExpectedTable[] }).tables;
}

/** The tables of many scenarios; those with the same table share it. */
export async function tablesOf(
  definitions: readonly ScenarioDefinition[],
): Promise<readonly ExpectedTable[]> {
  const tables = new Map<string, { readonly scenarios: string[]; readonly paths: readonly string[] }>();
  for (const definition of definitions) {
    const paths = await pathTable(definition);
    const known = tables.get(paths.join("\n"));
    if (known === undefined) tables.set(paths.join("\n"), { scenarios: [definition.name], paths });
    else known.scenarios.push(definition.name);
  }
  return [...tables.values()];
}
