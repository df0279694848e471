import type { ScenarioDefinition } from "../../core/scenario/definition.ts";
import { portableScenario } from "../../core/scenario/scenario-to-json.ts";
import type { JsonObject } from "../../core/values/json.ts";
import { loadAcorn } from "../../run/sandbox/acorn-library.ts";
import { loadYaml } from "./yaml-text.ts";

/**
 * A definition in the form of a file; `parseScenario` reads it again. Functions are written as their source.
 * Throws a `DefinitionError` that names every function that cannot be written.
 */
export function scenarioToJson(definition: ScenarioDefinition): JsonObject {
  return portableScenario(definition, loadAcorn);
}

/** A definition as the text of a YAML file. */
export function scenarioToYaml(definition: ScenarioDefinition): string {
  return loadYaml().stringify(scenarioToJson(definition), { lineWidth: 100, aliasDuplicateObjects: false });
}
