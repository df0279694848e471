import { DefinitionError } from "../issue/definition-error.ts";
import type { Issue } from "../issue/issue.ts";
import { asNearest, NearestName } from "../issue/nearest-name.ts";
import type { OutcomeCheck } from "../outcome/outcome-check.ts";
import type { JsonObject } from "../value/json.ts";
import { copyForDefinition, withoutNulls } from "./copy-for-definition.ts";
import { defineScenario } from "./define-scenario.ts";
import type { ScenarioDefinition } from "./definition.ts";
import type { Entry, MissingNode, NewId, NodeEntry, TypedWhen } from "./node-entry.ts";
import { END, END_IN_FILES, type Handover } from "./scenario-edge.ts";
import type { NodeOptions } from "./scenario-node.ts";

/**
 * A mutable builder of scenarios. Add nodes, edges and outcomes in any order, then `validate()`.
 * Written as a chain, misspelt node ids, unknown fields and values of the wrong type are compile errors.
 *
 * @example
 * const definition = new Scenario("capital")
 *   .addNode("ask", { question: question({ question: "Capital of Australia?", rawAnswer: "Canberra" }) })
 *   .addEdge("ask", END)
 *   .setEntry("ask")
 *   .validate();
 */
export class Scenario<Entries extends NodeEntry = never, Named extends string = never> {
  readonly name: string;
  readonly description: string;
  readonly #metadata: unknown;
  readonly #nodes = new Map<string, unknown>();
  readonly #edges: unknown[] = [];
  readonly #outcomes: unknown[] = [];
  readonly #issues: Issue[] = [];
  #entry: string | undefined;

  constructor(name: string, options: { readonly description?: string; readonly metadata?: JsonObject } = {}) {
    this.name = name;
    this.description = options.description ?? "";
    this.#metadata = this.#copy(options.metadata ?? {}, ["metadata"]);
  }

  /** Registers a node; the question is copied, so that later changes to it do not matter. */
  addNode<const Id extends string, Parsed = unknown>(
    id: NewId<Id, Entries["id"]>,
    options: NodeOptions<Parsed>,
  ): Scenario<Entries | Entry<Id, Parsed>, Named> {
    const key = String(id);
    if (typeof id !== "string") {
      this.#issues.push({
        code: "wrong_type",
        path: ["nodes", key],
        expected: "text as node id",
        received: typeof id,
      });
    }
    if (this.#nodes.has(key)) throw this.#error({ code: "duplicate_node", path: ["nodes", key], node: key });
    this.#nodes.set(key, withoutNulls(this.#copy(options, ["nodes", key])));
    return this.#typed();
  }

  /** Connects two nodes; without `when` the edge is the fallback of its source. */
  addEdge<const Source extends string, const Target extends string>(
    source: Source | Entries["id"],
    target: Target | Entries["id"] | typeof END,
    options: { readonly when?: TypedWhen<Entries, Source>; readonly handover?: Handover | null } = {},
  ): Scenario<Entries, Named | Source | Target> {
    const edge = { source, target: target === END_IN_FILES ? END : target, ...options };
    this.#edges.push(withoutNulls(this.#copy(edge, ["edges", this.#edges.length])));
    return this.#typed();
  }

  /** Adds a named assertion or number over finished conversations. */
  addOutcome(name: string, check: OutcomeCheck, options: { readonly description?: string } = {}): this {
    this.#outcomes.push(this.#copy({ name, check, ...options }, ["outcomes", this.#outcomes.length]));
    return this;
  }

  /** Sets the node where conversations start; it must have been added. */
  setEntry<const Id extends string>(id: Id | Entries["id"]): Scenario<Entries, Named | Id> {
    if (!this.#nodes.has(id)) {
      const nearest = asNearest(new NearestName(() => this.#nodes.keys()).find(String(id)));
      throw this.#error({
        code: "unknown_node",
        path: ["entry"],
        node: String(id),
        role: "entry",
        ...nearest,
      });
    }
    this.#entry = id;
    return this.#typed();
  }

  /** Checks everything and freezes it; throws a `DefinitionError` with every issue there is. */
  validate(
    this: [MissingNode<Entries, Named>] extends [never]
      ? Scenario<Entries, Named>
      : `Node "${MissingNode<Entries, Named>}" is named by an edge or as entry, but never added`,
  ): ScenarioDefinition;
  validate(): ScenarioDefinition {
    const { name, description } = this;
    const data = {
      name,
      description,
      metadata: this.#metadata,
      nodes: Object.fromEntries(this.#nodes),
      edges: Object.freeze([...this.#edges]),
      outcomes: Object.freeze([...this.#outcomes]),
      ...(this.#entry === undefined ? {} : { entry: this.#entry }),
    };
    return defineScenario({ data, nodeIds: [...this.#nodes.keys()], issues: this.#issues });
  }

  #copy(value: unknown, path: readonly (string | number)[]): unknown {
    return copyForDefinition(value, path, (issue) => this.#issues.push(issue));
  }

  #error(issue: Issue): DefinitionError {
    return new DefinitionError(`Scenario ${JSON.stringify(this.name)}`, [issue]);
  }

  /** The same builder under the type that knows what was just added. */
  #typed<Next>(): Next {
    return this as unknown as Next;
  }
}
