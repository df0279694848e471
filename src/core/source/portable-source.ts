import type { parseExpressionAt, tokenizer } from "acorn";
import { expressionSource, functionForm, functionSource } from "./function-source.ts";

/** What is used of acorn. It is passed in, because loading it takes longer than loading the rest of Elenchus. */
export interface JavaScriptParser {
  readonly parseExpressionAt: typeof parseExpressionAt;
  readonly tokenizer: typeof tokenizer;
}

/**
 * The names that a portable function may use without declaring them: they are in every JavaScript and reach
 * neither the clock nor the world outside.
 */
export const STANDARD_NAMES: ReadonlySet<string> = new Set(
  (
    "undefined NaN Infinity Object Array String Number Boolean Symbol BigInt Math JSON RegExp Map Set WeakMap " +
    "WeakSet Error TypeError RangeError isNaN isFinite parseInt parseFloat encodeURIComponent decodeURIComponent"
  ).split(" "),
);

/**
 * The source of a function that uses nothing but its arguments, so that the text can run alone in a sandbox;
 * or, for an error message, the clause that says why it is not such a function. Never throws.
 *
 * @example portableSource((answer) => answer > threshold, acorn)
 * // { problem: 'it uses "threshold", which is defined outside of it' }
 */
export function portableSource(
  // biome-ignore lint/complexity/noBannedTypes: any function will do, its signature is not used.
  fn: Function,
  acorn: JavaScriptParser,
): { source: string } | { problem: string } {
  // Not fn.toString(), which an author may have replaced: the text must be what runs.
  const written: string = Function.prototype.toString.call(fn);
  const form = functionForm(written, acorn);
  if ("problem" in form) return form;
  const isMethod = form.kind === "method";
  const found = freeNames(written, isMethod, acorn);
  if ("problem" in found) return found;
  // A method that uses its own name means an outer one, but as a function it would mean itself.
  const outside = found.names.filter((name) => (isMethod && name === form.name) || !STANDARD_NAMES.has(name));
  if (outside.length > 0) return { problem: outsideProblem(outside) };
  const source = functionSource(fn);
  return isMethod && source !== `function ${written}`
    ? { problem: "it is a method whose name is not a plain word" }
    : { source };
}

function outsideProblem(names: readonly string[]): string {
  const quoted = names.map((name) => `"${name}"`);
  const last = quoted.pop();
  return quoted.length === 0
    ? `it uses ${last}, which is defined outside of it`
    : `it uses ${quoted.join(", ")} and ${last}, which are defined outside of it`;
}

/**
 * The names that a function uses and declares nowhere, standard ones such as `Math` included, in the order of their first use; or why
 * that cannot be found out. Blocks are not told apart: a name that only another block declares counts as declared, and shows where the
 * text runs.
 */
function freeNames(
  source: string,
  isMethod: boolean,
  acorn: JavaScriptParser,
): { readonly names: readonly string[] } | { readonly problem: string } {
  // A method has no text of its own in JavaScript: it is read as the only member of an object.
  const text = isMethod ? `{${source}\n}` : source;
  const whole = expressionSource(text, acorn);
  if ("problem" in whole) return whole;
  try {
    const node = acorn.parseExpressionAt(text, 0, OPTIONS) as unknown as SyntaxNode;
    const names = new NameReader();
    names.visit(isMethod ? (nodesIn(node.properties)[0]?.value as SyntaxNode) : node);
    return { names: [...names.used].filter((name) => !names.declared.has(name)) };
  } catch (error) {
    if (error instanceof Refusal) return { problem: error.message };
    // The call stack is full, of the parser or here.
    if (error instanceof RangeError || error instanceof SyntaxError)
      return { problem: "it is nested too deeply to be checked" };
    throw error;
  }
}

/** Thrown while a source is read, and caught above: why it is refused. */
class Refusal extends Error {}

/** A node of the syntax tree, whatever its type. */
interface SyntaxNode {
  readonly type: string;
  readonly [key: string]: unknown;
}

