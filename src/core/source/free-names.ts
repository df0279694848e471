import type { parseExpressionAt, tokenizer } from "acorn";
import { functionForm } from "./function-source.ts";

/** What is used of acorn. It is passed in, because loading it takes longer than loading the rest of Elenchus. */
export interface JavaScriptParser {
  readonly parseExpressionAt: typeof parseExpressionAt;
  readonly tokenizer: typeof tokenizer;
}

/**
 * The names that a function uses but does not declare, standard ones such as `Math` included, in the order of
 * their first use; or why that cannot be found out. The source is valid JavaScript, as given by
 * `Function.prototype.toString`. What is not understood is refused: no name is ever missed.
 *
 * @example freeNames("(a) => a + b", acorn) // { names: ["b"] }
 */
export function freeNames(
  source: string,
  acorn: JavaScriptParser,
): { readonly names: readonly string[] } | { readonly problem: string } {
  const form = functionForm(source, acorn);
  if ("problem" in form) return form;
  try {
    // A method has no text of its own in JavaScript: it is read as the only member of an object.
    const text = form.kind === "method" ? `{${source}\n}` : source;
    const node = parse(text, acorn);
    const scope = new NameScope();
    new NameFinder(text).visit(
      form.kind === "method" ? onlyMethod(node, text) : onlyFunction(node, text, acorn),
      scope,
    );
    return { names: scope.close() };
  } catch (error) {
    if (error instanceof Refusal) return { problem: error.message };
    // The call stack is full.
    if (error instanceof RangeError) return { problem: TOO_DEEP };
    throw error;
  }
}

/** Thrown while a source is read, and caught here: why it is refused. */
class Refusal extends Error {}

const TOO_DEEP = "it is nested too deeply to be checked";

/** A node of the syntax tree, whatever its type. */
interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

// A module is strict code. Where strict and other code differ, other code is refused: the text alone does not show
// which of the two it was written for.
const OPTIONS = {
  ecmaVersion: "latest",
  sourceType: "module",
  // A private name of the class around a method is found as a name from outside instead.
  checkPrivateFields: false,
} as const;

function parse(text: string, acorn: JavaScriptParser): SyntaxNode {
  try {
    return acorn.parseExpressionAt(text, 0, OPTIONS) as unknown as SyntaxNode;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    if (error.message.startsWith("Not enough stack space")) throw new Refusal(TOO_DEEP);
    if (error.message.startsWith("'with'")) throw new Refusal('it uses "with"');
    refuseAt(text, (error as SyntaxError & { readonly pos: number }).pos);
  }
}

function onlyFunction(node: SyntaxNode, text: string, acorn: JavaScriptParser): SyntaxNode {
  if (node.type !== "ArrowFunctionExpression" && node.type !== "FunctionExpression") {
    throw new Refusal("it is not a function");
  }
  const next = nextToken(text, node.end, acorn);
  if (next !== undefined) refuseAt(text, next);
  return node;
}

function onlyMethod({ properties, end }: SyntaxNode, text: string): SyntaxNode {
  const [member, ...more] = properties as readonly SyntaxNode[];
  if (member?.method !== true || more.length > 0 || end !== text.length) {
    throw new Refusal("it is not a function");
  }
  return member.value as SyntaxNode;
}

/** Where the next token starts; undefined at the end of the text. */
function nextToken(text: string, from: number, acorn: JavaScriptParser): number | undefined {
  try {
    const { start } = acorn.tokenizer(text.slice(from), OPTIONS).getToken();
    return from + start < text.length ? from + start : undefined;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return from;
  }
}

function refuseAt(text: string, position: number): never {
  const rest = text.slice(position).trimStart();
  if (rest === "") throw new Refusal("it ends too early to be checked");
  const [found] = /^(?:[\p{ID_Continue}$\\{}]+|<!--|.)/su.exec(rest) ?? [""];
  const line = text.slice(0, position).split("\n").length;
  throw new Refusal(`it has ${JSON.stringify(found.slice(0, 40))} in line ${line}, which cannot be checked`);
}

// Far deeper than people write, and shallow enough for the call stack. A sum of a thousand texts is as deep as that.
const MAX_DEPTH = 2000;

