import type { Outcome } from "../outcomes/outcome-check.ts";
import type { TypedOutcome } from "../outcomes/outcome-helpers.ts";
import type { RateDeclaration } from "../outcomes/rate.ts";
import { DefinitionError, formatIssue } from "../schema/format-issue.ts";
import type { Issue } from "../schema/issue.ts";
import { asNearest, NearestName } from "../schema/nearest-name.ts";
import type { NoOther, ParsedOfShort, ShortQuestion } from "../short-forms/short-question.ts";
import type { Entry, KnownNode, NewId, NodeEntry, TypedWhen } from "../state/node-entry.ts";
import { type JsonObject, type UnknownRecord, withoutUndefined } from "../values/json.ts";
import type { DatasetOption } from "./dataset.ts";
import { defineScenario } from "./define-scenario.ts";
import type {
  END,
  END_IN_FILES,
  Handover,
  History,
  NodeOptions,
  NodeParts,
  ScenarioDefinition,
} from "./definition.ts";
import type { LintSettings } from "./lint-rule.ts";
import { ScenarioParts } from "./scenario-parts.ts";
import type { Variants } from "./variants.ts";

/** What a scenario has besides its name and its parts. */
export interface ScenarioOptions {
  readonly description?: string;
  /** The system prompt of its conversations, in place of the run's; that of an agent goes first. */
  readonly systemPrompt?: string;
  /** What was said before the first turn: shown to the subject, never judged, never counted. */
  readonly history?: History;
  /** Its rows: a path, rows, or either with options. */
  readonly dataset?: DatasetOption;
  /** Its factors with their levels. */
  readonly variants?: Variants;
  /** Rules of `elenchus check` that are switched off, each with the reason: `{ off: { oracle_edge: "hints are the point" } }`. */
  readonly lint?: LintSettings;
  readonly metadata?: JsonObject;
}

/**
 * A mutable builder of scenarios. Add nodes, edges and outcomes in any order, then `validate()`.
 * Written as a chain, misspelt node ids, unknown fields and values of the wrong type are compile errors where they stand; a
 * chain adds its nodes before the edges and outcomes that name them.
 *
 * @example
 * const definition = new Scenario("capital")
 *   .addNode("ask", { question: question({ question: "Capital of Australia?", rawAnswer: "Canberra" }) })
 *   .addEdge("ask", END)
 *   .setEntry("ask")
 *   .validate();
 */
export class Scenario<in Nodes extends NodeEntry = never, in Outcomes extends string = never> {
  readonly name: string;
  readonly description: string;
  readonly #parts = new ScenarioParts();
  /** What it has besides its parts. */
  readonly #rest: UnknownRecord;
  #entry: string | undefined;
  readonly #rates: Record<string, unknown> = Object.create(null);

