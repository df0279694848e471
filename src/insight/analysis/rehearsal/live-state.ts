import { memoize } from "../../../core/lazy.ts";
import { textsIn } from "../../../core/liquid/fill-texts.ts";
import { compileText } from "../../../core/liquid/text-template.ts";
import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { FoldedState } from "../../../core/state/advance-state.ts";
import type { ScenarioState } from "../../../core/state/state.ts";
import { parseStatePath, resolvePath } from "../../../core/state/state-path.ts";
import { isTruthFrom } from "../../../core/templates/template.ts";
import { canonicalJson } from "../../../core/values/json.ts";
import { readsAccumulated, stateChecks } from "./comparisons.ts";
import type { DefinitionCode } from "./prepare-code.ts";

/** Reads one part of the state that something may still read. */
export type LiveRead = (state: ScenarioState) => unknown;

/** For every node, the parts of the state that are read there or at a node that edges lead to from it. */
export function liveState(
  definition: ScenarioDefinition,
  code: DefinitionCode,
): ReadonlyMap<string, readonly LiveRead[]> {
  const readers = new Map<string, Set<string>>();
  for (const { path, node } of reads(definition, code))
    memoize(readers, path, () => new Set<string>()).add(node);
  const sources = Map.groupBy(definition.edges, ({ target }) => target);
  const live = new Map<string, LiveRead[]>(definition.nodeIds.map((id) => [id, []]));
  for (const [path, nodes] of readers) {
    const read = readerOf(path);
    // Iteration over a set includes what is added during it.
    for (const node of nodes) for (const { source } of sources.get(node) ?? []) nodes.add(source);
    for (const node of nodes) live.get(node)?.push(read);
  }
  return live;
}

function readerOf(path: string): LiveRead {
  if (path === "state")
    return ({ turn, accumulated, nodeVisits, nodeResults, user }) =>
      canonicalJson({ turn, accumulated, nodeVisits, nodeResults, user: user ?? null });
  const parsed = parseStatePath(path);
  const node = "problem" in parsed || parsed.root !== "node_visits" ? null : parsed.node;
  // Reads the count alone: a list of all visits would take time.
  if (node !== null) return (state) => FoldedState.visit(state, node)?.count ?? 0;
  return (state) => resolvePath(path, state);
}

/** A part of the state, and a node before or after whose turn it is read. */
interface StateRead {
  readonly path: string;
  readonly node: string;
}

/** Of the turn itself when edges are tested, so that nothing before it is read. */
const OF_THE_TURN: ReadonlySet<string> = new Set(["verify_result", "refused", "parsed", "current_node"]);

function* reads(definition: ScenarioDefinition, code: DefinitionCode): Generator<StateRead> {
  const { edges, nodes, outcomes, nodeIds, systemPrompt } = definition;
  for (const [edge, { source: node, when }] of edges.entries()) {
    for (const { sees } of code.conditions.get(edge) ?? [])
      yield { path: sees === "turn" ? "accumulated" : "state", node };
    const paths = [
      ...stateChecks(when).map(({ field }) => field),
      ...(typeof when === "object" ? pathsInTexts(when, node) : []),
    ];
    for (const path of paths) if (!OF_THE_TURN.has(path.split(".")[0] as string)) yield { path, node };
  }
  for (const [id, node] of Object.entries(nodes)) {
    for (const path of pathsInTexts([node, systemPrompt], id)) yield { path, node: id };
    for (const { truth } of Object.values(node.question.template?.fields ?? {}))
      if (isTruthFrom(truth)) yield { path: truth.from, node: id };
    const update = code.updates.get(id);
    if (update !== undefined && update.sees !== "turn") yield { path: "turn", node: id };
  }
  const isAccumulatedRead = outcomes.some(
    // Code may read anything.
    ({ check }) => typeof check !== "object" || readsAccumulated(check),
  );
  if (isAccumulatedRead) for (const node of nodeIds) yield { path: "accumulated", node };
}

/** The parts of the state that texts read. What they read of turns by their number is a history. */
function pathsInTexts(part: unknown, node: string): readonly string[] {
  return [...textsIn(part)].flatMap(({ text }) =>
    compileText(text).variables.flatMap(({ path }): readonly string[] => {
      const [root, which = null, fact = null, ...keys] = path;
      if (root === "accumulated") return ["accumulated"];
      if (root === "visit") return [`node_visits.${node}`];
      if (root === "user") return [`user.${String(which)}`];
      if (root === "turns") return ["turn"];
      if (root !== "nodes" || typeof which !== "string") return [];
      if (fact === "visits") return [`node_visits.${which}`];
      if (fact === "turn") return ["state"];
      if (fact === "verify_result" || fact === "refused" || fact === "parsed" || fact === "rubric")
        return [["node_results", which, fact, ...keys.filter((key) => key !== null)].join(".")];
      return fact === null || fact === "score" ? [`node_results.${which}`] : [];
    }),
  );
}