// A module is strict code. What is no strict code is refused: the text alone does not show which of the two it was written for.
const OPTIONS = {
  ecmaVersion: "latest",
  sourceType: "module",
  // A private name of the class around a method is found as a name from outside instead.
  checkPrivateFields: false,
} as const;

/** What means something that is defined outside of a function, or differently in a sandbox. */
const REFUSED: ReadonlyMap<string, string> = new Map([
  ["ThisExpression", 'it uses "this"'],
  ["Super", 'it uses "super"'],
  ["ImportExpression", 'it uses "import"'],
  ["ClassDeclaration", "it contains a class"],
  ["ClassExpression", "it contains a class"],
]);

/** Gathers the names that a function declares and uses. The parts of nodes that are not named here are visited one after the other. */
class NameReader {
  readonly declared = new Set<string>();
  readonly used = new Set<string>();

  visit(node: SyntaxNode): void {
    const refused = REFUSED.get(node.type);
    if (refused !== undefined) throw new Refusal(refused);
    switch (node.type) {
      case "Identifier":
        if (node.name === "eval") throw new Refusal('it uses "eval"');
        this.used.add(String(node.name));
        return;
      case "PrivateIdentifier":
        this.used.add(`#${node.name}`);
        return;
      case "MetaProperty":
        throw new Refusal(nameOf(node.meta) === "new" ? 'it uses "new.target"' : 'it uses "import"');
      case "MemberExpression":
        this.#visitAll([node.object]);
        return this.#visitKey(node.property, node.computed);
      case "Property":
        this.#visitKey(node.key, node.computed);
        return this.#visitAll([node.value]);
      case "LabeledStatement":
        return this.#visitAll([node.body]);
      case "BreakStatement":
      case "ContinueStatement":
        // The label that follows is not a name.
        return;
      case "VariableDeclarator":
        this.#declare(node.id);
        return this.#visitAll([node.init]);
      case "CatchClause":
        if (isNode(node.param)) this.#declare(node.param);
        return this.#visitAll([node.body]);
      case "FunctionDeclaration":
      case "FunctionExpression":
        this.declared.add("arguments");
        if (isNode(node.id)) this.#declare(node.id);
        return this.#visitFunction(node);
      case "ArrowFunctionExpression":
        return this.#visitFunction(node);
      default:
        return this.#visitAll(Object.values(node));
    }
  }

  #visitFunction(node: SyntaxNode): void {
    if (node.generator === true) throw new Refusal("it contains a generator");
    if (node.async === true) throw new Refusal("it contains an async function");
    for (const parameter of nodesIn(node.params)) this.#declare(parameter);
    this.#visitAll([node.body]);
  }

  #visitAll(parts: readonly unknown[]): void {
    for (const part of parts)
      if (isNode(part)) this.visit(part);
      else if (Array.isArray(part)) this.#visitAll(part);
  }

  #visitKey(key: unknown, computed: unknown): void {
    if (isNode(key) && (computed === true || key.type === "PrivateIdentifier")) this.visit(key);
  }

  /** The names that a pattern binds, and those in its default values and computed keys. */
  #declare(pattern: unknown): void {
    const { type, ...parts } = pattern as SyntaxNode;
    switch (type) {
      case "Identifier":
        this.declared.add(nameOf(pattern));
        return;
      case "Property":
        this.#visitKey(parts.key, parts.computed);
        return this.#declare(parts.value);
      case "RestElement":
        return this.#declare(parts.argument);
      case "AssignmentPattern":
        this.#declare(parts.left);
        return this.#visitAll([parts.right]);
      default:
        // Objects and arrays.
        for (const part of nodesIn(parts.properties ?? parts.elements)) this.#declare(part);
    }
  }
}

function nameOf(identifier: unknown): string {
  return String((identifier as SyntaxNode).name);
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}

function nodesIn(list: unknown): readonly SyntaxNode[] {
  return Array.isArray(list) ? list.filter(isNode) : [];
}
