import { readToken, type Token, wordName } from "./javascript-tokens.ts";
import { isReservedWord } from "./reserved-words.ts";

/** Thrown inside of the reading of a source, and caught there: the problem that ends it. */
export class Refusal extends Error {}

/**
 * The parts of the grammar that hold each other, so that each can live in a file of its own.
 * `primary` and `assignment` answer with the names that the text would bind if it turned out to be a pattern:
 * whether `(a, { b = c })` declares or uses names is known only at the arrow behind it.
 */
export interface Grammar {
  readonly primary: (cursor: SourceCursor) => readonly string[];
  readonly assignment: (cursor: SourceCursor) => readonly string[];
  readonly statements: (cursor: SourceCursor) => void;
}

// Far deeper than people write, and shallow enough for the call stack.
const MAX_DEPTH = 400;

/** A place in a source that is being read: the next token, and the scope that names found there belong to. */
export class SourceCursor {
  readonly source: string;
  readonly grammar: Grammar;
  token: Token;
  scope: NameScope = new NameScope();
  #depth = 0;

  constructor(source: string, grammar: Grammar) {
    this.source = source;
    this.grammar = grammar;
    this.token = readToken(source, 0);
  }

  at(text: string): boolean {
    return this.token.text === text;
  }

  peek(): Token {
    return readToken(this.source, this.token.end);
  }

  advance(): Token {
    const passed = this.token;
    this.moveTo(passed.end);
    return passed;
  }

  moveTo(position: number): void {
    this.token = readToken(this.source, position);
  }

  take(text: string): boolean {
    if (!this.at(text)) return false;
    this.advance();
    return true;
  }

  expect(text: string): void {
    if (!this.take(text)) this.refuseToken();
  }

  /** Passes a word as the name of something, without using or declaring it. */
  readName(): string {
    const name = wordName(this.token.text);
    if (this.token.kind !== "word" || isReservedWord(name)) this.refuseToken();
    if (name === "eval") this.refuse('it uses "eval"');
    this.advance();
    return name;
  }

  openScope(holdsVariables = false): void {
    this.scope = new NameScope(this.scope, holdsVariables);
  }

  closeScope(): void {
    this.scope.close();
    this.scope = this.scope.parent ?? this.refuseToken();
  }

  /** Counts a reader that may come to call itself, until it leaves. */
  enter(): void {
    this.#depth++;
    if (this.#depth > MAX_DEPTH) this.refuse("it is nested too deeply to be checked");
  }

  leave(): void {
    this.#depth--;
  }

  refuse(problem: string): never {
    throw new Refusal(problem);
  }

  /** Refuses the next token: what is not understood is never let through. */
  refuseToken(): never {
    if (this.token.kind === "end") this.refuse("it ends too early to be checked");
    const line = this.source.slice(0, this.token.start).split("\n").length;
    this.refuse(
      `it has ${JSON.stringify(this.token.text.slice(0, 40))} in line ${line}, which cannot be checked`,
    );
  }
}

/**
 * The names declared and used in one part of a source: a function's parameters, its body, a block.
 * Names are matched when the scope closes, so a use before its declaration is local, as in JavaScript.
 */
export class NameScope {
  readonly parent: NameScope | undefined;
  readonly #holdsVariables: boolean;
  readonly #declared = new Set<string>();
  readonly #used = new Set<string>();

  /** `holdsVariables`: whether `var` in this scope or in a block inside of it belongs here. */
  constructor(parent?: NameScope, holdsVariables = false) {
    this.parent = parent;
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
    while (!scope.#holdsVariables && scope.parent !== undefined) scope = scope.parent;
    scope.declare(name);
  }

  /** The names used but not declared here, in the order of their first use; the parent now uses them. */
  close(): readonly string[] {
    const free = [...this.#used].filter((name) => !this.#declared.has(name));
    for (const name of free) this.parent?.use(name);
    return free;
  }
}
