import type { DefinitionError } from "../issue/definition-error.ts";
import type { ScenarioDefinition } from "../scenario/definition.ts";
import { errorMessage } from "../value/error-message.ts";
import { isRecord, type UnknownRecord } from "../value/json.ts";
import { type FileProblem, issueProblems } from "./file-problem.ts";

/** The scenarios that a module exports, definitions and builders, alone or in lists; each of them once. */
export function scenariosOfModule(
  exports: UnknownRecord,
  file: string,
): { readonly definitions: readonly ScenarioDefinition[]; readonly problems: readonly FileProblem[] } {
  const seen = new Set<unknown>();
  const definitions = new Map<string, ScenarioDefinition>();
  const problems: FileProblem[] = [];
  for (const [name, exported] of Object.entries(exports)) {
    for (const value of Array.isArray(exported) ? exported : [exported]) {
      if (seen.has(value)) continue;
      seen.add(value);
      if (!isDefinition(value) && !isBuilder(value)) continue;
      try {
        const definition = isDefinition(value) ? value : value.validate();
        // A builder and what it was validated to are one scenario; two different ones of a name are told by the caller.
        definitions.set(`${definition.name} ${definition.hash}`, definition);
      } catch (error) {
        const place = `${file} (${name})`;
        if (isDefinitionError(error)) problems.push(...issueProblems(file, error.issues, place));
        else problems.push({ file, message: `${place}: ${errorMessage(error)}`, cause: error });
      }
    }
  }
  if (definitions.size + problems.length === 0) {
    const message = `${file} exports no scenario; export a Scenario, what its validate() gives, or a list of them.`;
    problems.push({ file, message });
  }
  return { definitions: [...definitions.values()], problems };
}

/** By its parts rather than its class: the module may have imported another copy of this package. */
function isDefinition(value: unknown): value is ScenarioDefinition {
  return (
    isRecord(value) &&
    typeof value.hash === "string" &&
    typeof value.entryNode === "string" &&
    isRecord(value.nodes) &&
    Array.isArray(value.nodeIds) &&
    Array.isArray(value.edges)
  );
}

function isBuilder(value: unknown): value is { validate(): ScenarioDefinition } {
  return isRecord(value) && typeof value.validate === "function" && typeof value.addNode === "function";
}

function isDefinitionError(error: unknown): error is DefinitionError {
  return isRecord(error) && error.name === "DefinitionError" && Array.isArray(error.issues);
}
