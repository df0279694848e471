import type { Document, Node, Scalar, YAMLMap } from "yaml";
import { errorMessage } from "../../../core/error-message.ts";
import { setOwn } from "../../../core/values/json.ts";
import {
  DEEPEST,
  LineIndex,
  type ParsedText,
  type Place,
  placesIn,
  refuseLarge,
  TextSyntaxError,
  TOO_DEEP,
} from "./text-places.ts";
import { sentenceEnd, shortened, yamlProblem } from "./yaml-problem.ts";

/** Reads YAML 1.2 as data: no tags, no merge keys, one document, no repeated keys. Takes time in proportion to the text. */
export function parseYamlText(text: string): ParsedText {
  // The library takes about half a kilobyte for a character in the worst case.
  refuseLarge(text, 80_000);
  const yaml = loadYaml();
  const lines = new LineIndex(text);
  try {
    // The library would find repeated keys in quadratic time; `DocumentReader` finds them on its way.
    const document = yaml.parseDocument(text, { prettyErrors: false, stringKeys: true, uniqueKeys: false });
    const problems = [...document.errors, ...document.warnings];
    // What is nested too deeply gives other errors, too.
    const problem = problems.find(({ code }) => code === "RESOURCE_EXHAUSTION") ?? problems[0];
    if (problem?.code === "RESOURCE_EXHAUSTION")
      throw new TextSyntaxError(TOO_DEEP, lines.positionAt(problem.pos[0]));
    if (problem !== undefined) {
      const { clause, offset = openedAt(yaml, document, problem.pos[0]) } = yamlProblem(problem, text);
      throw new TextSyntaxError(clause, lines.positionAt(offset ?? problem.pos[0]));
    }
    const { value, place } = new DocumentReader(yaml, { text, lines }).read(document.contents);
    return { value, ...placesIn(place, { text, value, lines }) };
  } catch (error) {
    if (error instanceof TextSyntaxError) throw error;
    // Very deep nesting exhausts the stack of the library.
    const tooDeep = error instanceof RangeError;
    throw new TextSyntaxError(tooDeep ? TOO_DEEP : sentenceEnd(errorMessage(error)));
  }
}

/** Where a text in quotes or a bracket begins that is still open at the place of an error: there is the mistake. */
function openedAt(yaml: YamlLibrary, document: Document, at: number): number | undefined {
  let begins: number | undefined;
  yaml.visit(document, {
    Node(_, node) {
      const [start, end] = node.range ?? [at, at];
      const isQuoted = yaml.isScalar(node) && node.type?.startsWith("QUOTE_") === true;
      const isOpen = isQuoted || (yaml.isCollection(node) && node.flow === true);
      if (isOpen && start < at && end === at) begins = start;
    },
  });
  return begins;
}

/** How many values a text may stand for when its aliases are written out. */
const MOST_VALUES = 2_000_000;

/** A value of a document, where it stands, and how many values it has with those that aliases stand for. */
interface ReadNode {
  readonly value: unknown;
  readonly place: Place;
  readonly size: number;
}

/** Turns the nodes of a document into data. What aliases refer to is shared, not copied. */
class DocumentReader {
  readonly #yaml: YamlLibrary;
  readonly #lines: LineIndex;
  readonly #text: string;
  /** What each anchor stands for so far; undefined while it is read. */
  readonly #anchors = new Map<string, ReadNode | undefined>();
  #depth = 0;

  constructor(yaml: YamlLibrary, { text, lines }: { readonly text: string; readonly lines: LineIndex }) {
    this.#yaml = yaml;
    this.#lines = lines;
    this.#text = text;
  }

