import { writeFileSync } from "node:fs";
import { projectFileSchema } from "../src/apps/project/project-file.ts";
import { scenarioFileSchema } from "../src/core/scenario/scenario-shape.ts";

const SCHEMAS = { "scenario.schema.json": scenarioFileSchema(), "project.schema.json": projectFileSchema() };

// On one line: editors read these files, and white space would be two thirds of them.
for (const [name, schema] of Object.entries(SCHEMAS))
  writeFileSync(new URL(`../schema/${name}`, import.meta.url), `${JSON.stringify(schema)}\n`);
