/** A text as a person reads it: without markup, and with one way of writing spaces, quotes and signs. */
interface CleanText {
  readonly text: string;
  /** The part of the original text that a part of `text` was made of. */
  span(start: number, end: number): readonly [start: number, end: number];
}

// One pass, in which every alternative is bounded: hostile texts must not make it quadratic.
const SPECIAL =
  /<\/?(?:b|strong|i|em|u|p|span|div|mark|code|center|br|sup|sub)(?:\s[^<>\n]{0,80})?\/?>|<\|[^|<>\n]{1,40}\|>|```[a-z]{0,20}|~~[^~\n]{1,300}~~|\*+|_+|`+|\\[dt]?frac ?\{[^{}\n]{1,40}\}\{[^{}\n]{1,40}\}|\\(?:[a-zA-Z]{1,30}|[^a-zA-Z\n])\{?|\{,\}|\^\{[^{}\n]{1,8}\}|\^\\circ(?![a-zA-Z])|[\u200b-\u200f\u2060\ufeff\u00ad]|[\t\f\v\u00a0\u2000-\u200a\u202f\u205f\u3000][ \t\f\v\u00a0\u2000-\u200a\u202f\u205f\u3000]*| [ \t\f\v\u00a0\u2000-\u200a\u202f\u205f\u3000]+|\r\n? *|\n *|[\u2018\u2019\u201b\u02bc\u2032]|[\u201c-\u201f\u00ab\u00bb]|[\u2010\u2011\u2212\ufe63]|[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+|[\uff01-\uff5e]|\ud835[\udc00-\udfff]|(?:\ud83c[\udf00-\udfff]|[\ud83d\ud83e][\udc00-\udfff])\ufe0f?/g;

/** Removes Markdown, HTML and LaTeX markup from a text. */
export function cleanText(text: string): CleanText {
  return new Cleaner(text).clean();
}

/** Lower case, character for character: characters whose lower case has another length stay as they are. */
export function lowerCase(text: string): string {
  const lower = text.toLowerCase();
  if (lower.length === text.length) return lower;
  return text.replace(/[A-Z]|[^\0-\x7f]/g, (character) => {
    const small = character.toLowerCase();
    return small.length === 1 ? small : character;
  });
}

class Cleaner {
  readonly #source: string;
  #text = "";
  /** Where pieces begin in the text, and which part of the source each comes from. */
  readonly #at: number[] = [];
  readonly #from: number[] = [];
  readonly #to: number[] = [];
  #last = "\n";
  #lineBreaks = 0;

  constructor(source: string) {
    this.#source = source;
  }

  clean(): CleanText {
    let from = 0;
    for (const { 0: found, index } of this.#source.matchAll(SPECIAL)) {
      this.#copy(from, index);
      from = index + found.length;
      this.#replace(found, index, from);
    }
    this.#copy(from, this.#source.length);
    const at = this.#at;
    const pieceOf = (position: number): number => {
      let low = 0;
      let high = at.length;
      while (low < high) {
        const middle = (low + high) >>> 1;
        if ((at[middle] as number) > position) high = middle;
        else low = middle + 1;
      }
      return low - 1;
    };
    /** A copied piece has as many characters as its source; any other stands for all of it. */
    const isCopied = (piece: number): boolean =>
      (this.#to[piece] ?? 0) - (this.#from[piece] ?? 0) ===
      (at[piece + 1] ?? this.#text.length) - (at[piece] ?? 0);
    const span = (start: number, end: number): readonly [number, number] => {
      const first = pieceOf(start);
      const last = pieceOf(end - 1);
      if (first < 0 || last < 0) return [0, 0];
      const offset = (piece: number, position: number): number => position - (at[piece] as number);
      return [
        (this.#from[first] as number) + (isCopied(first) ? offset(first, start) : 0),
        isCopied(last) ? (this.#from[last] as number) + offset(last, end) : (this.#to[last] as number),
      ];
    };
    return { text: this.#text, span };
  }

  #copy(from: number, to: number): void {
    let start = from;
    // A space at the head of a line, or after another one, says nothing.
    if (this.#last === "\n" || this.#last === " ")
      while (start < to && this.#source.charCodeAt(start) === 0x20) start++;
    if (to <= start) return;
    this.#piece(this.#source.slice(start, to), start, to);
    this.#lineBreaks = 0;
  }

  #put(text: string, start: number, end: number): void {
    if (text !== "") this.#piece(text, start, end);
  }

  #piece(text: string, from: number, to: number): void {
    this.#at.push(this.#text.length);
    this.#from.push(from);
    this.#to.push(to);
    this.#text += text;
    this.#last = text.charAt(text.length - 1);
  }

  #replace(found: string, start: number, end: number): void {
    const code = found.charCodeAt(0);
    if (code === 0x0a || code === 0x0d) {
      // A blank line says as much as many of them, and runs of any length would cost rules time.
      if (this.#lineBreaks < 2) this.#put("\n", start, end);
      this.#lineBreaks++;
      return;
    }
    const next = this.#source.charAt(end);
    if (isSpace(found)) return this.#put(this.#space(found, next), start, end);
    const plain = plainText(found, this.#last, next);
    if (plain !== "") this.#lineBreaks = 0;
    this.#put(plain, start, end);
  }

  /** Spaces that only numbers use between digits stay what they are; any other run becomes one space. */
  #space(found: string, next: string): string {
    if (this.#last === "\n" || this.#last === " ") return "";
    const groups = found.length === 1 && /[\u00a0\u2009\u202f]/.test(found);
    return groups && isDigit(this.#last) && isDigit(next) ? "\u00a0" : " ";
  }
}

/** What a special sequence says, given the characters around it. */
function plainText(found: string, before: string, after: string): string {
  const first = found.charAt(0);
  if (first === "\n" || first === "\r") return "\n";
  if (first === "*") return plainStars(found, before, after);
  if (first === "_") return isWordCharacter(before) && isWordCharacter(after) ? found : "";
  if (first === "\\" || first === "{" || first === "^") return latexText(found, before);
  if (first === "<")
    return /^<br/.test(found) ? "\n" : /^<sup/.test(found) ? "^" : /^<sub/.test(found) ? "_" : "";
  if (first === "~" || first === "`") return "";
  return plainCharacter(found);
}

/** Stars mark emphasis where they touch a word on one side only, and a product between values. */
function plainStars(stars: string, before: string, after: string): string {
  const open = /[\s]/.test(before);
  const closed = after === "" || /\s/.test(after);
  if (open && closed) return before === "\n" && stars === "*" ? "-" : stars;
  if (isDigit(before) && (isDigit(after) || (stars === "*" && after === " "))) return stars;
  if (stars === "*" && isWordCharacter(before) && isWordCharacter(after)) return stars;
  return "";
}

function plainCharacter(found: string): string {
  const code = found.charCodeAt(0);
  if (/[\u2018\u2019\u201b\u02bc\u2032]/.test(found)) return "'";
  if (/[\u201c-\u201f\u00ab\u00bb]/.test(found)) return '"';
  if (/[\u2010\u2011\u2212\ufe63]/.test(found)) return "-";
  if (/[⁰¹²³⁴⁵⁶⁷⁸⁹]/.test(found)) return `^${found.normalize("NFKC").replace("\u2212", "-")}`;
  if (code >= 0xff01 && code <= 0xff5e) return String.fromCharCode(code - 0xfee0);
  if (code === 0xd835) return found.normalize("NFKC");
  // What is left is invisible, or a picture.
  return "";
}

function isSpace(text: string): boolean {
  return /^[ \t\f\v\u00a0\u2000-\u200a\u202f\u205f\u3000]/.test(text);
}

function isDigit(character: string): boolean {
  return character >= "0" && character <= "9";
}

function isWordCharacter(character: string): boolean {
  return /[A-Za-z0-9\u00c0-\uffff]/.test(character);
}

/** Commands that stand for a sign or a word. */
const SIGNS: ReadonlyMap<string, string> = new Map([
  ["times", "×"],
  ["cdot", "·"],
  ["div", "÷"],
  ["approx", "≈"],
  ["simeq", "≈"],
  ["sim", "≈"],
  ["le", "≤"],
  ["leq", "≤"],
  ["ge", "≥"],
  ["geq", "≥"],
  ["ne", "≠"],
  ["neq", "≠"],
  ["pm", "±"],
  ["sqrt", "√"],
  ["to", "→"],
  ["rightarrow", "→"],
  ["implies", "→"],
  ["Rightarrow", "→"],
  ["therefore", "therefore "],
  ["quad", " "],
  ["qquad", " "],
  ["left", ""],
  ["right", ""],
  ["displaystyle", ""],
  ["boxed", "\\boxed"],
  ["fbox", "\\boxed"],
]);

/** Commands that say how their text looks; the text stays, and so does its closing brace, which rules overlook. */
const LOOKS = /^(?:text|math|emph|operatorname|underline|mbox|hbox)/;

const FRACTION = /^\\[dt]?frac ?\{([^{}]*)\}\{([^{}]*)\}$/;

/** What a piece of LaTeX says in plain text, after the given character: `\frac{3}{4}` is `3/4`, `\text{` is nothing. */
export function latexText(found: string, before: string): string {
  if (found === "{,}") return ",";
  if (found === "^\\circ" || found === "^{\\circ}") return "°";
  if (found.startsWith("^{")) return `^${found.slice(2, -1)}`;
  const fraction = FRACTION.exec(found);
  // After a digit a fraction makes a mixed number: 3\frac{1}{2} is 3 1/2.
  if (fraction !== null)
    return (/\d/.test(before) ? " " : "") + fractionText(fraction[1] ?? "", fraction[2] ?? "");
  const opens = found.endsWith("{") && found !== "\\{";
  const command = found.slice(1, opens ? -1 : undefined);
  const brace = opens ? "{" : "";
  if (!/^[a-zA-Z]/.test(command)) return symbolText(command) + brace;
  const sign = SIGNS.get(command);
  if (sign !== undefined) return sign + brace;
  return LOOKS.test(command) ? "" : found;
}

function fractionText(over: string, under: string): string {
  const simple = /^ ?[+-]?\d+ ?$/;
  if (simple.test(over) && simple.test(under)) return `${over.trim()}/${under.trim()}`;
  return `(${over})/(${under})`;
}

/** After a backslash, brackets and thin spaces are only layout; any other character stands for itself. */
function symbolText(symbol: string): string {
  if (/^[()[\],;:!]$/.test(symbol)) return "";
  return symbol === "\\" ? " " : symbol;
}
