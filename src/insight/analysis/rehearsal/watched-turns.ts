import { needsOfParts } from "../../../core/liquid/text-needs.ts";
import type { OutcomeCheck } from "../../../core/outcomes/outcome-check.ts";
import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import type { When } from "../../../core/state/condition.ts";
import { parseStatePath } from "../../../core/state/state-path.ts";
import { fieldNamed, isTruthFrom } from "../../../core/templates/template.ts";
import type { JsonValue } from "../../../core/values/json.ts";
import type { FinishedTurn } from "../../../engine/journal/turn.ts";
import { outcomeReads } from "../outcome-reads.ts";
import { answersOf, type Comparison, fixedComparison, stateChecks } from "./comparisons.ts";
import type { DefinitionCode } from "./prepare-code.ts";

/** How one field or trait of a node's turns is read. */
interface WatchedValue {
  readonly comparisons: Comparison[];
  /** True if something reads the value itself: a text, a function, a truth that depends on it. */
  isSeen: boolean;
}

/** What is read of the turns of one node. Replies that differ in nothing of it are not distinguished. */
export interface WatchedTurn {
  verdict: boolean;
  refused: boolean;
  readonly fields: Map<string, WatchedValue>;
  readonly traits: Map<string, WatchedValue>;
  /** Literals of code that reads the turn: values to try. */
  readonly named: Set<JsonValue>;
}

/**
 * For every node, what conditions, truths, texts, updates and outcomes see of its turns. The definition is bound to its row and its
 * variant.
 */
export function watchedTurns(
  definition: ScenarioDefinition,
  code: DefinitionCode,
): ReadonlyMap<string, WatchedTurn> {
  return new TurnWatch(definition, code).all();
}

/** What the scenario reads of a turn, as a key: turns with the same key are not distinguished. */
export function seenOf(
  turn: Pick<FinishedTurn, "verifyResult" | "notVerified" | "refused" | "fields" | "parsed" | "rubric">,
  watched: WatchedTurn | undefined,
): string {
  if (watched === undefined) return "";
  const { verifyResult, notVerified, refused, fields, parsed, rubric } = turn;
  const values = (from: object, seen: ReadonlyMap<string, WatchedValue>): readonly unknown[] =>
    [...seen].map(([name, { comparisons, isSeen }]) => {
      const value = (from as Readonly<Record<string, unknown>>)[name] ?? null;
      return isSeen ? value : [answersOf(value, comparisons), value === null];
    });
  return JSON.stringify([
    watched.verdict ? (notVerified === true ? "not verified" : verifyResult) : null,
    watched.refused ? refused : null,
    values(parsed, watched.fields),
    // Of several fields, each may be right or wrong.
    watched.verdict ? [...watched.fields.keys()].map((name) => fields[name]?.result ?? null) : null,
    values(rubric, watched.traits),
  ]);
}

/** How something reads a value: by a comparison, or the value itself. */
type Look = Comparison | "value";

class TurnWatch {
  readonly #definition: ScenarioDefinition;
  readonly #code: DefinitionCode;
  readonly #turns = new Map<string, WatchedTurn>();

