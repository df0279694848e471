import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { portableScenario } from "../../../core/scenario/scenario-to-json.ts";
import type { JsonObject } from "../../../core/values/json.ts";
import { loadAcorn } from "../../../engine/run/sandbox/acorn-library.ts";
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

/** Parts of a file up to this length stand on one line. */
const LINE = 96;

/** The text of a YAML file as people write it: short parts on one line, comments at its top. */
export function scenarioFileText(file: JsonObject, comment: string): string {
  const { Document, visit } = loadYaml();
  const document = new Document(file, { aliasDuplicateObjects: false });
  visit(document, {
    Collection: (_, node, path) => {
      const indent = path.length;
      // The parts of a scenario, of a node and of an edge have lines of their own.
      if (indent < 4 || JSON.stringify(node.toJSON()).length + indent > LINE) return undefined;
      node.flow = true;
      return visit.SKIP;
    },
  });
  document.commentBefore = comment
    .split("\n")
    .map((line) => ` ${line}`.trimEnd())
    .join("\n");
  return document.toString({ lineWidth: 0, flowCollectionPadding: true });
}
