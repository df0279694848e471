import { isReservedKey } from "../../core/values/json.ts";
import type { ValueType } from "./comparison.ts";
import type { PythonTemplate } from "./declared-template.ts";

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