/** Nodes whose parts are read one after the other, in the scope they are in. */
const PLAIN: ReadonlySet<string> = new Set(
  (
    "ArrayExpression ArrayPattern AssignmentExpression AssignmentPattern BinaryExpression CallExpression ChainExpression " +
    "ConditionalExpression DoWhileStatement ExpressionStatement IfStatement LogicalExpression NewExpression " +
    "ObjectExpression ObjectPattern ParenthesizedExpression RestElement ReturnStatement SequenceExpression SpreadElement " +
    "TaggedTemplateExpression TemplateLiteral ThrowStatement TryStatement UnaryExpression UpdateExpression " +
    "WhileStatement"
  ).split(" "),
);

/** Walks over the syntax tree of a function; scopes gather the names that are declared and used in them. */
class NameFinder {
  readonly #text: string;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  visit(node: SyntaxNode, scope: NameScope): void {
    this.#depth++;
    if (this.#depth > MAX_DEPTH) throw new Refusal(TOO_DEEP);
    if (PLAIN.has(node.type)) {
      this.#refuseOldComment(node);
      this.#visitParts(node, scope);
    } else this.#visitSpecial(node, scope);
    this.#depth--;
  }

  #visitParts(node: SyntaxNode, scope: NameScope): void {
    for (const part of Object.values(node)) {
      if (Array.isArray(part)) {
        for (const item of part) if (isNode(item)) this.visit(item, scope);
      } else if (isNode(part)) this.visit(part, scope);
    }
  }

  #visitSpecial(node: SyntaxNode, scope: NameScope): void {
    switch (node.type) {
      case "Literal":
      case "TemplateElement":
      case "EmptyStatement":
      case "DebuggerStatement":
      // The label that follows is not a name.
      case "BreakStatement":
      case "ContinueStatement":
        return;
      case "Identifier":
        return use(String(node.name), scope);
      case "PrivateIdentifier":
        return use(`#${node.name}`, scope);
      case "MemberExpression":
        this.visit(node.object as SyntaxNode, scope);
        return this.#visitKey(node.property as SyntaxNode, node.computed === true, scope);
      case "Property":
        this.#visitKey(node.key as SyntaxNode, node.computed === true, scope);
        return this.visit(node.value as SyntaxNode, scope);
      case "LabeledStatement":
        return this.visit(node.body as SyntaxNode, scope);
      case "VariableDeclaration":
        return this.#visitDeclaration(node, scope);
      case "FunctionDeclaration":
        scope.declare(nameOf(node.id));
        return this.#visitFunction(node, scope);
      case "FunctionExpression": {
        // Its name is known inside of it only.
        const own = new NameScope(scope);
        if (isNode(node.id)) own.declare(nameOf(node.id));
        this.#visitFunction(node, own);
        own.close();
        return;
      }
      case "ArrowFunctionExpression":
        return this.#visitFunction(node, scope);
      case "BlockStatement":
      case "ForStatement":
      case "ForInStatement":
      case "ForOfStatement": {
        const block = new NameScope(scope);
        this.#visitParts(node, block);
        block.close();
        return;
      }
      case "SwitchStatement": {
        this.visit(node.discriminant as SyntaxNode, scope);
        const block = new NameScope(scope);
        for (const item of node.cases as readonly SyntaxNode[]) this.visit(item, block);
        block.close();
        return;
      }
      case "SwitchCase":
        if (isNode(node.test)) this.visit(node.test, scope);
        for (const item of node.consequent as readonly SyntaxNode[]) this.visit(item, scope);
        return;
      case "CatchClause": {
        const block = new NameScope(scope);
        if (isNode(node.param)) this.#declare(node.param, "let", block);
        this.visit(node.body as SyntaxNode, block);
        block.close();
        return;
      }
      default:
        refuseType(node);
    }
  }

  #visitKey(key: SyntaxNode, computed: boolean, scope: NameScope): void {
    if (computed || key.type === "PrivateIdentifier") this.visit(key, scope);
  }

  #visitDeclaration(node: SyntaxNode, scope: NameScope): void {
    for (const { id, init } of node.declarations as readonly SyntaxNode[]) {
      this.#declare(id as SyntaxNode, node.kind === "var" ? "var" : "let", scope);
      if (isNode(init)) this.visit(init, scope);
    }
  }

  #visitFunction(node: SyntaxNode, scope: NameScope): void {
    if (node.generator === true) throw new Refusal("it contains a generator");
    if (node.async === true) throw new Refusal("it contains an async function");
    const inside = new NameScope(scope);
    if (node.type !== "ArrowFunctionExpression") inside.declare("arguments");
    for (const parameter of node.params as readonly SyntaxNode[]) this.#declare(parameter, "let", inside);
    // The body has a scope of its own: a default value of a parameter does not see what the body declares.
    const body = new NameScope(inside, true);
    if (node.expression === true) this.visit(node.body as SyntaxNode, body);
    else this.#visitParts(node.body as SyntaxNode, body);
    body.close();
    inside.close();
  }

  /** Declares the names that a pattern binds, and uses those in its default values and computed keys. */
  #declare(pattern: SyntaxNode, keyword: "var" | "let", scope: NameScope): void {
    switch (pattern.type) {
      case "Identifier":
        if (keyword === "var") scope.declareVariable(nameOf(pattern));
        else scope.declare(nameOf(pattern));
        return;
      case "ObjectPattern":
        for (const part of pattern.properties as readonly SyntaxNode[]) this.#declare(part, keyword, scope);
        return;
      case "Property":
        this.#visitKey(pattern.key as SyntaxNode, pattern.computed === true, scope);
        return this.#declare(pattern.value as SyntaxNode, keyword, scope);
      case "ArrayPattern":
        for (const part of pattern.elements as readonly unknown[]) {
          if (isNode(part)) this.#declare(part, keyword, scope);
        }
        return;
      case "RestElement":
        return this.#declare(pattern.argument as SyntaxNode, keyword, scope);
      case "AssignmentPattern":
        this.#declare(pattern.left as SyntaxNode, keyword, scope);
        return this.visit(pattern.right as SyntaxNode, scope);
      default:
        refuseType(pattern);
    }
  }

  /** `a <!-- b` is a comparison in a module, and a comment in an old script: the text alone does not show which. */
  #refuseOldComment({ type, start }: SyntaxNode): void {
    if (type === "UnaryExpression" && this.#text.startsWith("<!--", start - 1))
      refuseAt(this.#text, start - 1);
  }
}

