import type { ScenarioDefinition } from "../../core/scenario/definition.ts";
import { scenarioToJson } from "../../core/scenario/scenario-to-json.ts";
import { loadYaml } from "./yaml-library.ts";

/** A definition as the text of a YAML file. */
export function scenarioToYaml(definition: ScenarioDefinition): string {
  return loadYaml().stringify(scenarioToJson(definition), { lineWidth: 100, aliasDuplicateObjects: false });
}
