import { KEYWORDS, PythonError, type Token, tokenize } from "./python-tokens.ts";

/** A Python expression, as a tree. Nothing of it is ever evaluated as Python. */
export type Expression = { readonly line: number } & (
  | { readonly type: "literal"; readonly value: string | number | boolean | null; readonly isFloat?: boolean }
  | { readonly type: "name"; readonly name: string }
  | { readonly type: "list"; readonly items: readonly Expression[]; readonly isTuple: boolean }
  | { readonly type: "dict"; readonly entries: readonly DictEntry[] }
  | { readonly type: "attribute"; readonly of: Expression; readonly name: string }
  | { readonly type: "index"; readonly of: Expression; readonly index: Expression }
  | {
      readonly type: "call";
      readonly callee: Expression;
      readonly positional: readonly Expression[];
      readonly keywords: ReadonlyMap<string, Expression>;
    }
  | { readonly type: "unary"; readonly operator: "-" | "+" | "not"; readonly operand: Expression }
  | {
      readonly type: "binary";
      readonly operator: string;
      readonly left: Expression;
      readonly right: Expression;
    }
  | { readonly type: "compare"; readonly first: Expression; readonly rest: readonly Comparison[] }
  | {
      readonly type: "choice";
      readonly test: Expression;
      readonly then: Expression;
      readonly other: Expression;
    }
  | {
      readonly type: "comprehension";
      /** False for one in round brackets, which Python computes item by item. */
      readonly isList: boolean;
      readonly item: Expression;
      readonly variable: string;
      readonly over: Expression;
      readonly tests: readonly Expression[];
    }
  | { readonly type: "lambda"; readonly parameters: readonly string[]; readonly body: Expression }
);

/** One entry of a dict; without a key it spreads another dict (`**other`). */
export interface DictEntry {
  readonly key: Expression | null;
  readonly value: Expression;
}

export interface Comparison {
  readonly operator: "<" | "<=" | ">" | ">=" | "==" | "!=" | "in" | "not in" | "is" | "is not";
  readonly right: Expression;
}

/** Reads one expression that is the whole text. Throws `PythonError`. */
export function parseExpression(source: string): Expression {
  const parser = new ExpressionParser(tokenize(source.trim()));
  const expression = parser.expression();
  parser.skip("newline");
  parser.expect("end");
  return expression;
}

/** Nested brackets deeper than this are refused. */
const MAX_DEPTH = 100;

/** Reads tokens one by one; statements are read by the caller, who knows which are allowed. */
export class ExpressionParser {
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  get next(): Token {
    return this.#tokens[this.#at] as Token;
  }

  /** True if the next token is of this type, with this text if one is given. */
  is(type: Token["type"], text?: string): boolean {
    const { next } = this;
    return next.type === type && (text === undefined || next.text === text);
  }

  isAhead(offset: number, type: Token["type"], text: string): boolean {
    const token = this.#tokens[this.#at + offset];
    return token?.type === type && token.text === text;
  }

  take(): Token {
    const token = this.next;
    if (token.type !== "end") this.#at++;
    return token;
  }

  skip(type: Token["type"], text?: string): boolean {
    if (!this.is(type, text)) return false;
    this.take();
    return true;
  }

  expect(type: Token["type"], text?: string): Token {
    if (this.is(type, text)) return this.take();
    throw this.error(
      `${text === undefined ? DESCRIBED[type] : `"${text}"`} is missing before ${this.#shown()}`,
    );
  }

  /** A name that is no keyword. */
  name(): string {
    const token = this.expect("name");
    if (KEYWORDS.has(token.text)) throw new PythonError(`"${token.text}" cannot be a name`, token.line);
    return token.text;
  }

  error(message: string): PythonError {
    return new PythonError(message, this.next.line);
  }

  expression(): Expression {
    if (++this.#depth > MAX_DEPTH) throw this.error("it is nested too deeply");
    const result = this.is("name", "lambda") ? this.#lambda() : this.#choice();
    this.#depth--;
    return result;
  }

  #lambda(): Expression {
    const { line } = this.take();
    const parameters: string[] = [];
    while (!this.is("operator", ":")) {
      if (!this.is("name")) throw this.error("a lambda here takes plain parameters only");
      parameters.push(this.name());
      if (!this.skip("operator", ",")) break;
    }
    this.expect("operator", ":");
    return { type: "lambda", parameters, body: this.expression(), line };
  }