  read(node: Node | null, keyOffset: number | null = null): ReadNode {
    const at = node?.range?.[0] ?? keyOffset ?? 0;
    const place = { keyOffset, valueOffset: at };
    if (this.#yaml.isAlias(node)) {
      const { value, size, place: target } = this.#target(node.source, at);
      // What is wrong within it is wrong where it was written.
      return { value, place: target.parts === undefined ? place : { ...place, parts: target.parts }, size };
    }
    const { anchor } = (node ?? {}) as { readonly anchor?: string };
    if (anchor !== undefined) this.#anchors.set(anchor, undefined);
    if (++this.#depth > DEEPEST) throw new TextSyntaxError(TOO_DEEP, this.#lines.positionAt(at));
    const read = this.#content(node, place);
    this.#depth--;
    if (read.size > MOST_VALUES)
      throw new TextSyntaxError(
        `its aliases stand for more than ${MOST_VALUES} values; write less of it with aliases`,
        this.#lines.positionAt(at),
      );
    if (anchor !== undefined) this.#anchors.set(anchor, read);
    return read;
  }

  #content(node: Node | null, place: Place): ReadNode {
    if (this.#yaml.isMap(node)) return this.#map(node, place);
    if (this.#yaml.isSeq<Node>(node)) {
      const items = node.items.map((item) => this.read(item));
      return {
        value: items.map(({ value }) => value),
        place: { ...place, parts: new Map(items.map((item, index) => [index, item.place])) },
        size: items.reduce((sum, { size }) => sum + size, 1),
      };
    }
    if (this.#yaml.isScalar(node) && node.type === "PLAIN") this.#refuseMisread(node);
    return { value: this.#yaml.isScalar(node) ? node.value : null, place, size: 1 };
  }

  /** Plain text that YAML reads, and nobody means. */
  #refuseMisread({ range }: Scalar): void {
    const [start, end] = range ?? [0, 0];
    const written = this.#text.slice(start, end);
    const dash = written.search(/\n[ \t]*- /);
    if (dash !== -1) {
      const at = start + dash + written.slice(dash).indexOf("-");
      throw new TextSyntaxError(
        'this "-" is not indented like the others of its list',
        this.#lines.positionAt(at),
      );
    }
    if (/^[“”„‘’].*[“”‘’]$/su.test(written))
      throw new TextSyntaxError(
        `${written[0]} and ${written.at(-1)} are no quotes in YAML; type " in their place, or leave them out`,
        this.#lines.positionAt(start),
      );
  }

  #map(map: YAMLMap, place: Place): ReadNode {
    const [only, second] = map.items;
    const inBraces = second === undefined && only?.value === null ? String((only.key as Scalar).value) : "";
    if (map.flow === true && /^(?:row|variant)\./.test(inBraces))
      throw new TextSyntaxError(
        `a value of a row is written with quotes and two braces: "{{ ${inBraces} }}"`,
        this.#lines.positionAt(place.valueOffset),
      );
    const parts = new Map<string, Place>();
    const value = {};
    let size = 1;
    for (const pair of map.items) {
      // With `stringKeys`, every key is a scalar text.
      const key = pair.key as Scalar;
      const name = String(key.value);
      const offset = key.range?.[0] ?? 0;
      if (parts.has(name)) {
        const message = `the key ${JSON.stringify(shortened(name))} occurs twice in the same object`;
        throw new TextSyntaxError(message, this.#lines.positionAt(offset));
      }
      const read = this.read(pair.value as Node | null, offset);
      parts.set(name, read.place);
      setOwn(value, name, read.value);
      size += read.size;
    }
    return { value, place: { ...place, parts }, size };
  }

  #target(name: string, offset: number): ReadNode {
    const target = this.#anchors.get(name);
    if (target !== undefined) return target;
    const problem = this.#anchors.has(name)
      ? `the alias *${shortened(name)} stands inside of what it refers to`
      : `the alias *${shortened(name)} refers to nothing before it`;
    throw new TextSyntaxError(problem, this.#lines.positionAt(offset));
  }
}

/** What is used of the `yaml` package. */
type YamlLibrary = typeof import("yaml");

let library: YamlLibrary | undefined;

/**
 * Loads the `yaml` package when the first YAML text is read, not when Elenchus is imported: it takes longer to load than
 * all the rest. A dynamic import is not possible, because reading a file is synchronous.
 */
export function loadYaml(): YamlLibrary {
  library ??= process.getBuiltinModule("module").createRequire(import.meta.url)("yaml") as YamlLibrary;
  return library;
}
