import type { Node, YAMLMap } from "yaml";
import { errorMessage } from "../../core/error-message.ts";
import { LineIndex, type ParsedText, type Place, placesIn, TextSyntaxError } from "./text-places.ts";

/** Reads YAML 1.2 as data: no tags, no merge keys, one document, no repeated keys. */
export function parseYamlText(text: string): ParsedText {
  const yaml = loadYaml();
  const lines = new LineIndex(text);
  try {
    // The library finds repeated keys in quadratic time; `PlaceReader` finds them on its way.
    const document = yaml.parseDocument(text, { prettyErrors: false, stringKeys: true, uniqueKeys: false });
    const [problem] = [...document.errors, ...document.warnings];
    if (problem !== undefined)
      throw new TextSyntaxError(clause(problem.message), lines.positionAt(problem.pos[0]));
    const root = new PlaceReader(yaml, lines).read(document.contents, null);
    // Aliases share one object, so they cost nothing here; copying counts what they stand for, and has a limit.
    const value: unknown = document.toJS({ maxAliasCount: -1 });
    return { value, ...placesIn(root, { text, value, lines }) };
  } catch (error) {
    if (error instanceof TextSyntaxError) throw error;
    // Alias bombs and aliases of themselves are refused by throwing; very deep nesting exhausts the stack.
    const tooDeep = error instanceof RangeError;
    throw new TextSyntaxError(tooDeep ? "it is nested too deeply" : clause(errorMessage(error)));
  }
}

/** A message of the library as the end of our sentence. */
function clause(message: string): string {
  const [first = ""] = message.split(/[\n;]/);
  if (first.includes("multiple documents"))
    return 'it has several documents; write one with a list of "scenarios"';
  if (/nested mappings|implicit keys|implicit map/i.test(first))
    return "a text with a colon and a space is taken for a key; put quotes around it";
  const plain = first.trim().replace(/\.$/, "");
  return plain.charAt(0).toLowerCase() + plain.slice(1);
}

class PlaceReader {
  readonly #yaml: YamlLibrary;
  readonly #lines: LineIndex;

  constructor(yaml: YamlLibrary, lines: LineIndex) {
    this.#yaml = yaml;
    this.#lines = lines;
  }

  read(node: Node | null, keyOffset: number | null): Place {
    const place = { keyOffset, valueOffset: node?.range?.[0] ?? keyOffset ?? 0 };
    if (this.#yaml.isMap(node)) return { ...place, parts: this.#readMap(node) };
    if (!this.#yaml.isSeq<Node>(node)) return place;
    return { ...place, parts: new Map(node.items.map((item, index) => [index, this.read(item, null)])) };
  }

  #readMap(map: YAMLMap): ReadonlyMap<string, Place> {
    const parts = new Map<string, Place>();
    for (const pair of map.items) {
      // With `stringKeys`, every key is a scalar text.
      const key = pair.key as Node & { readonly value: unknown };
      const name = String(key.value);
      const offset = key.range?.[0] ?? 0;
      if (parts.has(name)) {
        const message = `the key ${JSON.stringify(name)} stands twice in the same object`;
        throw new TextSyntaxError(message, this.#lines.positionAt(offset));
      }
      parts.set(name, this.read(pair.value as Node | null, offset));
    }
    return parts;
  }
}

/** What is used of the `yaml` package. */
export type YamlLibrary = typeof import("yaml");

let library: YamlLibrary | undefined;

/**
 * Loads the `yaml` package when the first YAML text is read, not when Elenchus is imported: it takes longer to load than
 * all the rest. Reading a file stays synchronous, so a dynamic import is no way to do this.
 */
export function loadYaml(): YamlLibrary {
  library ??= process.getBuiltinModule("module").createRequire(import.meta.url)("yaml") as YamlLibrary;
  return library;
}
