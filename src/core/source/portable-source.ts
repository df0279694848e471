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
  const found = freeNames(written, acorn);
  if ("problem" in found) return found;

  const ownName = form.kind === "method" ? form.name : undefined;
  // A method that uses its own name means an outer one, but as a function it would mean itself.
  const outside = found.names.filter((name) => name === ownName || !STANDARD_NAMES.has(name));
  if (outside.length > 0) return { problem: outsideProblem(outside) };

  const source = functionSource(fn);
  return form.kind === "method" && source !== `function ${written}`
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
 * The names that a function uses but does not declare, standard ones such as `Math` included, in the order of
 * their first use; or why that cannot be found out. The source is valid JavaScript, as given by
 * `Function.prototype.toString`. No name is ever missed.
 *
 * @example freeNames("(a) => a + b", acorn) // { names: ["b"] }
 */
export function freeNames(
  source: string,
  acorn: JavaScriptParser,
): { readonly names: readonly string[] } | { readonly problem: string } {
  const form = functionForm(source, acorn);
  if ("problem" in form) return form;
  // A method has no text of its own in JavaScript: it is read as the only member of an object.
  const text = form.kind === "method" ? `{${source}\n}` : source;
  const whole = expressionSource(text, acorn);
  if ("problem" in whole) return whole;
  try {
    const node = acorn.parseExpressionAt(text, 0, OPTIONS) as unknown as SyntaxNode;
    const [member, ...more] = form.kind === "method" ? nodesIn(node.properties) : [];
    const isMember = member?.method === true && more.length === 0;
    const written = form.kind === "method" ? (isMember ? member.value : undefined) : node;
    if (!isNode(written) || !FUNCTIONS.has(written.type)) return { problem: "it is not a function" };
    const scope = new NameScope();
    visit(written, scope);
    return { names: scope.close() };
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

const FUNCTIONS: ReadonlySet<string> = new Set(["ArrowFunctionExpression", "FunctionExpression"]);

/** What means something that is defined outside of a function, or differently in a sandbox. */
const REFUSED: ReadonlyMap<string, string> = new Map([
  ["ThisExpression", 'it uses "this"'],
  ["Super", 'it uses "super"'],
  ["ImportExpression", 'it uses "import"'],
  ["ClassDeclaration", "it contains a class"],
  ["ClassExpression", "it contains a class"],
]);

/** Gathers the names that a node declares and uses. The parts of nodes that are not named here are visited one after the other. */
function visit(node: SyntaxNode, scope: NameScope): void {
  const refused = REFUSED.get(node.type);
  if (refused !== undefined) throw new Refusal(refused);
  switch (node.type) {
    case "Identifier":
      if (node.name === "eval") throw new Refusal('it uses "eval"');
      return scope.use(String(node.name));
    case "PrivateIdentifier":
      return scope.use(`#${node.name}`);
    case "MetaProperty":
      throw new Refusal(nameOf(node.meta) === "new" ? 'it uses "new.target"' : 'it uses "import"');
    case "MemberExpression":
      visitAll([node.object], scope);
      return visitKey(node.property, node.computed, scope);
    case "Property":
      visitKey(node.key, node.computed, scope);
      return visitAll([node.value], scope);
    case "LabeledStatement":
      return visitAll([node.body], scope);
    case "BreakStatement":
    case "ContinueStatement":
      // The label that follows is not a name.
      return;
    case "VariableDeclaration":
      for (const { id, init } of nodesIn(node.declarations)) {
        declare(id as SyntaxNode, node.kind === "var", scope);
        visitAll([init], scope);
      }
      return;
    case "FunctionDeclaration":
      scope.declare(nameOf(node.id));
      return visitFunction(node, scope);
    case "FunctionExpression":
      // Its name is known inside of it only.
      return scope.within((own) => {
        if (isNode(node.id)) own.declare(nameOf(node.id));
        visitFunction(node, own);
      });
    case "ArrowFunctionExpression":
      return visitFunction(node, scope);
    case "BlockStatement":
    case "ForStatement":
    case "ForInStatement":
    case "ForOfStatement":
      return scope.within((block) => visitAll(Object.values(node), block));
    case "SwitchStatement":
      visitAll([node.discriminant], scope);
      return scope.within((block) => visitAll(nodesIn(node.cases), block));
    case "CatchClause":
      return scope.within((block) => {
        if (isNode(node.param)) declare(node.param, false, block);
        visitAll([node.body], block);
      });
    default:
      return visitAll(Object.values(node), scope);
  }
}

function visitAll(parts: readonly unknown[], scope: NameScope): void {
  for (const part of parts)
    if (isNode(part)) visit(part, scope);
    else if (Array.isArray(part)) visitAll(part, scope);
}

function visitKey(key: unknown, computed: unknown, scope: NameScope): void {
  if (isNode(key) && (computed === true || key.type === "PrivateIdentifier")) visit(key, scope);
}

function visitFunction(node: SyntaxNode, scope: NameScope): void {
  if (node.generator === true) throw new Refusal("it contains a generator");
  if (node.async === true) throw new Refusal("it contains an async function");
  scope.within((inside) => {
    if (node.type !== "ArrowFunctionExpression") inside.declare("arguments");
    for (const parameter of nodesIn(node.params)) declare(parameter, false, inside);
    // The body has a scope of its own: a default value of a parameter does not see what the body declares.
    inside.within((body) => visitAll([node.body], body), true);
  });
}

/** Declares the names that a pattern binds, and uses those in its default values and computed keys. */
function declare(pattern: SyntaxNode, isVar: boolean, scope: NameScope): void {
  switch (pattern.type) {
    case "Identifier":
      return scope.declare(nameOf(pattern), isVar);
    case "Property":
      visitKey(pattern.key, pattern.computed, scope);
      return declare(pattern.value as SyntaxNode, isVar, scope);
    case "RestElement":
      return declare(pattern.argument as SyntaxNode, isVar, scope);
    case "AssignmentPattern":
      declare(pattern.left as SyntaxNode, isVar, scope);
      return visitAll([pattern.right], scope);
    default:
      // Objects and arrays.
      for (const part of nodesIn(pattern.properties ?? pattern.elements)) declare(part, isVar, scope);
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

/**
 * The names declared and used in one part of a source: a function's parameters, its body, a block.
 * Names are matched when the scope closes, so a use before its declaration is local, as in JavaScript.
 */
class NameScope {
  readonly #parent: NameScope | undefined;
  /** Whether `var` in this scope or in a block inside of it belongs here. */
  readonly #holdsVariables: boolean;
  readonly #declared = new Set<string>();
  readonly #used = new Set<string>();

  constructor(parent?: NameScope, holdsVariables = false) {
    this.#parent = parent;
    this.#holdsVariables = holdsVariables;
  }

  within(read: (scope: NameScope) => void, holdsVariables = false): void {
    const inside = new NameScope(this, holdsVariables);
    read(inside);
    inside.close();
  }

  use(name: string): void {
    this.#used.add(name);
  }

  declare(name: string, isVar = false): void {
    if (isVar && !this.#holdsVariables && this.#parent !== undefined) this.#parent.declare(name, true);
    else this.#declared.add(name);
  }

  /** The names used but not declared here, in the order of their first use; the parent now uses them. */
  close(): readonly string[] {
    const free = [...this.#used].filter((name) => !this.#declared.has(name));
    for (const name of free) this.#parent?.use(name);
    return free;
  }
}