function use(name: string, scope: NameScope): void {
  if (name === "eval") throw new Refusal('it uses "eval"');
  scope.use(name);
}

function nameOf(identifier: unknown): string {
  return String((identifier as SyntaxNode).name);
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}

function refuseType(node: SyntaxNode): never {
  switch (node.type) {
    case "ThisExpression":
      throw new Refusal('it uses "this"');
    case "Super":
      throw new Refusal('it uses "super"');
    case "ImportExpression":
      throw new Refusal('it uses "import"');
    case "MetaProperty":
      throw new Refusal(nameOf(node.meta) === "new" ? 'it uses "new.target"' : 'it uses "import"');
    case "ClassDeclaration":
    case "ClassExpression":
      throw new Refusal("it contains a class");
    default:
      throw new Refusal(`it contains a part of the type ${node.type}, which cannot be checked`);
  }
}

/**
 * The names declared and used in one part of a source: a function's parameters, its body, a block.
 * Names are matched when the scope closes, so a use before its declaration is local, as in JavaScript.
 */
class NameScope {
  readonly #parent: NameScope | undefined;
  readonly #holdsVariables: boolean;
  readonly #declared = new Set<string>();
  readonly #used = new Set<string>();

  /** `holdsVariables`: whether `var` in this scope or in a block inside of it belongs here. */
  constructor(parent?: NameScope, holdsVariables = false) {
    this.#parent = parent;
    this.#holdsVariables = holdsVariables;
  }

  use(name: string): void {
    this.#used.add(name);
  }

  declare(name: string): void {
    this.#declared.add(name);
  }

  declareVariable(name: string): void {
    let scope: NameScope = this;
    while (!scope.#holdsVariables && scope.#parent !== undefined) scope = scope.#parent;
    scope.declare(name);
  }

  /** The names used but not declared here, in the order of their first use; the parent now uses them. */
  close(): readonly string[] {
    const free = [...this.#used].filter((name) => !this.#declared.has(name));
    for (const name of free) this.#parent?.use(name);
    return free;
  }
}