  constructor(definition: ScenarioDefinition, code: DefinitionCode) {
    this.#definition = definition;
    this.#code = code;
    for (const id of definition.nodeIds)
      this.#turns.set(id, {
        verdict: false,
        refused: false,
        fields: new Map(),
        traits: new Map(),
        named: new Set(),
      });
  }

  all(): ReadonlyMap<string, WatchedTurn> {
    const { edges, nodes, outcomes } = this.#definition;
    for (const [edge, { source, when }] of edges.entries()) this.#condition(source, when, edge);
    for (const [id, node] of Object.entries(nodes)) {
      this.#texts([node, this.#definition.systemPrompt], null);
      for (const { truth } of Object.values(node.question.template?.fields ?? {}))
        if (isTruthFrom(truth)) {
          // It looks at the state before the turn: what is of the last turn there is of a node that leads here.
          for (const { source, target } of edges) if (target === id) this.#path(source, truth.from, "value");
        }
      const update = this.#code.updates.get(id);
      if (update !== undefined) this.#everything([id], update.named);
      // What a verification looks at is in the verdict.
      for (const value of this.#code.verifications.get(id)?.named ?? [])
        this.#turns.get(id)?.named.add(value);
    }
    for (const { name, check } of outcomes) this.#outcome(name, check);
    return this.#turns;
  }

  #condition(source: string, when: When | undefined, edge: number): void {
    for (const { sees, named } of this.#code.conditions.get(edge) ?? [])
      this.#everything(sees === "turn" ? [source] : this.#turns.keys(), named);
    if (typeof when === "object") this.#texts([when], source);
    for (const leaf of stateChecks(when)) {
      const comparison = fixedComparison(leaf, this.#definition);
      this.#path(source, leaf.field, comparison ?? "value");
    }
  }

  #everything(nodes: Iterable<string>, named: readonly JsonValue[]): void {
    for (const id of nodes) {
      const turn = this.#turns.get(id);
      const { question, rubric } = this.#definition.nodes[id] ?? {};
      if (turn === undefined) continue;
      turn.verdict = true;
      turn.refused = true;
      for (const value of named) turn.named.add(value);
      for (const name of Object.keys(question?.template?.fields ?? {}))
        this.#look(turn.fields, name, "value");
      for (const { name } of [...(question?.rubric?.traits ?? []), ...(rubric?.traits ?? [])])
        this.#look(turn.traits, name, "value");
    }
  }

  /** `current` is the node whose turn was the last, in a condition; before a turn, that may be any. */
  #texts(parts: readonly unknown[], current: string | null): void {
    for (const { node, index, part, name } of needsOfParts(...parts).turns) {
      const ids =
        typeof node === "string"
          ? [node]
          : index === -1 && current !== null
            ? [current]
            : [...this.#turns.keys()];
      for (const id of ids) {
        const path = part === "verdict" ? "verify_result" : part === "everything" ? "" : part;
        if (path === "") this.#everything([id], []);
        else this.#path(id, name === "" ? path : `${path}.${name}`, "value");
      }
    }
  }

  /** A path of the state, as it is read after a turn at `node`. */
  #path(node: string, path: string, look: Look): void {
    const parsed = parseStatePath(path);
    if ("problem" in parsed) return;
    const part = parsed.root === "node_results" ? parsed.part : parsed.root;
    const ids =
      parsed.root !== "node_results"
        ? [node]
        : parsed.node === null
          ? [...this.#turns.keys()]
          : [parsed.node];
    for (const id of ids) {
      if (part === null) this.#everything([id], []);
      else this.#part(id, part, { keys: "keys" in parsed ? parsed.keys : [], look });
    }
  }

  #part(
    id: string,
    part: string,
    { keys, look }: { readonly keys: readonly string[]; readonly look: Look },
  ): void {
    const turn = this.#turns.get(id);
    if (turn === undefined) return;
    if (part === "verify_result" || part === "score") turn.verdict = true;
    if (part === "refused") turn.refused = true;
    // A score follows from all fields.
    if (part === "parsed" || part === "score") {
      const { fields = {} } = this.#definition.nodes[id]?.question.template ?? {};
      const name = fieldNamed(fields, keys);
      const isWhole = name === keys.join(".");
      for (const one of keys.length === 0 ? Object.keys(fields) : name === undefined ? [] : [name])
        this.#look(turn.fields, one, isWhole ? look : "value");
    }
    if (part === "rubric") {
      const { question, rubric } = this.#definition.nodes[id] ?? {};
      const names = [...(question?.rubric?.traits ?? []), ...(rubric?.traits ?? [])].map(({ name }) => name);
      const wanted = keys.join(".");
      for (const name of names) if (wanted === "" || wanted === name) this.#look(turn.traits, name, look);
    }
  }

  #look(values: Map<string, WatchedValue>, name: string, look: Look): void {
    const value = values.get(name) ?? { comparisons: [], isSeen: false };
    values.set(name, value);
    if (look === "value") value.isSeen = true;
    else value.comparisons.push(look);
  }

  #outcome(name: string, check: OutcomeCheck): void {
    const code = this.#code.outcomes.get(name);
    if (code !== undefined) this.#everything(this.#turns.keys(), code.named);
    if (typeof check !== "object") return;
    this.#texts([check], null);
    for (const { fields, nodes, only } of outcomeReads(check).turns)
      for (const id of nodes === undefined ? this.#turns.keys() : [nodes].flat())
        for (const { field, compared } of fields ?? []) {
          const turn = this.#turns.get(id);
          // Which turn is an attempt, and whether a field is missing or unread, is in the verdict.
          if (turn !== undefined && (only === "attempts" || field.startsWith("parsed"))) turn.verdict = true;
          const [part = "", ...keys] = field.split(".");
          const looks = compared?.map((one) => fixedComparison(one, this.#definition) ?? "value") ?? [
            "value",
          ];
          for (const look of looks) this.#part(id, part, { keys, look });
        }
  }
}
