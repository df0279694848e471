import { memoize } from "../../../core/lazy.ts";
import { textsIn } from "../../../core/liquid/fill-texts.ts";
import { compileText } from "../../../core/liquid/text-template.ts";
import { isMeasure } from "../../../core/outcomes/measure.ts";
import { END, type ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { FoldedState } from "../../../core/state/advance-state.ts";
import type { ScenarioState } from "../../../core/state/state.ts";
import { parseStatePath, resolvePath } from "../../../core/state/state-path.ts";
import { isTruthFrom } from "../../../core/templates/template.ts";
import { canonicalJson } from "../../../core/values/json.ts";
import { type Comparison, fixedComparison, readsAccumulated, stateChecks } from "./comparisons.ts";
import { greatestCompared } from "./history-summary.ts";
import type { DefinitionCode } from "./prepare-code.ts";

/** Reads one part of the state that something may still read. */
export type LiveRead = (state: ScenarioState) => unknown;

/**
 * For every node, the parts of the state that something may still read when the node is asked (as in liveness analysis of compilers). A
 * part that is overwritten before it is read is left out, so that conversations that differ only in it are one state.
 */
export function liveState(
  definition: ScenarioDefinition,
  code: DefinitionCode,
): ReadonlyMap<string, readonly LiveRead[]> {
  const reads = new ReadFinder(definition, code).find();
  const [sources, targets] = [new Map<string, string[]>(), new Map<string, string[]>()];
  for (const { source, target } of definition.edges)
    if (target !== END) {
      memoize(sources, target, (): string[] => []).push(source);
      memoize(targets, source, (): string[] => []).push(target);
    }
  const live = new Map<string, LiveRead[]>(definition.nodeIds.map((id) => [id, []]));
  for (const part of reads) {
    const read = readerOf(part);
    for (const node of nodesBefore(part, sources, targets)) live.get(node)?.push(read);
  }
  return live;
}

type Neighbours = ReadonlyMap<string, readonly string[]>;

/** A part of the state, and the nodes at which it is read. */
interface Part {
  readonly path: string;
  /** Before the question is asked or its reply verified. */
  readonly before: Set<string>;
  /** After the turn, when edges are tested. */
  readonly after: Set<string>;
  /** Turns at this node write it; undefined if others do, too. */
  readonly writtenAt?: string;
  /** True if each of them overwrites it; a count is added to. */
  readonly isOverwritten: boolean;
  /** For a count: larger values need not be distinguished; null if they must. */
  most: number | null;
}

/** The nodes after the writer from which a reader can be reached before the part is overwritten. */
function nodesBefore(
  { before, after, writtenAt, isOverwritten }: Part,
  sources: Neighbours,
  targets: Neighbours,
): ReadonlySet<string> {
  const overwrittenAt = isOverwritten ? writtenAt : undefined;
  // Before the writer is asked, all conversations have the same: nothing.
  const written = writtenAt === undefined ? undefined : new Set(targets.get(writtenAt));
  // Iteration over a set includes what is added during it.
  if (written !== undefined)
    for (const node of written) for (const target of targets.get(node) ?? []) written.add(target);
  const live = new Set<string>();
  const add = (node: string): void => {
    if (written?.has(node) !== false) live.add(node);
  };
  for (const node of before) add(node);
  for (const node of after) if (node !== overwrittenAt) add(node);
  for (const node of live)
    for (const source of sources.get(node) ?? []) if (source !== overwrittenAt) add(source);
  return live;
}

function readerOf({ path, most }: Part): LiveRead {
  if (path === "state")
    return ({ turn, accumulated, nodeVisits, nodeResults, user }) =>
      canonicalJson({ turn, accumulated, nodeVisits, nodeResults, user: user ?? null });
  const parsed = parseStatePath(path);
  const node = "problem" in parsed || parsed.root !== "node_visits" ? null : parsed.node;
  if (node !== null)
    return (state) => {
      const { count = 0 } = FoldedState.visit(state, node) ?? {};
      return most === null ? count : Math.min(count, most + 1);
    };
  if (path === "turn") return ({ turn }) => (most === null ? turn : Math.min(turn, most + 1));
  return (state) => resolvePath(path, state);
}

class ReadFinder {
  readonly #definition: ScenarioDefinition;
  readonly #code: DefinitionCode;
  readonly #parts = new Map<string, Part>();

  constructor(definition: ScenarioDefinition, code: DefinitionCode) {
    this.#definition = definition;
    this.#code = code;
  }

  find(): Iterable<Part> {
    const { edges, nodes, outcomes, nodeIds } = this.#definition;
    edges.forEach(({ source, when }, edge) => {
      for (const { sees } of this.#code.conditions.get(edge) ?? [])
        this.#read(sees === "turn" ? "accumulated" : "state", source, "after");
      if (typeof when === "object") this.#texts(when, source, "after");
      for (const leaf of stateChecks(when))
        this.#read(leaf.field, source, "after", fixedComparison(leaf, this.#definition));
    });
    for (const [id, node] of Object.entries(nodes)) {
      this.#texts(node, id, "before");
      this.#texts(this.#definition.systemPrompt, id, "before");
      for (const { truth } of Object.values(node.question.template?.fields ?? {}))
        if (isTruthFrom(truth)) this.#read(truth.from, id, "before");
      const update = this.#code.updates.get(id);
      if (update !== undefined && update.sees !== "turn") this.#read("turn", id, "before");
    }
    const isAccumulatedRead = outcomes.some(({ check }) => {
      // Code may read anything.
      if (typeof check !== "object") return true;
      return !isMeasure(check) && readsAccumulated(check);
    });
    if (isAccumulatedRead) for (const id of nodeIds) this.#read("accumulated", id, "before");
    return this.#parts.values();
  }

  #texts(part: unknown, node: string, moment: "before" | "after"): void {
    for (const { text } of textsIn(part))
      for (const { path } of compileText(text).variables) {
        const [root, which = null, fact = null, ...keys] = path;
        if (root === "accumulated") this.#read("accumulated", node, moment);
        if (root === "visit") this.#read(`node_visits.${node}`, node, moment);
        if (root === "user") this.#read(`user.${String(which)}`, node, moment);
        if (root === "turns") this.#read("turn", node, moment);
        if (root !== "nodes" || typeof which !== "string") continue;
        if (fact === "visits") this.#read(`node_visits.${which}`, node, moment);
        if (fact === "turn") this.#read("state", node, moment);
        if (fact === "score") this.#read(`node_results.${which}`, node, moment);
        if (fact === "verify_result" || fact === "refused" || fact === "parsed" || fact === "rubric")
          this.#read(
            ["node_results", which, fact, ...keys.filter((key) => key !== null)].join("."),
            node,
            moment,
          );
        if (fact === null) this.#read(`node_results.${which}`, node, moment);
      }
  }

  #read(path: string, node: string, moment: "before" | "after", comparison?: Comparison): void {
    const root = path.split(".")[0] as string;
    // These are of the turn itself when edges are tested.
    if (moment === "after" && ["verify_result", "refused", "parsed", "current_node"].includes(root)) return;
    const name = root === "accumulated" ? root : path;
    const most = comparison === undefined ? null : greatestCompared(comparison);
    const known = this.#parts.get(name);
    const parsed = parseStatePath(name);
    const writtenAt = "node" in parsed ? parsed.node : null;
    const part: Part = known ?? {
      path: name,
      before: new Set(),
      after: new Set(),
      ...(writtenAt === null ? {} : { writtenAt }),
      isOverwritten: root === "node_results",
      most,
    };
    if (known !== undefined)
      part.most = known.most === null || most === null ? null : Math.max(known.most, most);
    part[moment].add(node);
    this.#parts.set(name, part);
  }
}
