import { toJsonSchema } from "../schema/json-schema.ts";
import {
  described,
  either,
  json,
  keyShapes,
  list,
  type ObjectShape,
  object,
  reference,
  type Shape,
  text,
} from "../schema/shape.ts";
import type { JsonObject } from "../values/json.ts";
import { SCENARIO_SHAPE } from "./scenario-shape.ts";

/** The version of the file format that this release reads and writes. */
export const FORMAT_VERSION = 1;

const VERSION: Shape = described(
  { kind: "literal", values: [FORMAT_VERSION] },
  "The version of the file format (default: the newest that the reader knows).",
);

const SCHEMA: Shape = described(text, "The address of this schema, for editors; otherwise without meaning.");

function manyScenarios(version: Shape, scenario: Shape): ObjectShape {
  const scenarios = { ...list(scenario), ifEmpty: "empty_value" } as const;
  return object("a file with several scenarios", { scenarios }, { optional: { version, $schema: SCHEMA } });
}

/** The frame of a file with several scenarios; version and scenarios are checked by their own readers. */
export const FILE_SHAPE: ObjectShape = manyScenarios(json, json);

/** The JSON Schema of scenario files, for editors. */
export function scenarioFileSchema(): JsonObject {
  const one: ObjectShape = {
    ...SCENARIO_SHAPE,
    keys: keyShapes({ version: VERSION, $schema: SCHEMA }, SCENARIO_SHAPE.keys),
  };
  return toJsonSchema(
    either(
      one,
      manyScenarios(
        VERSION,
        reference("scenario", () => SCENARIO_SHAPE),
      ),
    ),
    {
      title: "Elenchus scenario file",
    },
  );
}
