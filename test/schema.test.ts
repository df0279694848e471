import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { scenarioFileSchema } from "../src/index.ts";

test("the schema that is shipped is the one that the code describes", () => {
  const shipped = readFileSync(new URL("../schema/scenario.schema.json", import.meta.url), "utf8");
  expect(JSON.parse(shipped)).toEqual(scenarioFileSchema());
});
