/** A piece of Python text; `line` counts from 1. */
export interface Token {
  readonly type: "name" | "number" | "text" | "operator" | "newline" | "indent" | "dedent" | "end";
  /** As it is written; of a text literal its value. */
  readonly text: string;
  readonly line: number;
}

/** Python text that is not understood, with the line where it stands. Nothing of it is guessed. */
export class PythonError extends Error {
  readonly line: number;

  constructor(message: string, line: number) {
    super(message);
    this.name = "PythonError";
    this.line = line;
  }
}

/** The longest first. */
const OPERATORS = [
  ..."**= //= >>= <<= ... ** // -> := == != <= >= << >> += -= *= /= %= @= &= |= ^=".split(" "),
  ..."()[]{},:.;@=+-*/%<>&|^~",
];

/** Words that cannot be names. */
export const KEYWORDS: ReadonlySet<string> = new Set(
  "False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield".split(
    " ",
  ),
);

const SPACE = /[ \t\f]*/y;
const NAME = /[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}]*/uy;
const NUMBER =
  /(?:0[xX](?:_?[0-9a-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+|(?:\d(?:_?\d)*)?\.?\d(?:_?\d)*\.?(?:[eE][+-]?\d(?:_?\d)*)?)[jJ]?/y;
const LITERAL_START = /([A-Za-z]{0,2})("""|'''|"|')/y;
const BRACKETS: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };

/** Texts longer than this are refused before reading: no template needs it. */
const MAX_LENGTH = 1_000_000;

/** Takes Python text apart, with its indentation. Throws `PythonError`. */
export function tokenize(source: string): readonly Token[] {
  return new Tokenizer(source).run();
}

class Tokenizer {
  readonly #source: string;
  readonly #tokens: Token[] = [];
  readonly #open: string[] = [];
  readonly #indents: number[] = [0];
  #at = 0;
  #line = 1;

  constructor(source: string) {
    if (source.length > MAX_LENGTH) throw new PythonError("the text is too long", 1);
    this.#source = source.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  }

  run(): readonly Token[] {
    let isLineStart = true;
    while (this.#at < this.#source.length) {
      if (isLineStart && this.#open.length === 0 && this.#skipBlankLine()) continue;
      if (isLineStart && this.#open.length === 0) this.#indent();
      isLineStart = this.#token();
    }
    if (this.#open.length > 0) throw this.#error(`"${this.#open.at(-1)}" is never closed`);
    if (this.#tokens.length > 0 && this.#tokens.at(-1)?.type !== "newline") this.#push("newline", "");
    for (let depth = this.#indents.length; depth > 1; depth--) this.#push("dedent", "");
    this.#push("end", "");
    return this.#tokens;
  }

  /** Reads one token; true if a logical line has ended. */
  #token(): boolean {
    this.#match(SPACE);
    const character = this.#source[this.#at];
    if (character === undefined) return false;
    if (character === "\n") {
      const isEnd = this.#open.length === 0;
      if (isEnd) this.#push("newline", "");
      this.#at++;
      this.#line++;
      return isEnd;
    }
    if (character === "#") {
      while (this.#at < this.#source.length && this.#source[this.#at] !== "\n") this.#at++;
      return false;
    }
    if (character === "\\" && this.#source[this.#at + 1] === "\n") {
      this.#at += 2;
      this.#line++;
      return false;
    }
    const literal = this.#match(LITERAL_START);
    if (literal !== null) this.#literal(literal[1] as string, literal[2] as string);
    else this.#word();
    return false;
  }

  #word(): void {
    const character = this.#source[this.#at] as string;
    if (/[0-9]/.test(character) || (character === "." && /[0-9]/.test(this.#source[this.#at + 1] ?? ""))) {
      const number = this.#match(NUMBER)?.[0];
      if (number === undefined || number === "") throw this.#error("a number is not readable");
      this.#push("number", number);
      return;
    }
    const name = this.#match(NAME)?.[0];
    if (name !== undefined) {
      // Two spellings of the same letters are one name to Python.
      this.#push("name", name.normalize("NFKC"));
      return;
    }
    const operator = OPERATORS.find((candidate) => this.#source.startsWith(candidate, this.#at));
    if (operator === undefined) throw this.#error(`${JSON.stringify(character)} is not expected here`);
    this.#push("operator", operator);
    this.#at += operator.length;
    if ("([{".includes(operator)) this.#open.push(operator);
    if (operator in BRACKETS && this.#open.pop() !== BRACKETS[operator])
      throw this.#error(`"${operator}" closes nothing`);
  }

  #skipBlankLine(): boolean {
    const blank = /[ \t\f]*(?:#[^\n]*)?(?:\n|$)/y;
    blank.lastIndex = this.#at;
    const found = blank.exec(this.#source);
    if (found === null || found[0] === "") return false;
    this.#at += found[0].length;
    this.#line++;
    return true;
  }

  #indent(): void {
    const space = this.#match(SPACE)?.[0] ?? "";
    let width = 0;
    for (const character of space)
      width = character === "\f" ? 0 : character === "\t" ? width + 8 - (width % 8) : width + 1;
    const current = this.#indents.at(-1) as number;
    if (width > current) {
      this.#indents.push(width);
      this.#push("indent", "");
    }
    while (width < (this.#indents.at(-1) as number)) {
      this.#indents.pop();
      this.#push("dedent", "");
    }
    if (width !== this.#indents.at(-1)) throw this.#error("the indentation fits no line before it");
  }

  #literal(prefix: string, quote: string): void {
    const start = this.#line;
    const kind = prefix.toLowerCase();
    if (!["", "r", "u"].includes(kind))
      throw this.#error(
        kind.includes("f")
          ? 'a text that is computed (f"…") is not data'
          : `the prefix ${prefix} of a text is not readable`,
      );
    let value = "";
    while (!this.#source.startsWith(quote, this.#at)) {
      const character = this.#source[this.#at];
      if (character === undefined || (character === "\n" && quote.length === 1))
        throw new PythonError("a text is never closed", start);
      if (character === "\n") this.#line++;
      if (character === "\\" && kind === "r") {
        const next = this.#source[this.#at + 1] ?? "";
        if (next === "\n") this.#line++;
        value += character + next;
        this.#at += 2;
      } else if (character === "\\") value += this.#escape();
      else {
        value += character;
        this.#at++;
      }
    }
    this.#at += quote.length;
    this.#tokens.push({ type: "text", text: value, line: start });
  }

  #escape(): string {
    const rest = this.#source.slice(this.#at, this.#at + 10);
    const simple = ESCAPES[rest[1] ?? ""];
    if (simple !== undefined) {
      if (rest[1] === "\n") this.#line++;
      this.#at += 2;
      return simple;
    }
    const octal = /^\\([0-7]{1,3})/.exec(rest);
    const hex = /^\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))/.exec(rest);
    if (octal !== null) {
      this.#at += octal[0].length;
      return String.fromCodePoint(Number.parseInt(octal[1] as string, 8));
    }
    if (hex !== null) {
      const code = Number.parseInt((hex[1] ?? hex[2] ?? hex[3]) as string, 16);
      if (code > 0x10ffff) throw this.#error(`${hex[0]} is no character`);
      this.#at += hex[0].length;
      return String.fromCodePoint(code);
    }
    if (/^\\[xuUN]/.test(rest)) throw this.#error(`the escape ${rest.slice(0, 2)} is not readable`);
    this.#at += 1;
    return "\\";
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source);
    if (found !== null) this.#at += found[0].length;
    return found;
  }

  #push(type: Token["type"], text: string): void {
    this.#tokens.push({ type, text, line: this.#line });
  }

  #error(message: string): PythonError {
    return new PythonError(message, this.#line);
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  "\\": "\\",
  "'": "'",
  '"': '"',
  a: "\x07",
  b: "\b",
  f: "\f",
  v: "\v",
  "\n": "",
};
