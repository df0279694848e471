import { isRecord, isReservedKey, type JsonObject, type JsonValue } from "../../../core/values/json.ts";
import {
  ALWAYS,
  type Comparison,
  holdsFor,
  longForm,
  mapComposition,
  NEVER,
  shortValue,
  translateComparison,
  type ValueType,
} from "./comparison.ts";
import { type Note, NotTranslatable, type Primitive, type PythonTemplate, toCheck } from "./primitives.ts";
import { translateLambda } from "./python-lambda.ts";

/** What conditions and outcomes can look at in a node. */
export interface KnownNode {
  /** The id here. */
  readonly id: string;
  /** Null if the template could not be read. */
  readonly template: PythonTemplate | null;
  /** Traits by name, with the type of their values; null if it cannot be compared. */
  readonly traits: ReadonlyMap<string, ValueType | null>;
}

/** Names of nodes, fields and traits in a scenario of upstream, and what they are here. */
export class ScenarioNames {
  /** The name of the scenario. */
  readonly scenario: string;
  readonly #nodes: ReadonlyMap<string, KnownNode>;

  constructor(scenario: string, nodes: ReadonlyMap<string, KnownNode>) {
    this.scenario = scenario;
    this.#nodes = nodes;
  }

  /** Ids of nodes that have another id here. */
  get renamed(): ReadonlyMap<string, string> {
    return new Map([...this.#nodes].flatMap(([id, node]) => (node.id === id ? [] : [[id, node.id]])));
  }

  node(id: string): KnownNode | undefined {
    return this.#nodes.get(id);
  }

  /** The type of a parsed field, as seen after a turn at some node. */
  field(node: string, name: string): ValueType {
    const known = this.#nodes.get(node);
    if (known?.template === null) return { type: "any" };
    return known?.template?.fields.find((field) => field.name === name)?.type ?? { type: "none" };
  }

  /** The type of a field in any node: of one type if all nodes that have it agree. */
  fieldAnywhere(name: string): ValueType {
    const types = [...this.#nodes.keys()].map((node) => this.field(node, name));
    const stated = types.filter(({ type }) => type !== "none");
    const [first] = stated;
    if (first === undefined) return { type: "none" };
    return stated.every(({ type }) => type === first.type) ? first : { type: "any" };
  }

  /** The ids here of those nodes that exist. */
  existing(ids: readonly string[]): readonly string[] {
    return ids.flatMap((id) => this.#nodes.get(id)?.id ?? []);
  }
}

/** An id that a node can have here: without dots, control characters and surrounding space, and not reserved. */
export function nodeIdHere(id: string, taken: ReadonlySet<string>): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ids must not have them
  const plain = id.replace(/[.\u0000-\u001f\u007f-\u009f]/g, "-").trim();
  const isReserved = plain === "" || isReservedKey(plain) || plain === "END" || plain === "__end__";
  const base = isReserved ? `node-${plain}`.replace(/-$/, "") : plain;
  let free = base;
  for (let count = 2; taken.has(free); count++) free = `${base}-${count}`;
  return free;
}

/** An edge of upstream, as far as its condition goes. */
export interface UpstreamCondition {
  readonly source: string;
  readonly condition: JsonValue | undefined;
  readonly conditionSource: JsonValue | undefined;
}

/** The condition of an edge as a file has it, or undefined for the fallback. */
export function translateCondition(
  edge: UpstreamCondition,
  names: ScenarioNames,
  note: Note,
): JsonValue | undefined {
  if (typeof edge.conditionSource === "string")
    return translateLambda(edge.conditionSource, "condition", names.renamed);
  const { condition } = edge;
  if (condition === undefined || condition === null) return undefined;
  if (!Array.isArray(condition)) return stateCheck(condition, edge.source, names, note);
  const parts = condition
    .map((part) => stateCheck(part as JsonValue, edge.source, names, note))
    .filter((part) => part !== ALWAYS);
  if (parts.includes(NEVER)) return NEVER;
  if (parts.length === 0) return ALWAYS;
  if (parts.length === 1) return parts[0];
  // A list holds comparisons only; compositions need the long form.
  return parts.some((part) => part.type !== undefined && part.type !== "state_check")
    ? { type: "all_of", conditions: parts }
    : parts;
}

function stateCheck(data: JsonValue, source: string, names: ScenarioNames, note: Note): JsonObject {
  const { field, expected, verify_with } = isRecord(data) ? (data as JsonObject) : {};
  if (typeof field !== "string" || !isRecord(verify_with) || typeof verify_with.type !== "string")
    throw new NotTranslatable("a condition needs a field and a comparison (verify_with)");
  const node = field === "current_node" ? names.node(String(expected)) : undefined;
  const upstream = { primitive: verify_with as Primitive, expected: node?.id ?? expected ?? null };
  const place = locate(field, source, names);
  if (place === null) {
    note(`${field} is always null upstream, so the condition was worked out`);
    return constant(translateComparison({ type: "none" }, upstream, note));
  }
  if ("visits" in place) {
    note(`${field} is always 0, so the condition was worked out`);
    return constant(holdsFor(0, upstream, toCheck(upstream.primitive, note)));
  }
  const compared = translateComparison(place.type, upstream, (message) => note(`${field}: ${message}`));
  if (typeof compared === "boolean") return constant(compared);
  if (place.path === "turn" && "check" in compared && isBelowOne(compared.check)) return NEVER;
  return mapComposition(compared, (comparison) => stateLeaf(place.path, comparison));
}

function stateLeaf(path: string, comparison: Comparison): JsonObject {
  const short = shortValue(comparison);
  return short === undefined
    ? { type: "state_check", field: path, ...longForm(comparison) }
    : { [path]: short };
}

/** Turns count from 1: an export says in this way that a condition never holds. */
function isBelowOne(check: Comparison["check"]): boolean {
  return check.type === "numeric_range" && check.max !== undefined && check.max < 1;
}

function constant(compared: unknown): JsonObject {
  return compared === true ? ALWAYS : NEVER;
}

/** A path here and the type of its value; null for what upstream always finds empty, `visits` for what it never counts. */
type Place = { readonly path: string; readonly type: ValueType } | { readonly visits: 0 } | null;

function locate(field: string, source: string, names: ScenarioNames): Place {
  const [root, rest] = splitAtDot(field);
  switch (root) {
    case "verify_result":
      return { path: root, type: { type: "bool" } };
    case "turn":
      return { path: root, type: { type: "int" } };
    case "current_node":
      return { path: root, type: { type: "str" } };
    case "accumulated":
      return rest === "" ? null : { path: field, type: { type: "any" } };
    case "parsed":
      return fieldPlace("parsed", source, rest, names);
    case "node_visits": {
      const node = names.node(rest);
      return node === undefined ? { visits: 0 } : { path: `node_visits.${node.id}`, type: { type: "int" } };
    }
    case "node_results":
      return locateResult(rest, names);
    default:
      return null;
  }
}

function locateResult(rest: string, names: ScenarioNames): Place {
  const [id, inside] = splitAtDot(rest);
  const node = names.node(id);
  if (node === undefined) return null;
  const [section, key] = splitAtDot(inside);
  const path = `node_results.${node.id}.${section}`;
  switch (section) {
    case "verify_result":
      return { path, type: { type: "bool" } };
    case "parsed":
      return fieldPlace(path, id, key, names);
    case "rubric": {
      const type = node.traits.get(key);
      if (type === null) throw new NotTranslatable(`the trait ${key} of ${id} cannot be compared`);
      return type === undefined ? null : { path: `${path}.${key}`, type };
    }
    case "":
      throw new NotTranslatable(`all results of ${id} at once cannot be compared`);
    default:
      return null;
  }
}

function fieldPlace(prefix: string, node: string, name: string, names: ScenarioNames): Place {
  if (name === "id" || name === "correct" || name === "")
    throw new NotTranslatable(`parsed.${name} of upstream has no counterpart`);
  const type = names.field(node, name);
  return type.type === "none" ? null : { path: `${prefix}.${name}`, type };
}

function splitAtDot(path: string): readonly [string, string] {
  const dot = path.indexOf(".");
  return dot === -1 ? [path, ""] : [path.slice(0, dot), path.slice(dot + 1)];
}
