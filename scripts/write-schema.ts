import { writeFileSync } from "node:fs";
import { scenarioFileSchema } from "../src/core/scenario/scenario-shape.ts";
import { projectFileSchema } from "../src/project/project-file.ts";

const SCHEMAS = { "scenario.schema.json": scenarioFileSchema(), "project.schema.json": projectFileSchema() };

for (const [name, schema] of Object.entries(SCHEMAS))
  writeFileSync(new URL(`../schema/${name}`, import.meta.url), `${JSON.stringify(schema, null, 2)}\n`);