  #choice(): Expression {
    const then = this.#or();
    if (!this.is("name", "if")) return then;
    const { line } = this.take();
    const test = this.#or();
    this.expect("name", "else");
    return { type: "choice", test, then, other: this.expression(), line };
  }

  #or(): Expression {
    return this.#binary(["or"], "name", () => this.#and());
  }

  #and(): Expression {
    return this.#binary(["and"], "name", () => this.#not());
  }

  #not(): Expression {
    if (!this.is("name", "not")) return this.#comparison();
    const { line } = this.take();
    return { type: "unary", operator: "not", operand: this.#nested(() => this.#not()), line };
  }

  #comparison(): Expression {
    const first = this.#sum();
    const rest: Comparison[] = [];
    for (let operator = this.#comparator(); operator !== null; operator = this.#comparator())
      rest.push({ operator, right: this.#sum() });
    return rest.length === 0 ? first : { type: "compare", first, rest, line: first.line };
  }

  #comparator(): Comparison["operator"] | null {
    for (const operator of ["<=", ">=", "==", "!=", "<", ">"] as const)
      if (this.skip("operator", operator)) return operator;
    if (this.skip("name", "in")) return "in";
    if (this.is("name", "not") && this.isAhead(1, "name", "in")) {
      this.take();
      this.take();
      return "not in";
    }
    if (!this.skip("name", "is")) return null;
    return this.skip("name", "not") ? "is not" : "is";
  }

  #sum(): Expression {
    // Between a comparison and a sum, Python has | for dicts and types.
    return this.#binary(["|"], "operator", () =>
      this.#binary(["+", "-"], "operator", () =>
        this.#binary(["*", "/", "//", "%"], "operator", () => this.#signed()),
      ),
    );
  }

  #binary(operators: readonly string[], type: Token["type"], part: () => Expression): Expression {
    let left = part();
    while (this.next.type === type && operators.includes(this.next.text)) {
      const { text: operator, line } = this.take();
      left = { type: "binary", operator, left, right: part(), line };
    }
    return left;
  }

  #signed(): Expression {
    const { next } = this;
    if (!this.is("operator", "-") && !this.is("operator", "+")) return this.#trailed();
    this.take();
    const operator = next.text === "-" ? "-" : "+";
    return { type: "unary", operator, operand: this.#nested(() => this.#signed()), line: next.line };
  }

  #nested(part: () => Expression): Expression {
    if (++this.#depth > MAX_DEPTH) throw this.error("it is nested too deeply");
    const result = part();
    this.#depth--;
    return result;
  }

  #trailed(): Expression {
    let result = this.#atom();
    for (;;) {
      const { line } = this.next;
      if (this.skip("operator", ".")) result = { type: "attribute", of: result, name: this.name(), line };
      else if (this.skip("operator", "("))
        result = { ...this.#arguments(), type: "call", callee: result, line };
      else if (this.skip("operator", "[")) {
        const index = this.#listed("]", line);
        result = { type: "index", of: result, index, line };
      } else if (this.is("operator", "**")) throw this.error("powers are not readable here");
      else return result;
    }
  }

  /** What stands in brackets after a value: one expression, or several as a tuple. */
  #listed(close: string, line: number): Expression {
    const items = this.#items(close);
    const [only] = items.expressions;
    if (only === undefined) throw this.error("an index is missing");
    return items.expressions.length === 1 && !items.isTrailing
      ? only
      : { type: "list", items: items.expressions, isTuple: true, line };
  }

  #items(close: string): { readonly expressions: readonly Expression[]; readonly isTrailing: boolean } {
    const expressions: Expression[] = [];
    let isTrailing = false;
    while (!this.is("operator", close)) {
      if (this.is("operator", "*") || this.is("operator", ":"))
        throw this.error(`"${this.next.text}" is not readable here`);
      expressions.push(this.expression());
      isTrailing = this.skip("operator", ",");
      if (!isTrailing) break;
    }
    this.expect("operator", close);
    return { expressions, isTrailing };
  }

  #arguments(): {
    readonly positional: readonly Expression[];
    readonly keywords: ReadonlyMap<string, Expression>;
  } {
    const positional: Expression[] = [];
    const keywords = new Map<string, Expression>();
    while (!this.is("operator", ")")) {
      if (this.is("operator", "*") || this.is("operator", "**"))
        throw this.error(`arguments that are spread ("${this.next.text}") are not readable`);
      if (this.is("name") && this.isAhead(1, "operator", "=")) {
        const key = this.name();
        this.take();
        if (keywords.has(key)) throw this.error(`the argument ${key} is given twice`);
        keywords.set(key, this.expression());
      } else {
        if (keywords.size > 0) throw this.error("a plain argument follows a named one");
        const value = this.expression();
        positional.push(this.is("name", "for") ? this.#comprehension(value, false) : value);
      }
      if (!this.skip("operator", ",")) break;
    }
    this.expect("operator", ")");
    return { positional, keywords };
  }

  #comprehension(item: Expression, isList: boolean): Expression {
    const { line } = this.expect("name", "for");
    const variable = this.name();
    this.expect("name", "in");
    const over = this.#or();
    const tests: Expression[] = [];
    while (this.skip("name", "if")) tests.push(this.#or());
    if (this.is("name", "for")) throw this.error("nested loops in brackets are not readable");
    return { type: "comprehension", isList, item, variable, over, tests, line };
  }

  #atom(): Expression {
    const token = this.take();
    const { line } = token;
    switch (token.type) {
      case "number":
        return numberLiteral(token);
      case "text": {
        let value = token.text;
        while (this.is("text")) value += this.take().text;
        return { type: "literal", value, line };
      }
      case "name":
        if (token.text === "True" || token.text === "False")
          return { type: "literal", value: token.text === "True", line };
        if (token.text === "None") return { type: "literal", value: null, line };
        if (KEYWORDS.has(token.text)) break;
        return { type: "name", name: token.text, line };
      case "operator":
        if (token.text === "(") return this.#parenthesised(line);
        if (token.text === "[") return this.#list(line);
        if (token.text === "{") return this.#dict(line);
    }
    throw new PythonError(`${shown(token)} is not readable here`, line);
  }

  #parenthesised(line: number): Expression {
    if (this.skip("operator", ")")) return { type: "list", items: [], isTuple: true, line };
    const first = this.expression();
    if (this.is("name", "for")) {
      const loop = this.#comprehension(first, false);
      this.expect("operator", ")");
      return loop;
    }
    if (this.skip("operator", ")")) return first;
    this.expect("operator", ",");
    const rest = this.#items(")").expressions;
    return { type: "list", items: [first, ...rest], isTuple: true, line };
  }

  #list(line: number): Expression {
    if (this.skip("operator", "]")) return { type: "list", items: [], isTuple: false, line };
    const first = this.expression();
    if (this.is("name", "for")) {
      const loop = this.#comprehension(first, true);
      this.expect("operator", "]");
      return loop;
    }
    if (this.skip("operator", "]")) return { type: "list", items: [first], isTuple: false, line };
    this.expect("operator", ",");
    return { type: "list", items: [first, ...this.#items("]").expressions], isTuple: false, line };
  }

  #dict(line: number): Expression {
    const entries: DictEntry[] = [];
    while (!this.is("operator", "}")) {
      if (this.skip("operator", "**")) entries.push({ key: null, value: this.#or() });
      else {
        const key = this.expression();
        if (!this.is("operator", ":")) throw this.error("sets are not readable");
        this.take();
        entries.push({ key, value: this.expression() });
      }
      if (!this.skip("operator", ",")) break;
    }
    this.expect("operator", "}");
    return { type: "dict", entries, line };
  }

  #shown(): string {
    return shown(this.next);
  }
}

const DESCRIBED: Readonly<Record<Token["type"], string>> = {
  name: "a name",
  number: "a number",
  text: "a text",
  operator: "an operator",
  newline: "the end of the line",
  indent: "an indented line",
  dedent: "the end of the block",
  end: "the end",
};

function shown({ type, text }: Token): string {
  return type === "name" || type === "number" || type === "operator" ? `"${text}"` : DESCRIBED[type];
}

function numberLiteral({ text, line }: Token): Expression {
  if (/[jJ]$/.test(text)) throw new PythonError("imaginary numbers are not readable", line);
  const plain = text.replaceAll("_", "");
  const isFloat = !/^0[xXoObB]/.test(plain) && /[.eE]/.test(plain);
  const value = Number(plain);
  if (!Number.isFinite(value)) throw new PythonError(`the number ${text} is not readable`, line);
  if (/^0\d/.test(plain) && !isFloat && Number(plain) !== 0)
    throw new PythonError(`the number ${text} is not readable`, line);
  if (!isFloat && !Number.isSafeInteger(value))
    throw new PythonError(`the number ${text} is too large to be exact`, line);
  return { type: "literal", value, isFloat, line };
}
