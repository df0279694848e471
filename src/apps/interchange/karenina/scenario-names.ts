import type { FieldType } from "../../../core/templates/template.ts";
import { isReservedKey } from "../../../core/values/json.ts";
import type { ValueType } from "./comparison.ts";
import { NotTranslatable } from "./primitives.ts";

/** What conditions and outcomes can look at in a node. */
export interface KnownNode {
  /** The id here. */
  readonly id: string;
  /** Null if the template could not be read. */
  readonly template: {
    readonly fields: readonly { readonly name: string; readonly type: FieldType }[];
  } | null;
  /** Traits by name, with the type of their values; null if it cannot be compared. */
  readonly traits: ReadonlyMap<string, ValueType | null>;
}

/** Nodes, fields and traits by their names upstream. */
export class ScenarioNames {
  readonly #nodes: ReadonlyMap<string, KnownNode>;

  constructor(nodes: ReadonlyMap<string, KnownNode>) {
    this.#nodes = nodes;
  }

  /** Ids of nodes that have another id here. */
  get renamed(): ReadonlyMap<string, string> {
    return new Map([...this.#nodes].flatMap(([id, node]) => (node.id === id ? [] : [[id, node.id]])));
  }

  node(id: string): KnownNode | undefined {
    return this.#nodes.get(id);
  }

  /** The type of a parsed field, as seen after a turn at some node. Throws `NotTranslatable` if there is no such field. */
  field(node: string, name: string): ValueType {
    const known = this.#nodes.get(node);
    if (known?.template === null) return { type: "any" };
    const type = known?.template?.fields.find((field) => field.name === name)?.type;
    if (type === undefined) throw new NotTranslatable(`parsed.${name} of ${node} has no counterpart`);
    return type;
  }

  /** The type of a field in any node: of one type if all nodes that have it agree. */
  fieldAnywhere(name: string): ValueType {
    const types = [...this.#nodes.values()].flatMap(({ template }): readonly ValueType[] => {
      if (template === null) return [{ type: "any" }];
      return template.fields.filter((field) => field.name === name).map(({ type }) => type);
    });
    const [first] = types;
    if (first === undefined) throw new NotTranslatable(`parsed.${name} has no counterpart`);
    return types.every(({ type }) => type === first.type) ? first : { type: "any" };
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
