/** The value and where it ends; for a text that cannot be read, where the error was found. */
type LenientResult =
  | { readonly ok: true; readonly value: unknown; readonly end: number }
  | { readonly ok: false; readonly end: number };

/** No answer of a judge is nested deeper. */
const MAX_DEPTH = 20;

const FAILED: unique symbol = Symbol("failed");

const WHITE_SPACE = /\s+/y;
const WORD = /[-+.\w]+/y;
/** Without leading zeros, as in JSON: `007` may be a text whose quotation marks are missing. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/;

/** The literals of JSON and of Python. */
const WORDS: ReadonlyMap<string, boolean | null> = new Map([
  ["true", true],
  ["false", false],
  ["null", null],
  ["True", true],
  ["False", false],
  ["None", null],
]);

const CLOSING_QUOTES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["'", "'"],
  ["“", "”"],
]);

const COMMENT_ENDS: ReadonlyMap<string, string> = new Map([
  ["//", "\n"],
  ["/*", "*/"],
]);

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
]);

/**
 * Reads one JSON object as models write them. It accepts trailing commas, comments, line breaks in texts, single and
 * curly quotes, and the literals of Python. It ignores what follows the object. It never adds a value: where a value or
 * its end is missing, the object cannot be read. `docs/decisions/016-broken-json.md` says why this is no library.
 */
export function parseLenientJson(text: string, start = 0): LenientResult {
  const parser = new LenientParser(text, start);
  const value = parser.readValue(0);
  // After a backslash as the last character, the position is behind the end.
  const end = Math.min(parser.position, text.length);
  return value === FAILED ? { ok: false, end } : { ok: true, value, end };
}

class LenientParser {
  readonly #text: string;
  position: number;

  constructor(text: string, start: number) {
    this.#text = text;
    this.position = start;
  }

  readValue(depth: number): unknown {
    this.#skip();
    const first = this.#text.charAt(this.position);
    if (first === "{") return depth < MAX_DEPTH ? this.#readObject(depth) : FAILED;
    if (first === "[") return depth < MAX_DEPTH ? this.#readList(depth) : FAILED;
    return CLOSING_QUOTES.has(first) ? this.#readText() : this.#readWord();
  }

  #readObject(depth: number): unknown {
    const entries: [string, unknown][] = [];
    const end = this.#readItems("}", () => {
      const key = this.#readText();
      if (typeof key !== "string" || !this.#take(":")) return false;
      const value = this.readValue(depth + 1);
      entries.push([key, value]);
      return value !== FAILED;
    });
    // Unlike assignment, this makes `__proto__` a key like any other.
    return end ? Object.fromEntries(entries) : FAILED;
  }

  #readList(depth: number): unknown {
    const items: unknown[] = [];
    const end = this.#readItems("]", () => items[items.push(this.readValue(depth + 1)) - 1] !== FAILED);
    return end ? items : FAILED;
  }

  /** Reads items with commas between them, and possibly after the last; false if anything else follows an item. */
  #readItems(close: string, readItem: () => boolean): boolean {
    this.position++;
    while (!this.#take(close)) {
      if (!readItem()) return false;
      if (!this.#take(",")) return this.#take(close);
    }
    return true;
  }

  #readText(): unknown {
    this.#skip();
    const close = CLOSING_QUOTES.get(this.#text.charAt(this.position));
    if (close === undefined) return FAILED;
    let value = "";
    let copied = ++this.position;
    for (; this.position < this.#text.length; this.position++) {
      const character = this.#text.charAt(this.position);
      if (character === close) {
        value += this.#text.slice(copied, this.position++);
        return value;
      }
      if (character !== "\\") continue;
      value += this.#text.slice(copied, this.position) + this.#readEscape();
      copied = this.position + 1;
    }
    return FAILED;
  }

  /** Ends on the last character of the escape. A backslash that escapes nothing stays a backslash, as in formulas. */
  #readEscape(): string {
    const character = this.#text.charAt(++this.position);
    if (character === "u") {
      const code = /^[\da-fA-F]{4}/.exec(this.#text.slice(this.position + 1, this.position + 5))?.[0];
      if (code === undefined) return "\\u";
      this.position += 4;
      return String.fromCharCode(Number.parseInt(code, 16));
    }
    return ESCAPES.get(character) ?? (/["'”\\/]/.test(character) ? character : `\\${character}`);
  }

  #readWord(): unknown {
    WORD.lastIndex = this.position;
    const word = WORD.exec(this.#text)?.[0] ?? "";
    this.position += word.length;
    if (NUMBER.test(word)) return Number(word);
    return WORDS.has(word) ? WORDS.get(word) : FAILED;
  }

  /** Skips white space and comments, then takes the character if it is there. */
  #take(character: string): boolean {
    this.#skip();
    if (this.#text.charAt(this.position) !== character) return false;
    this.position++;
    return true;
  }

  /** A comment without an end takes the rest of the text, so that no character is read twice. */
  #skip(): void {
    for (;;) {
      WHITE_SPACE.lastIndex = this.position;
      if (WHITE_SPACE.test(this.#text)) this.position = WHITE_SPACE.lastIndex;
      const end = COMMENT_ENDS.get(this.#text.slice(this.position, this.position + 2));
      if (end === undefined) return;
      const at = this.#text.indexOf(end, this.position + 2);
      this.position = at < 0 ? this.#text.length : at + end.length;
    }
  }
}
