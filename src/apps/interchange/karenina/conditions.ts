import { type Composed, isComposition } from "../../../core/logic/composition.ts";
import type { ScenarioDefinition, ScenarioEdge } from "../../../core/scenario/definition.ts";
import { type Condition, type ConditionLeaf, compileWhen } from "../../../core/state/condition.ts";
import { deepEqual, isRecord, type JsonObject, type JsonValue } from "../../../core/values/json.ts";
import {
  ALWAYS,
  longForm,
  mapComposition,
  NEVER,
  shortValue,
  translateComparison,
  type ValueType,
} from "./comparison.ts";
import {
  type Note,
  NotTranslatable,
  type Primitive,
  type WrittenComparison,
  writeComparison,
} from "./primitives.ts";
import { translateLambda } from "./python-lambda.ts";
import type { ScenarioNames } from "./scenario-names.ts";
import { pythonNames } from "./template-text.ts";

/** The condition of an edge as a file has it, or undefined for the fallback. Throws `NotTranslatable` or `PythonError`. */
export function translateCondition(
  edge: JsonObject,
  names: ScenarioNames,
  note: Note,
): JsonValue | undefined {
  const { condition, conditionSource } = edge;
  if (typeof conditionSource === "string")
    return translateLambda(conditionSource, "condition", names.renamed);
  if (condition === undefined || condition === null) return undefined;
  const source = String(edge.source);
  if (!Array.isArray(condition)) return stateCheck(condition, source, names, note);
  const parts = condition.map((part) => stateCheck(part as JsonValue, source, names, note));
  const [first] = parts;
  if (parts.some((part) => deepEqual(part, NEVER))) return NEVER;
  if (parts.length < 2) return first ?? ALWAYS;
  // A list holds comparisons only; compositions need the long form.
  return parts.some((part) => part.type !== undefined && part.type !== "state_check")
    ? { type: "all_of", conditions: parts }
    : parts;
}

function stateCheck(data: JsonValue, source: string, names: ScenarioNames, note: Note): JsonObject {
  const { field, expected, verify_with } = isRecord(data) ? (data as JsonObject) : {};
  if (typeof field !== "string" || !isRecord(verify_with) || typeof verify_with.type !== "string")
    throw new NotTranslatable("a condition needs a field and a comparison (verify_with)");
  // Turns count from 1: an export says in this way that a condition never holds.
  if (deepEqual(data, NEVER_HOLDS)) return NEVER;
  const { path, type } = locate(field, source, names);
  const node = path === "current_node" ? names.node(String(expected)) : undefined;
  const upstream = { primitive: verify_with as Primitive, expected: node?.id ?? expected ?? null };
  const compared = translateComparison(type, upstream, (message) => note(`${field}: ${message}`));
  return mapComposition(compared, (comparison) => {
    const short = shortValue(comparison);
    return short === undefined
      ? { type: "state_check", field: path, ...longForm(comparison) }
      : { [path]: short };
  });
}

/** A path here and the type of its value. Throws `NotTranslatable` for what upstream always finds empty. */
function locate(
  field: string,
  source: string,
  names: ScenarioNames,
): { readonly path: string; readonly type: ValueType } {
  const [root, rest] = splitAtDot(field);
  switch (root) {
    case "verify_result":
      return { path: root, type: { type: "boolean" } };
    case "turn":
      return { path: root, type: { type: "integer" } };
    case "current_node":
      return { path: root, type: { type: "string" } };
    case "parsed":
      return { path: field, type: names.field(source, rest) };
    case "accumulated":
      if (rest !== "") return { path: field, type: { type: "any" } };
      break;
    case "node_visits": {
      const node = names.node(rest);
      if (node !== undefined) return { path: `node_visits.${node.id}`, type: { type: "integer" } };
      break;
    }
    case "node_results": {
      const [id, inside] = splitAtDot(rest);
      const [section, key] = splitAtDot(inside);
      const node = names.node(id);
      const path = `node_results.${node?.id}.${section}`;
      if (node !== undefined && section === "verify_result") return { path, type: { type: "boolean" } };
      if (node !== undefined && section === "parsed")
        return { path: `${path}.${key}`, type: names.field(id, key) };
      const type = section === "rubric" ? node?.traits.get(key) : undefined;
      if (type != null) return { path: `${path}.${key}`, type };
    }
  }
  throw new NotTranslatable(`${field} is always null or 0 upstream, or cannot be compared`);
}

function splitAtDot(path: string): readonly [string, string] {
  const dot = path.indexOf(".");
  return dot === -1 ? [path, ""] : [path.slice(0, dot), path.slice(dot + 1)];
}