  constructor(name: string, options: ScenarioOptions = {}) {
    const { description = "", systemPrompt, history, dataset, variants, lint, metadata = {} } = options;
    this.name = name;
    this.description = description;
    const data = withoutUndefined({ history, metadata, dataset, variants, lint });
    const taken = Object.entries(data).map(([key, value]) => [key, this.#parts.takeRest(value, [key])]);
    this.#rest = withoutUndefined({ systemPrompt, ...Object.fromEntries(taken) });
  }

  /** Registers a node; the question is copied, so that later changes to it do not matter. */
  addNode<const Id extends string, const Short extends ShortQuestion>(
    id: NewId<Id, Nodes["id"]>,
    options: NodeParts<ParsedOfShort<Short>> & { readonly [Key in keyof Short]: Short[Key] } & NoOther<
        Short,
        keyof NodeParts | keyof ShortQuestion
      >,
  ): Scenario<Nodes | Entry<Id, ParsedOfShort<Short>>, Outcomes>;
  addNode<const Id extends string, Parsed = unknown>(
    id: NewId<Id, Nodes["id"]>,
    options: NodeOptions<Parsed>,
  ): Scenario<Nodes | Entry<Id, Parsed>, Outcomes>;
  addNode(id: string, options: unknown): never {
    const { nodes, issues } = this.#parts;
    const key = String(id);
    const path = ["nodes", key];
    if (typeof id !== "string")
      issues.push({ code: "wrong_type", path, expected: "text as node id", received: typeof id });
    if (nodes.has(key)) issues.push(this.#atOnce({ code: "duplicate_node", path, node: key }));
    else this.#parts.addNode(key, options);
    return this.#typed();
  }

  /** Connects two nodes; without `when` the edge is the fallback of its source. */
  addEdge<Self extends Scenario, const Source extends KnownNode<NodesIn<Self>>>(
    this: Self,
    source: Source,
    target: KnownNode<NodesIn<Self>> | typeof END | typeof END_IN_FILES,
    options: { readonly when?: TypedWhen<NodesIn<Self>, Source>; readonly handover?: Handover | null } = {},
  ): Self {
    this.#parts.addEdge({ source, target, ...options });
    return this;
  }

  /**
   * Lets conversations continue several times after a node: with each target by itself, from the same turns. Each arm is a conversation
   * with `arm` and `parent`; what came before is asked once.
   */
  addFork<Self extends Scenario, const Source extends KnownNode<NodesIn<Self>>>(
    this: Self,
    source: Source,
    targets: readonly (KnownNode<NodesIn<Self>> | typeof END | typeof END_IN_FILES)[],
    options: { readonly when?: TypedWhen<NodesIn<Self>, Source>; readonly handover?: Handover | null } = {},
  ): Self {
    this.#parts.addEdge({ source, fork: targets, ...options });
    return this;
  }

  /** Adds a named assertion or number over finished conversations. */
  addOutcome<const Name extends string>(
    name: Name,
    check: TypedOutcome<Nodes>,
    options: Pick<Outcome, "description" | "when" | "good" | "shown"> = {},
  ): Scenario<Nodes, Outcomes | Name> {
    this.#parts.addOutcome({ name, check, ...options });
    return this.#typed();
  }

  /** Declares a number that reports compute from outcomes, for instance a conditional rate. */
  addRate(name: string, rate: RateDeclaration<[Outcomes] extends [never] ? string : Outcomes>): this {
    this.#rates[name] = this.#parts.takeRest(rate, ["rates", name]);
    return this;
  }

  /** Sets the node where conversations start; it must have been added. */
  setEntry<Self extends Scenario>(this: Self, id: KnownNode<NodesIn<Self>>): Self {
    const { nodes } = this.#parts;
    if (!nodes.has(id)) {
      const nearest = asNearest(new NearestName(() => nodes.keys()).find(String(id)));
      // Where it does not throw, `validate()` finds the same.
      this.#atOnce({ code: "unknown_node", path: ["entry"], node: String(id), role: "entry", ...nearest });
    }
    this.#entry = id;
    return this;
  }

  /**
   * Validates everything and freezes it; throws a `DefinitionError` with every issue there is. Warnings are on the
   * definition, and `validate()` shows each once.
   */
  validate<Self extends Scenario>(this: Self): DefinitionOf<Self>;
  validate(): ScenarioDefinition {
    const { name, description } = this;
    const rates = Object.keys(this.#rates).length === 0 ? undefined : Object.freeze({ ...this.#rates });
    const rest = { name, description, ...this.#rest, ...withoutUndefined({ entry: this.#entry, rates }) };
    const definition = defineScenario({ parts: this.#parts, rest });
    for (const warning of definition.warnings)
      warnOnce(`Scenario ${JSON.stringify(name)}: ${formatIssue(warning)}`);
    return definition;
  }

  /** Throws an issue that is known before `validate()`, unless all issues are to be seen together. */
  #atOnce(issue: Issue): Issue {
    if (collectsIssues) return issue;
    throw new DefinitionError(`Scenario ${JSON.stringify(this.name)}`, [issue]);
  }

  /** The same builder under the type that knows what was just added. */
  #typed<Next>(): Next {
    return this as unknown as Next;
  }
}

let collectsIssues = false;

/** Leaves what `addNode` and `setEntry` would throw to `validate()`, as long as it is set: a command lists all issues together. */
export function leaveIssuesToValidate(isSet: boolean): void {
  collectsIssues = isSet;
}

/** Code that makes scenarios in a loop does not fill the screen: all warnings are on the definitions. */
const MOST_SHOWN = 50;

const shown = new Set<string>();
let show: (message: string) => void = () => {};

/** Says how the warnings of definitions reach their author: each is shown once. */
export function showWarnings(by: (message: string) => void): void {
  show = by;
  shown.clear();
}

function warnOnce(message: string): void {
  if (shown.has(message) || shown.size >= MOST_SHOWN) return;
  shown.add(message);
  show(message);
}

// What a chain knows is inferred from `this`, not from the class: so a builder that knows more fits a variable of
// one that knows nothing, as in a loop.
type NodesIn<Builder> = Builder extends Scenario<infer Nodes, never> ? Nodes : never;
type DefinitionOf<Builder> =
  Builder extends Scenario<infer Nodes, infer Outcomes>
    ? ScenarioDefinition<
        [Nodes] extends [never] ? NodeEntry : Nodes,
        [Outcomes] extends [never] ? string : Outcomes
      >
    : never;
