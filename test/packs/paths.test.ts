import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { loadScenarios } from "../../src/apps/project/scenario-files/load-scenarios.ts";
import { expectedTables, tablesOf } from "./path-table.ts";

// `paths.json` has every path through every scenario of the packs, and what it comes to. To write it anew after a change that
// is meant: ELENCHUS_WRITE_PATHS=1 npx vitest run test/packs/paths.test.ts

test("the paths through the packs and their outcomes are those that were committed", async () => {
  const folder = fileURLToPath(new URL("../..", import.meta.url));
  const { scenarios } = await loadScenarios(["packs"], { folder, stdin: async () => "" });
  const tables = await tablesOf(scenarios.map(({ definition }) => definition));
  if (process.env.ELENCHUS_WRITE_PATHS !== undefined)
    writeFileSync(new URL("paths.json", import.meta.url), `${JSON.stringify({ tables }, null, 2)}\n`);
  expect(tables).toEqual(expectedTables());
  expect(tables.flatMap((table) => table.scenarios)).toHaveLength(15);
});
