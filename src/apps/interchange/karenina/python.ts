/** A Python expression, as a tree. Nothing of it is ever evaluated as Python. */
export type Expression = { readonly line: number } & (
  | { readonly type: "literal"; readonly value: string | number | boolean | null; readonly isFloat?: boolean }
  | { readonly type: "name"; readonly name: string }
  | { readonly type: "list"; readonly items: readonly Expression[]; readonly isTuple: boolean }
  /** An entry without a key spreads another dict (`**other`). */
  | {
      readonly type: "dict";
      readonly entries: readonly { readonly key: Expression | null; readonly value: Expression }[];
    }
  | { readonly type: "attribute"; readonly of: Expression; readonly name: string }
  | { readonly type: "index"; readonly of: Expression; readonly index: Expression }
  | {
      readonly type: "call";
      readonly callee: Expression;
      readonly positional: readonly Expression[];
      readonly keywords: ReadonlyMap<string, Expression>;
    }
  /** `if` has the test, what is chosen, and the other. */
  | { readonly type: "operation"; readonly operator: string; readonly operands: readonly Expression[] }
  | { readonly type: "compare"; readonly first: Expression; readonly rest: readonly Comparison[] }
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

interface Comparison {
  readonly operator: string;
  readonly right: Expression;
}

/** A class, or a field of one: `name: annotation = value`. */
export type Statement = { readonly line: number; readonly name: string } & (
  | { readonly type: "class"; readonly bases: readonly Expression[]; readonly body: readonly Statement[] }
  | { readonly type: "field"; readonly annotation: Expression | null; readonly value: Expression | null }
);

/** Python text that is not understood, with the line where it stands. Nothing of it is guessed. */
export class PythonError extends Error {
  readonly line: number;

  constructor(message: string, line: number) {
    super(message);
    this.name = "PythonError";
    this.line = line;
  }
}

/** Reads one expression that is the whole text. Throws `PythonError`. */
export function parseExpression(source: string): Expression {
  const parser = new PythonParser(tokenize(source.trim()));
  const expression = parser.expression();
  parser.skip("\n");
  parser.expect("");
  return expression;
}

/** Reads a module of classes; `renamed` has the names that imports give to something else. Throws `PythonError`. */
export function parseModule(source: string): {
  readonly statements: readonly Statement[];
  readonly renamed: ReadonlySet<string>;
} {
  const parser = new PythonParser(tokenize(source));
  const statements: Statement[] = [];
  while (!parser.skip("")) statements.push(...parser.statement());
  return { statements, renamed: parser.renamed };
}

/** Keywords, operators and the ends of lines and blocks are all signs. */
interface Token {
  readonly type: "name" | "number" | "text" | "sign";
  /** As it is written; of a text literal its value. */
  readonly text: string;
  readonly line: number;
}

const INDENT = "an indented line";
const DEDENT = "the end of the block";
const SIGN_NAMES: Readonly<Record<string, string>> = { "\n": "the end of the line", "": "the end" };

/** Words that cannot be names. */
export const KEYWORDS: ReadonlySet<string> = new Set(
  "False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield".split(
    " ",
  ),
);

/** Longer texts are refused before reading: no template needs it. */
const MAX_LENGTH = 100_000;

const LINE_START = /(?:[ \t\f]*(?:#[^\n]*)?\n)*([ \t\f]*)/y;
const TOKEN =
  /(?<space>[ \t\f]+|\\\n|#[^\n]*)|(?<prefix>[A-Za-z]{0,2})(?<text>"""(?:\\[\s\S]|[^\\])*?"""|'''(?:\\[\s\S]|[^\\])*?'''|"(?:\\[\s\S]|[^"\\\n])*"|'(?:\\[\s\S]|[^'\\\n])*')|(?<number>\.?\d(?:[eE][+-]|[\w.])*)|(?<name>[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}]*)|(?<sign>\.\.\.|\*\*|\/\/|->|[-=!<>+*/%@&|^]=|[-()[\]{},:.;@=+*/%<>&|^~\n])/uy;

function tokenize(written: string): readonly Token[] {
  if (written.length > MAX_LENGTH) throw new PythonError("the text is too long", 1);
  const source = `${written.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n")}\n`;
  const tokens: Token[] = [];
  const indents = [""];
  let line = 1;
  let open = 0;
  let isLineStart = true;
  for (let at = 0; at < source.length; ) {
    if (isLineStart) {
      LINE_START.lastIndex = at;
      const [skipped, space = ""] = LINE_START.exec(source) as RegExpExecArray;
      at += skipped.length;
      line += skipped.split("\n").length - 1;
      const indent = at === source.length ? "" : space.replaceAll("\f", "");
      if (indent !== indents.at(-1) && indent.startsWith(indents.at(-1) as string)) {
        indents.push(indent);
        tokens.push({ type: "sign", text: INDENT, line });
      }
      for (; indents.length > 1 && indent !== indents.at(-1); indents.pop())
        tokens.push({ type: "sign", text: DEDENT, line });
      if (indent !== indents.at(-1)) throw new PythonError("the indentation fits no line before it", line);
      isLineStart = false;
      continue;
    }
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(source);
    if (found === null)
      throw new PythonError(
        /["']/.test(source[at] as string)
          ? "a text is never closed"
          : `${JSON.stringify(source[at])} is not expected here`,
        line,
      );
    const { space, prefix, text, number, name, sign } = found.groups as Readonly<Record<string, string>>;
    if (text !== undefined)
      tokens.push({ type: "text", text: textValue(prefix as string, text, line), line });
    else if (number !== undefined) tokens.push({ type: "number", text: number, line });
    // Two spellings of the same letters are one name to Python.
    else if (name !== undefined)
      tokens.push({ type: KEYWORDS.has(name) ? "sign" : "name", text: name.normalize("NFKC"), line });
    else if (space === undefined && sign !== undefined && (sign !== "\n" || open === 0)) {
      tokens.push({ type: "sign", text: sign, line });
      if ("([{".includes(sign)) open++;
      if (")]}".includes(sign)) open = Math.max(0, open - 1);
      isLineStart = sign === "\n";
    }
    line += found[0].split("\n").length - 1;
    at += found[0].length;
  }
  const ends = [...indents.slice(1).map(() => DEDENT), ""];
  return [...tokens, ...ends.map((text) => ({ type: "sign", text, line }) as const)];
}

const ESCAPES: Readonly<Record<string, string>> = {
  ...{ n: "\n", t: "\t", r: "\r", "\\": "\\", "'": "'", '"': '"' },
  ...{ a: "\x07", b: "\b", f: "\f", v: "\v", "\n": "" },
};

/** The value of a text literal. */
function textValue(prefix: string, literal: string, line: number): string {
  const quotes = /^("""|''')/.test(literal) ? 3 : 1;
  const inside = literal.slice(quotes, -quotes);
  const kind = prefix.toLowerCase();
  if (kind === "r") return inside;
  if (kind !== "" && kind !== "u")
    throw new PythonError(`a text with the prefix ${prefix} is computed, or no text`, line);
  return inside.replace(
    /\\(?:([0-7]{1,3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([\s\S]))/gu,
    (written, octal?: string, x?: string, u?: string, U?: string, letter = "") => {
      const hex = x ?? u ?? U;
      const code = octal !== undefined ? Number.parseInt(octal, 8) : Number.parseInt(hex ?? "0", 16);
      if ("xuUN".includes(letter || "-") || code > 0x10ffff)
        throw new PythonError(`the escape ${written} is not readable`, line);
      if (octal !== undefined || hex !== undefined) return String.fromCodePoint(code);
      return ESCAPES[letter] ?? written;
    },
  );
}

const NUMBER = /^(?=\.?\d)(?:0|[1-9](?:_?\d)*)?(?<fraction>\.(?:\d(?:_?\d)*)?)?(?<exponent>[eE][+-]?\d+)?$/;

function numberLiteral({ text, line }: Token): Expression {
  const found = NUMBER.exec(text);
  const value = Number(text.replaceAll("_", ""));
  const isFloat = found?.groups?.fraction !== undefined || found?.groups?.exponent !== undefined;
  if (found === null || !Number.isFinite(value) || (!isFloat && !Number.isSafeInteger(value)))
    throw new PythonError(`the number ${text} is not readable`, line);
  return { type: "literal", value, isFloat, line };
}

const COMPARISONS: ReadonlySet<string> = new Set([..."< <= > >= == != in is".split(" "), "not in", "is not"]);
/** How strongly operators bind, as in Python. */
const POWERS: ReadonlyMap<string, number> = new Map([
  ["if", 1],
  ["or", 2],
  ["and", 3],
  // 4 is `not`.
  ...[...COMPARISONS].map((operator) => [operator, 5] as const),
  // Of types and dicts.
  ["|", 6],
  ["+", 7],
  ["-", 7],
  ...["*", "/", "%"].map((operator) => [operator, 8] as const),
  // 9 are signs.
  ...["(", "[", "."].map((operator) => [operator, 10] as const),
]);

/** Nested brackets deeper, and chains of operators longer than this are refused. */
const MAX_DEPTH = 200;

class PythonParser {
  readonly renamed = new Set<string>();
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  #next(ahead = 0): Token {
    return (this.#tokens[this.#at + ahead] ?? this.#tokens.at(-1)) as Token;
  }

  #is(sign: string, ahead = 0): boolean {
    const { type, text } = this.#next(ahead);
    return type === "sign" && text === sign;
  }

  skip(sign: string): boolean {
    if (!this.#is(sign)) return false;
    this.#at++;
    return true;
  }

  expect(sign: string): void {
    if (!this.skip(sign)) throw this.#error(`${shown(sign)} is missing before ${this.#shown()}`);
  }

  #name(): string {
    const { type, text } = this.#next();
    if (type !== "name") throw this.#error(`a name is missing before ${this.#shown()}`);
    this.#at++;
    return text;
  }

  #shown(): string {
    const { type, text } = this.#next();
    return type === "text" ? "a text" : shown(text);
  }

  #error(message: string): PythonError {
    return new PythonError(message, this.#next().line);
  }

  /** One line, or a class: imports, texts, `pass` and `...` say nothing. */
  statement(): readonly Statement[] {
    const { line, type } = this.#next();
    if (this.#is("import") || this.#is("from")) this.#import();
    else if (type === "text") this.#atom();
    else if (this.skip("class")) return [this.#class(line)];
    else if (type === "name") {
      const name = this.#name();
      const annotation = this.skip(":") ? this.expression() : null;
      const value = this.skip("=") ? this.expression() : null;
      if (annotation === null && value === null) throw this.#code(`"${name}"`);
      this.expect("\n");
      return [{ type: "field", name, annotation, value, line }];
    } else if (!this.skip("pass") && !this.skip("...")) throw this.#code(this.#shown());
    this.expect("\n");
    return [];
  }

  #code(begin: string): PythonError {
    return this.#error(`${begin} begins code (a method, a decorator, a call), which is never run`);
  }

  #import(): void {
    for (; !this.#is("\n"); this.#at++) {
      if (this.#is(";")) throw this.#error("one statement a line is expected");
      if (this.#is("as")) this.renamed.add(this.#next(1).text);
    }
  }

  #class(line: number): Statement {
    const name = this.#name();
    const bases = this.skip("(") ? this.#items(")").items : [];
    this.expect(":");
    const body: Statement[] = [];
    // A body on the line of its head.
    if (!this.skip("\n")) return { type: "class", name, bases, body: this.statement(), line };
    this.expect(INDENT);
    while (!this.skip(DEDENT)) body.push(...this.statement());
    return { type: "class", name, bases, body, line };
  }

  /** An expression of operators that bind more strongly than `above`. */
  expression(above = 0): Expression {
    if (++this.#depth > MAX_DEPTH) throw this.#error("it is nested too deeply");
    let left = this.#prefix();
    for (let links = 0; ; links++) {
      if (links > MAX_DEPTH) throw this.#error("it is too long");
      const operator = this.#operator();
      const power = POWERS.get(operator) ?? 0;
      if (power <= above) break;
      left = this.#infix(left, operator, power);
    }
    this.#depth--;
    return left;
  }

  #operator(): string {
    const { type, text } = this.#next();
    if (type !== "sign") return "";
    if (text === "**") throw this.#error("powers are not readable here");
    if (text === "not") return this.#is("in", 1) ? "not in" : "";
    return text === "is" && this.#is("not", 1) ? "is not" : text;
  }

  #infix(left: Expression, operator: string, power: number): Expression {
    const { line } = this.#next();
    if (COMPARISONS.has(operator)) return this.#compare(left);
    this.#at++;
    switch (operator) {
      case ".":
        return { type: "attribute", of: left, name: this.#name(), line };
      case "(":
        return { type: "call", callee: left, ...this.#arguments(), line };
      case "[": {
        const { items, isTuple } = this.#items("]");
        const [only] = items;
        if (only === undefined) throw this.#error("an index is missing");
        const index: Expression = isTuple ? { type: "list", items, isTuple, line } : only;
        return { type: "index", of: left, index, line };
      }
      case "if": {
        const test = this.expression(power);
        this.expect("else");
        return { type: "operation", operator, operands: [test, left, this.expression()], line };
      }
    }
    return { type: "operation", operator, operands: [left, this.expression(power)], line };
  }

  #compare(first: Expression): Expression {
    const rest: Comparison[] = [];
    for (let operator = this.#operator(); COMPARISONS.has(operator); operator = this.#operator()) {
      this.#at += operator.split(" ").length;
      rest.push({ operator, right: this.expression(POWERS.get(operator)) });
    }
    return { type: "compare", first, rest, line: first.line };
  }

  #prefix(): Expression {
    const { line, text } = this.#next();
    if (this.skip("lambda")) {
      const parameters: string[] = [];
      while (!this.#is(":")) {
        parameters.push(this.#name());
        if (!this.skip(",")) break;
      }
      this.expect(":");
      return { type: "lambda", parameters, body: this.expression(), line };
    }
    if (this.skip("not")) return { type: "operation", operator: text, operands: [this.expression(3)], line };
    if (this.skip("-") || this.skip("+"))
      return { type: "operation", operator: text, operands: [this.expression(8)], line };
    return this.#atom();
  }

  #atom(): Expression {
    const token = this.#next();
    const { type, text, line } = token;
    this.#at++;
    if (type === "number") return numberLiteral(token);
    if (type === "name") return { type: "name", name: text, line };
    if (type === "text") {
      let value = text;
      for (; this.#next().type === "text"; this.#at++) value += this.#next().text;
      return { type: "literal", value, line };
    }
    switch (text) {
      case "True":
      case "False":
        return { type: "literal", value: text === "True", line };
      case "None":
        return { type: "literal", value: null, line };
      case "(":
      case "[": {
        const { items, isTuple, isLoop } = this.#items(text === "(" ? ")" : "]");
        const [only] = items;
        if (only !== undefined && (isLoop || (text === "(" && !isTuple))) return only;
        return { type: "list", items, isTuple: text === "(", line };
      }
      case "{":
        return this.#dict(line);
    }
    this.#at--;
    throw this.#error(`${this.#shown()} is not readable here`);
  }

  /** What stands in brackets: a loop, or expressions; one without a comma is no tuple. */
  #items(close: string): { items: readonly Expression[]; isTuple: boolean; isLoop: boolean } {
    const items: Expression[] = [];
    let [isTuple, isLoop] = [false, false];
    while (!isLoop && !this.#is(close)) {
      const item = this.expression();
      isLoop = items.length === 0 && this.#is("for");
      items.push(isLoop ? this.#comprehension(item, close === "]") : item);
      if (isLoop || !this.skip(",")) break;
      isTuple = true;
    }
    this.expect(close);
    return { items, isTuple: isTuple || items.length === 0, isLoop };
  }

  #arguments(): { readonly positional: readonly Expression[]; readonly keywords: Map<string, Expression> } {
    const positional: Expression[] = [];
    const keywords = new Map<string, Expression>();
    while (!this.#is(")")) {
      if (this.#next().type === "name" && this.#is("=", 1)) {
        const key = this.#name();
        this.expect("=");
        if (keywords.has(key)) throw this.#error(`the argument ${key} is given twice`);
        keywords.set(key, this.expression());
      } else {
        if (keywords.size > 0) throw this.#error("a plain argument follows a named one");
        const value = this.expression();
        positional.push(this.#is("for") ? this.#comprehension(value, false) : value);
      }
      if (!this.skip(",")) break;
    }
    this.expect(")");
    return { positional, keywords };
  }

  #comprehension(item: Expression, isList: boolean): Expression {
    const { line } = this.#next();
    this.expect("for");
    const variable = this.#name();
    this.expect("in");
    const over = this.expression(1);
    const tests: Expression[] = [];
    while (this.skip("if")) tests.push(this.expression(1));
    return { type: "comprehension", isList, item, variable, over, tests, line };
  }

  #dict(line: number): Expression {
    const entries: { key: Expression | null; value: Expression }[] = [];
    while (!this.#is("}")) {
      if (this.skip("**")) entries.push({ key: null, value: this.expression(1) });
      else {
        const key = this.expression();
        if (!this.skip(":")) throw this.#error("sets are not readable");
        entries.push({ key, value: this.expression() });
      }
      if (!this.skip(",")) break;
    }
    this.expect("}");
    return { type: "dict", entries, line };
  }
}

function shown(sign: string): string {
  return SIGN_NAMES[sign] ?? (sign === INDENT || sign === DEDENT ? sign : `"${sign}"`);
}
