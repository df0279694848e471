import type { OutcomeCheck } from "../outcomes/outcome-check.ts";
import { DefinitionError } from "../schema/definition-error.ts";
import type { Issue } from "../schema/issue.ts";
import { asNearest, NearestName } from "../schema/nearest-name.ts";
import type { JsonObject } from "../values/json.ts";
import { defineScenario } from "./define-scenario.ts";
import type { ScenarioDefinition } from "./definition.ts";
import type { Entry, MissingNode, NewId, NodeEntry, TypedWhen } from "./node-entry.ts";
import type { END, Handover } from "./scenario-edge.ts";
import type { NodeOptions } from "./scenario-node.ts";
import { ScenarioParts } from "./scenario-parts.ts";

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
  readonly #parts = new ScenarioParts();
  #entry: string | undefined;

  constructor(name: string, options: { readonly description?: string; readonly metadata?: JsonObject } = {}) {
    this.name = name;
    this.description = options.description ?? "";
    this.#metadata = this.#parts.takeRest(options.metadata ?? {}, ["metadata"]);
  }

  /** Registers a node; the question is copied, so that later changes to it do not matter. */
  addNode<const Id extends string, Parsed = unknown>(
    id: NewId<Id, Entries["id"]>,
    options: NodeOptions<Parsed>,
  ): Scenario<Entries | Entry<Id, Parsed>, Named> {
    const { nodes, issues } = this.#parts;
    const key = String(id);
    const path = ["nodes", key];
    if (typeof id !== "string")
      issues.push({ code: "wrong_type", path, expected: "text as node id", received: typeof id });
    if (nodes.has(key)) throw this.#error({ code: "duplicate_node", path, node: key });
    this.#parts.addNode(key, options);
    return this.#typed();
  }

  /** Connects two nodes; without `when` the edge is the fallback of its source. */
  addEdge<const Source extends string, const Target extends string>(
    source: Source | Entries["id"],
    target: Target | Entries["id"] | typeof END,
    options: { readonly when?: TypedWhen<Entries, Source>; readonly handover?: Handover | null } = {},
  ): Scenario<Entries, Named | Source | Target> {
    this.#parts.addEdge({ source, target, ...options });
    return this.#typed();
  }

  /** Adds a named assertion or number over finished conversations. */
  addOutcome(name: string, check: OutcomeCheck, options: { readonly description?: string } = {}): this {
    this.#parts.addOutcome({ name, check, ...options });
    return this;
  }

  /** Sets the node where conversations start; it must have been added. */
  setEntry<const Id extends string>(id: Id | Entries["id"]): Scenario<Entries, Named | Id> {
    const { nodes } = this.#parts;
    if (!nodes.has(id)) {
      const nearest = asNearest(new NearestName(() => nodes.keys()).find(String(id)));
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
    const entry = this.#entry === undefined ? {} : { entry: this.#entry };
    return defineScenario({
      parts: this.#parts,
      rest: { name, description, metadata: this.#metadata, ...entry },
    });
  }

  #error(issue: Issue): DefinitionError {
    return new DefinitionError(`Scenario ${JSON.stringify(this.name)}`, [issue]);
  }

  /** The same builder under the type that knows what was just added. */
  #typed<Next>(): Next {
    return this as unknown as Next;
  }
}
