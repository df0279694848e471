import { toJsonSchema } from "../shape/json-schema.ts";
import { described, json, nonEmptyText, type ObjectShape, type Shape, text } from "../shape/shape.ts";
import type { JsonObject } from "../value/json.ts";
import { settingsShape } from "./settings-shape.ts";

const PROFILES: Shape = described(
  { kind: "record", values: settingsShape("a profile") },
  "Named sets of settings that go before those of the file.",
);

/** What stands in a project file besides settings. */
export const FRAME_SHAPES: Readonly<Record<string, Shape>> = {
  // Its own reader checks it, and says which version there is.
  version: described(json, "The version of the format."),
  $schema: described(text, "For editors; otherwise without meaning."),
  profile: described(nonEmptyText, "The profile that is used if the command names none."),
  profiles: PROFILES,
};

/** A whole project file. */
export const PROJECT_SHAPE: ObjectShape = settingsShape("a project", FRAME_SHAPES);

/** The JSON Schema of project files, for editors. */
export function projectFileSchema(): JsonObject {
  const version = described({ kind: "literal", values: [1] }, "The version of the format.");
  const shape = settingsShape("a project", { ...FRAME_SHAPES, version });
  return toJsonSchema(shape, { title: "Elenchus project file" });
}
