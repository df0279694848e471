import { isRecord, ownValue } from "../values/json.ts";
import { FoldedState } from "./advance-state.ts";
import type { NodeResult, ScenarioState, UserState } from "./state.ts";

/** The first words a path can have. */
export const STATE_ROOTS: readonly string[] = [
  "verify_result",
  "refused",
  "turn",
  "current_node",
  "parsed",
  "accumulated",
  "node_visits",
  "node_results",
  "user",
];

/** A path taken apart; `keys` is what follows inside `parsed`, `rubric` or `accumulated`. */
type StatePath =
  | { readonly root: "verify_result" | "refused" | "turn" | "current_node" }
  | { readonly root: "parsed" | "accumulated"; readonly keys: readonly string[] }
  | { readonly root: "user"; readonly part: keyof UserState }
  | { readonly root: "node_visits"; readonly node: string | null }
  | {
      readonly root: "node_results";
      readonly node: string | null;
      readonly part: "verify_result" | "refused" | "parsed" | "rubric" | null;
      readonly keys: readonly string[];
    };

/** Takes a path apart, or says what is wrong with it. */
export function parseStatePath(path: string): StatePath | { readonly problem: string } {
  const [root, ...rest] = path.split(".");
  if (rest.includes("")) return { problem: "a part between dots is empty" };
  switch (root) {
    case "verify_result":
    case "refused":
    case "turn":
    case "current_node":
      return rest.length === 0 ? { root } : { problem: `nothing can follow "${root}"` };
    case "parsed":
    case "accumulated":
      return { root, keys: rest };
    case "node_visits":
      return rest.length <= 1
        ? { root, node: rest[0] ?? null }
        : { problem: `only a node id can follow "${root}"` };
    case "node_results":
      return parseNodeResultPath(rest);
    case "user": {
      const [part] = rest;
      if (rest.length === 1 && (part === "done" || part === "reveals" || part === "revealed"))
        return { root, part };
      return { problem: 'after "user" comes done, reveals or revealed' };
    }
    default:
      return {
        problem: `it must start with ${STATE_ROOTS.slice(0, -1).join(", ")} or ${STATE_ROOTS.at(-1)}`,
      };
  }
}

function parseNodeResultPath(parts: readonly string[]): StatePath | { readonly problem: string } {
  const [node = null, part = null, ...keys] = parts;
  switch (part) {
    case "verify_result":
    case "refused":
      if (keys.length === 0) return { root: "node_results", node, part, keys };
      break;
    case "parsed":
    case "rubric":
    case null:
      return { root: "node_results", node, part, keys };
  }
  return { problem: "after the node id comes verify_result, refused, parsed or rubric" };
}

/** Reads one value out of a state. */
type StateReader = (state: ScenarioState) => unknown;

/** Prepares a path for repeated reading. What is missing reads as null, a node never visited as 0 visits. */
export function compilePath(path: string): StateReader {
  const parsed = parseStatePath(path);
  if ("problem" in parsed) return () => null;
  switch (parsed.root) {
    case "verify_result":
      return (state) => state.verifyResult ?? null;
    case "refused":
      return (state) => state.refused ?? null;
    case "turn":
      return (state) => state.turn ?? null;
    case "current_node":
      return (state) => state.currentNode ?? null;
    case "parsed":
      return readInside((state) => state.parsed, parsed.keys);
    case "accumulated":
      return readInside((state) => state.accumulated, parsed.keys);
    case "node_visits": {
      const { node } = parsed;
      if (node === null) return (state) => state.nodeVisits ?? null;
      return (state) => FoldedState.visit(state, node)?.count ?? 0;
    }
    case "node_results":
      return compileNodeResultPath(parsed);
    case "user": {
      const { part } = parsed;
      return (state) => state.user?.[part] ?? null;
    }
  }
}

const NO_RESULT: Partial<NodeResult> = Object.freeze({});

function compileNodeResultPath(path: Extract<StatePath, { root: "node_results" }>): StateReader {
  const { node, part, keys } = path;
  if (node === null) return (state) => state.nodeResults ?? null;
  const result = (state: ScenarioState): Partial<NodeResult> =>
    FoldedState.visit(state, node)?.result ?? NO_RESULT;
  switch (part) {
    case null:
      return result;
    case "verify_result":
      return (state) => result(state).verifyResult ?? null;
    case "refused":
      return (state) => result(state).refused ?? null;
    default:
      return readInside((state) => result(state)[part], keys);
  }
}

function readInside(container: StateReader, keys: readonly string[]): StateReader {
  const [first] = keys;
  if (first === undefined) return (state) => container(state) ?? null;
  if (keys.length > 1) return (state) => valueAt(container(state), keys);
  return (state) => {
    const record = container(state);
    return (isRecord(record) ? ownValue(record, first) : null) ?? null;
  };
}

/** The value at a chain of keys; a key that is there literally (`"a.b"`) wins over a nested one. */
export function valueAt(container: unknown, keys: readonly string[]): unknown {
  if (keys.length === 0) return container ?? null;
  if (typeof container !== "object" || container === null) return null;
  for (let taken = keys.length; taken > 0; taken--) {
    const key = keys.slice(0, taken).join(".");
    if (Object.hasOwn(container, key)) return valueAt(ownValue(container, key), keys.slice(taken));
  }
  return null;
}

/** The value that a path such as `node_results.ask.parsed.letter` has in a state, or null. */
export function resolvePath(path: string, state: ScenarioState): unknown {
  return compilePath(path)(state);
}
