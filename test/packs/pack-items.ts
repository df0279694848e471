import { fileURLToPath } from "node:url";
import { loadScenarios } from "../../src/apps/project/scenario-files/load-scenarios.ts";
import type { ScenarioDefinition } from "../../src/core/scenario/definition.ts";
import { shownScenario } from "../../src/core/scenario/shown-scenario.ts";
import type { JsonObject } from "../../src/core/values/json.ts";
import { openRows } from "../../src/engine/run/open-rows.ts";

/** An item of a pack: a row with its scenario. */
export interface PackItem {
  /** The pack and the id of the row: `pressure/capital-of-turkey`. */
  readonly name: string;
  readonly row: JsonObject;
  /** As it stands in its file, with the texts of no row. */
  readonly scenario: ScenarioDefinition;
  /** With the texts of the row in its nodes. */
  readonly definition: ScenarioDefinition;
}

/** The scenarios of packs. */
export async function packScenarios(...packs: readonly string[]): Promise<readonly ScenarioDefinition[]> {
  const folder = fileURLToPath(new URL("../..", import.meta.url));
  const { scenarios, problems } = await loadScenarios(
    packs.map((pack) => `packs/${pack}`),
    { folder, stdin: async () => "" },
  );
  if (problems.length > 0) throw new Error(problems.map(({ message }) => message).join("\n"));
  return scenarios.map(({ definition }) => definition);
}

/** All items of packs. */
export async function packItems(...packs: readonly string[]): Promise<readonly PackItem[]> {
  const items: PackItem[] = [];
  for (const scenario of await packScenarios(...packs))
    for await (const { id, values: row } of (await openRows(scenario, {})) ?? [])
      items.push({
        name: `${scenario.name.split("/")[0]}/${id}`,
        row,
        scenario,
        definition: shownScenario(scenario, { row, variant: null }),
      });
  return items;
}
