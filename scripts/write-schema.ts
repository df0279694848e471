import { writeFileSync } from "node:fs";
import { scenarioFileSchema } from "../src/file/scenario-file-shape.ts";

const target = new URL("../schema/scenario.schema.json", import.meta.url);
writeFileSync(target, `${JSON.stringify(scenarioFileSchema(), null, 2)}\n`);
