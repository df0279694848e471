import { DefinitionError } from "../schema/format-issue.ts";
import type { Issue, IssuePath } from "../schema/issue.ts";
import { functionSource } from "../source/function-source.ts";
import { type JavaScriptParser, portableSource } from "../source/portable-source.ts";
import { type JsonObject, type JsonValue, withoutUndefined } from "../values/json.ts";
import { END, END_IN_FILES, type ScenarioDefinition } from "./definition.ts";
import { isCode } from "./model-override.ts";
import { FORMAT_VERSION } from "./scenario-shape.ts";

/**
 * A definition in the form of a file, with functions written as their source. Throws a `DefinitionError` that names
 * every function that cannot be written. The parser is loaded only if there is a function.
 */
export function portableScenario(
  definition: ScenarioDefinition,
  loadParser: () => JavaScriptParser,
): JsonObject {
  const issues: Issue[] = [];
  for (const [id, { modelOverride = {} }] of Object.entries(definition.nodes))
    for (const role of ["subject", "judge"] as const) {
      const reference = modelOverride[role];
      if (reference === undefined || !isCode(reference)) continue;
      const problem = "it is a model made by code, so name a subject or judge of the run instead";
      issues.push({ code: "not_portable", path: ["nodes", id, "modelOverride", role], problem });
    }
  const written = writeScenario(definition, (fn, path) => {
    if (path[2] === "modelOverride") return "";
    const portable = portableSource(fn, loadParser());
    if ("source" in portable) return portable.source;
    issues.push({ code: "not_portable", path, problem: portable.problem });
    return "";
  });
  if (issues.length > 0) throw new DefinitionError(`Scenario ${JSON.stringify(definition.name)}`, issues);
  return written;
}

/** A definition in the form of a file for readers only: a function is its source, even if that cannot stand alone. */
export function scenarioToRead(definition: ScenarioDefinition): JsonObject {
  return writeScenario(definition, functionSource);
}

function writeScenario(
  definition: ScenarioDefinition,
  // biome-ignore lint/complexity/noBannedTypes: any function may stand in a definition.
  writeFunction: (fn: Function, path: IssuePath) => string,
): JsonObject {
  const write = (value: unknown, path: IssuePath): JsonValue => {
    if (typeof value === "function") return writeFunction(value, path);
    if (Array.isArray(value)) return value.map((item, index) => write(item, [...path, index]));
    if (typeof value !== "object" || value === null) return value as JsonValue;
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, write(part, [...path, key])]));
  };
  const { name, description, systemPrompt, entryNode, nodes, nodeIds, edges, outcomes } = definition;
  const written = Object.fromEntries(nodeIds.map((id) => [id, write(nodes[id], ["nodes", id])]));
  const keepsOrder = Object.keys(written).every((id, index) => id === nodeIds[index]);
  const part = (key: "history" | "dataset" | "variants" | "rates" | "lint"): JsonValue | undefined =>
    definition[key] === undefined ? undefined : write(definition[key], [key]);
  return withoutUndefined({
    version: FORMAT_VERSION,
    name,
    description: description === "" ? undefined : description,
    systemPrompt,
    history: part("history"),
    entry: entryNode,
    nodes: written,
    nodeOrder: keepsOrder ? undefined : [...nodeIds],
    edges: edges.length === 0 ? undefined : write(edges.flatMap(writtenEdge), ["edges"]),
    outcomes: outcomes.length === 0 ? undefined : write(outcomes, ["outcomes"]),
    dataset: part("dataset"),
    variants: part("variants"),
    rates: part("rates"),
    lint: part("lint"),
    metadata: Object.keys(definition.metadata).length === 0 ? undefined : definition.metadata,
  }) as JsonObject;
}

/** The first edge of a fork stands for all of them. */
function writtenEdge(edge: ScenarioDefinition["edges"][number]): readonly unknown[] {
  const word = (target: string): string => (target === END ? END_IN_FILES : target);
  const { target, fork, ...rest } = edge;
  if (fork === undefined) return [target === END ? { ...edge, target: END_IN_FILES } : edge];
  return target === fork[0] ? [{ ...rest, fork: fork.map(word) }] : [];
}