/** Upstream has no condition that never holds, but turns count from 1. */
export const NEVER_HOLDS: JsonObject = {
  type: "state_check",
  field: "turn",
  expected: null,
  verify_with: { type: "NumericRange", max: 0 },
};

/** The conditions of edges that together mean the same as this one. Throws `NotTranslatable`. */
export function writeConditions(
  { when, source }: ScenarioEdge,
  nodes: ScenarioDefinition["nodes"],
): readonly JsonValue[] {
  if (typeof when === "string" || typeof when === "function")
    throw new NotTranslatable("it is JavaScript, which karenina cannot run");
  const compiled = compileWhen(when as NonNullable<typeof when>) as Condition;
  const alternatives =
    isComposition(compiled) && compiled.type === "any_of" ? compiled.conditions : [compiled];
  if (alternatives.length === 0) return [NEVER_HOLDS];
  return alternatives.map((part) => {
    const checks = writeChecks(part, source, nodes);
    return checks.length === 1 ? (checks[0] as JsonObject) : checks;
  });
}

/** State checks that must all hold. */
function writeChecks(
  part: Composed<ConditionLeaf>,
  source: string,
  nodes: ScenarioDefinition["nodes"],
): JsonObject[] {
  if (isComposition(part)) {
    if (part.type === "all_of") return part.conditions.flatMap((inner) => writeChecks(inner, source, nodes));
    const inner = part.type === "not" ? part.condition : part;
    if (inner.type === "state_check" && inner.verifyWith.type === "boolean_match")
      return writeChecks({ ...inner, expected: inner.expected !== true }, source, nodes);
    throw new NotTranslatable(`${part.type} in a condition has no counterpart`);
  }
  if (part.type === "function") throw new NotTranslatable("it is JavaScript, which karenina cannot run");
  const { field, verifyWith, expected = null } = part;
  const classes = classesAt(field, nodes);
  const compared =
    classes === null ? writeComparison(verifyWith, expected) : writePositions(classes, verifyWith, expected);
  return [
    {
      type: "state_check",
      field: writePath(field, nodes, source),
      expected: compared.expected,
      verify_with: compared.verify_with,
    },
  ];
}

/** The classes of a literal trait, if that is what a path names. */
function classesAt(path: string, nodes: ScenarioDefinition["nodes"]): readonly string[] | null {
  const [root, node = "", section, ...rest] = path.split(".");
  if (root !== "node_results" || section !== "rubric") return null;
  const { question, rubric } = nodes[node] ?? {};
  const traits = [...(question?.rubric?.traits ?? []), ...(rubric?.traits ?? [])];
  const trait = traits.find(({ name }) => name === rest.join("."));
  return trait?.type === "llm" && trait.kind === "literal" ? Object.keys(trait.classes) : null;
}

/** Upstream compares the position of a class, so its name becomes a range of positions. */
function writePositions(
  classes: readonly string[],
  check: Parameters<typeof writeComparison>[0],
  expected: JsonValue,
): WrittenComparison {
  const names = check.type === "one_of" ? check.values.map(String) : [String(expected)];
  const isText = check.type === "one_of" || check.type === "exact_match" || check.type === "literal_match";
  const positions = names.map((name) => classes.indexOf(name)).sort((left, right) => left - right);
  const [first = -1] = positions;
  const last = positions.at(-1) ?? -1;
  if (!isText || first === -1 || last - first !== positions.length - 1)
    throw new NotTranslatable("upstream compares positions of classes, and these are not next to each other");
  return first === last
    ? { verify_with: { type: "NumericExact" }, expected: first }
    : { verify_with: { type: "NumericRange", min: first, max: last }, expected: null };
}

/** A path in upstream's names, seen from a node; a field may be called otherwise there. Throws `NotTranslatable`. */
export function writePath(path: string, nodes: ScenarioDefinition["nodes"], source = ""): string {
  const [root = "", node = "", section = ""] = path.split(".");
  const isKnown =
    root === "node_results"
      ? ["verify_result", "parsed", "rubric"].includes(section)
      : ["verify_result", "turn", "current_node", "parsed", "accumulated", "node_visits"].includes(root);
  if (!isKnown) throw new NotTranslatable(`${path} has no counterpart`);
  const prefix = root === "parsed" || root === "accumulated" ? `${root}.` : `${root}.${node}.parsed.`;
  if (!path.startsWith(prefix)) return path;
  const name = path.slice(prefix.length);
  if (name.includes(".")) throw new NotTranslatable(`${path} is nested, which upstream cannot`);
  if (root === "accumulated") return path;
  const template = nodes[root === "parsed" ? source : node]?.question.template;
  const own = template && pythonNames(template).get(name);
  if (own === undefined) throw new NotTranslatable(`${path} has no counterpart`);
  return `${prefix}${own}`;
}
