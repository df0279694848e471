import { compileLinearRegex } from "../../../core/checks/linear-regex.ts";
import { headerProblem, NOTHING, TRACE_HEADER, withoutHeader } from "./trace-header.ts";

/** A Python pattern in RE2 syntax that means the same, or why there is none. */
export type TranslatedPattern =
  | {
      readonly pattern: string;
      readonly flags: string;
      readonly notes: readonly string[];
      /** True if upstream finds it in the header before the reply, or from there into the reply. */
      readonly touchesHeader: boolean;
    }
  | { readonly problem: string };

export interface PatternContext {
  /** Names of Python's `re` module. */
  readonly flags?: readonly string[];
  /** True for a pattern that upstream applies to the whole trace, which begins with a header. */
  readonly seesHeader?: boolean;
}

const FLAGS: Readonly<Record<string, string>> = {
  IGNORECASE: "i",
  I: "i",
  MULTILINE: "m",
  M: "m",
  DOTALL: "s",
  S: "s",
  UNICODE: "",
  U: "",
  ASCII: "a",
  A: "a",
};

/** The characters that are white space to Python. */
export const SPACE: string =
  "\\t-\\r\\x1c-\\x20\\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}";

/** What may stand inside the brackets of a class. */
const UNICODE_CLASSES: Readonly<Record<string, string>> = { d: "\\p{Nd}", w: "\\p{L}\\p{N}_", s: SPACE };
const ASCII_CLASSES: Readonly<Record<string, string>> = { d: "0-9", w: "0-9A-Za-z_", s: "\\t-\\r\\x20" };

/** Rewrites a Python pattern for RE2. What RE2 cannot do, or would do otherwise, is a problem and never guessed. */
export function translatePattern(pattern: string, context: PatternContext = {}): TranslatedPattern {
  let flags = "";
  for (const name of context.flags ?? []) {
    const flag = FLAGS[name];
    if (flag === undefined) return { problem: `the flag ${name} has no counterpart` };
    if (!flags.includes(flag)) flags += flag;
  }
  try {
    const isAscii = flags.includes("a");
    if (/i/.test(flags) || /\(\?[a-z]*i/.test(pattern))
      if (/[ıİ]/.test(pattern) || (isAscii && /[^\0-\x7f]/.test(pattern)))
        return { problem: "letters in it have other capitals in Python than in RE2" };
    const translator = new Translator(pattern, flags, context.seesHeader === true);
    const translated = translator.run();
    const plain = flags.replace("a", "");
    const compiled = compileLinearRegex(translated, plain);
    if ("problem" in compiled) return { problem: compiled.problem };
    const notes = [...translator.notes];
    if (context.seesHeader !== true)
      return { pattern: translated, flags: plain, notes, touchesHeader: false };
    // Nothing that an export writes touches the header.
    if (translator.startsReply) return { pattern: translated, flags: plain, notes, touchesHeader: false };
    const left = withoutHeader(new Translator(pattern, flags, false).run(), plain);
    if (left === "too large") return { problem: "how it meets the header of upstream's traces is not known" };
    if (left === "always") return { pattern: "", flags: "", notes: [HEADER_NOTE], touchesHeader: true };
    if (left.across.length === 0) return { pattern: translated, flags: plain, notes, touchesHeader: false };
    const whole = `${left.inside}|\\A(?:${left.across.join("|")})`;
    const again = compileLinearRegex(whole, plain);
    if ("problem" in again) return { problem: again.problem };
    return { pattern: whole, flags: plain, notes, touchesHeader: true };
  } catch (error) {
    if (error instanceof PatternProblem) return { problem: error.message };
    throw error;
  }
}

const HEADER_NOTE = `it occurs in the header "${TRACE_HEADER.trim()}" of upstream's traces, so it always holds there`;

class PatternProblem extends Error {}

class Translator {
  readonly notes = new Set<string>();
  /** True if it has what an export writes for the beginning of the reply. */
  startsReply = false;
  readonly #pattern: string;
  readonly #classes: Readonly<Record<string, string>>;
  readonly #seesHeader: boolean;
  /** Whether `^` and `$` stand at lines, for each open group. */
  readonly #multiline: boolean[];
  #at = 0;
  #out = "";

  constructor(pattern: string, flags: string, seesHeader: boolean) {
    this.#pattern = pattern;
    this.#classes = flags.includes("a") ? ASCII_CLASSES : UNICODE_CLASSES;
    this.#seesHeader = seesHeader;
    this.#multiline = [flags.includes("m")];
  }

  run(): string {
    while (this.#at < this.#pattern.length) this.#part();
    return this.#out;
  }

  #part(): void {
    const character = this.#pattern[this.#at] as string;
    switch (character) {
      case "\\":
        this.#out += this.#escape(false);
        return;
      case "[":
        this.#class();
        return;
      case "(":
        this.#group();
        return;
      case ")":
        if (this.#multiline.length > 1) this.#multiline.pop();
        break;
      case "^":
        if (this.#isMultiline()) break;
        this.#at++;
        this.#out += this.#start("^");
        return;
      case "$":
        if (this.#isMultiline()) break;
        this.#at++;
        this.#out += "(?:\\n?\\z)";
        return;
      case "{":
      case "*":
      case "+":
      case "?":
        this.#repeat();
        return;
    }
    this.#out += character;
    this.#at++;
  }

  #isMultiline(): boolean {
    return this.#multiline.at(-1) === true;
  }

  #start(written: string): string {
    if (!this.#seesHeader) return written;
    this.notes.add(
      `${written} stands for the beginning of the trace upstream, which is never that of the reply`,
    );
    return NOTHING;
  }

  #repeat(): void {
    const repeat = /(?:[*+?]|\{(\d*)(,?)(\d*)\})/y;
    repeat.lastIndex = this.#at;
    const found = repeat.exec(this.#pattern);
    const isCount = found?.[0].startsWith("{") === true;
    if (found === null || found[0] === "{}") {
      // A bracket that counts nothing is a character.
      this.#out += "\\{";
      this.#at++;
      return;
    }
    this.#at += found[0].length;
    this.#out += isCount ? `{${found[1] === "" ? "0" : found[1]}${found[2]}${found[3]}}` : found[0];
    if (this.#pattern[this.#at] === "+")
      throw new PatternProblem("repeats that never give back (a*+) have no counterpart");
    if (this.#pattern[this.#at] === "?") {
      this.#out += "?";
      this.#at++;
    }
  }

  #group(): void {
    const rest = this.#pattern.slice(this.#at);
    if (rest.startsWith(REPLY_START)) {
      this.#out += "\\A";
      this.#at += REPLY_START.length;
      this.startsReply = true;
      return;
    }
    if (!rest.startsWith("(?")) {
      this.#open("(", this.#isMultiline());
      return;
    }
    if (rest.startsWith("(?#")) {
      const end = rest.indexOf(")");
      if (end === -1) throw new PatternProblem("a comment is never closed");
      this.#at += end + 1;
      return;
    }
    const plain = /^\(\?(?::|P<[\p{L}_][\p{L}\p{N}_]*>)/u.exec(rest)?.[0];
    if (plain !== undefined) {
      this.#open(plain, this.#isMultiline());
      return;
    }
    const scoped = /^\(\?([aiLmsux]*)(?:-([imsx]+))?([:)])/.exec(rest);
    if (scoped === null) throw new PatternProblem(`${rest.slice(0, 4)}… has no counterpart in RE2`);
    const [written, on = "", off = "", end] = scoped as unknown as [
      string,
      string,
      string | undefined,
      string,
    ];
    if (/[axL]/.test(on) || (off ?? "").includes("x"))
      throw new PatternProblem(`the flags ${written} have no counterpart`);
    const multiline = (on.includes("m") || this.#isMultiline()) && !(off ?? "").includes("m");
    const flags = `${on.replace("u", "")}${off ? `-${off}` : ""}`;
    if (end === ":") {
      this.#open(`(?${flags}:`, multiline, written.length);
      return;
    }
    if (this.#at > 0) throw new PatternProblem("flags may stand at the beginning only");
    this.#at += written.length;
    this.#multiline[0] = multiline;
    this.#out += flags === "" ? "" : `(?${flags})`;
  }

  #open(text: string, multiline: boolean, length: number = text.length): void {
    this.#out += text;
    this.#at += length;
    this.#multiline.push(multiline);
  }

  #class(): void {
    const any = /^\[\\(?:s\\S|S\\s|d\\D|D\\d|w\\W|W\\w)\]/.exec(this.#pattern.slice(this.#at))?.[0];
    if (any !== undefined) {
      this.#out += "(?s:.)";
      this.#at += any.length;
      return;
    }
    let inside = "";
    this.#at++;
    const isNegated = this.#pattern[this.#at] === "^";
    if (isNegated) this.#at++;
    for (let isFirst = true; ; isFirst = false) {
      const character = this.#pattern[this.#at];
      if (character === undefined) throw new PatternProblem("a class is never closed");
      if (character === "]" && !isFirst) break;
      if (character === "\\") inside += this.#escape(true);
      else {
        inside += "[]^".includes(character) ? `\\${character}` : character;
        this.#at++;
      }
    }
    this.#at++;
    this.#out += `[${isNegated ? "^" : ""}${inside}]`;
  }

  #escape(isInClass: boolean): string {
    const rest = this.#pattern.slice(this.#at, this.#at + 12);
    const letter = rest[1];
    if (letter === undefined) throw new PatternProblem("it ends in a backslash");
    const code =
      /^\\x([0-9a-fA-F]{2})/.exec(rest) ??
      /^\\u([0-9a-fA-F]{4})/.exec(rest) ??
      /^\\U([0-9a-fA-F]{8})/.exec(rest);
    if (code !== null) {
      this.#at += code[0].length;
      return `\\x{${(code[1] as string).replace(/^0+(?=.)/, "")}}`;
    }
    const octal = /^\\(0[0-7]{0,2}|[0-3][0-7]{2})/.exec(rest);
    if (octal !== null) {
      this.#at += octal[0].length;
      return `\\x{${Number.parseInt(octal[1] as string, 8).toString(16)}}`;
    }
    this.#at += 2;
    if (/[1-9]/.test(letter)) throw new PatternProblem(`\\${letter} refers to a group, which RE2 cannot`);
    const inside = this.#classes[letter.toLowerCase()];
    if (inside !== undefined) {
      const isNegated = letter !== letter.toLowerCase();
      if (!isInClass && inside.startsWith("\\p{Nd}")) return isNegated ? "\\P{Nd}" : "\\p{Nd}";
      if (!isInClass) return `[${isNegated ? "^" : ""}${inside}]`;
      if (isNegated) throw new PatternProblem(`\\${letter} inside a class has no counterpart`);
      return inside;
    }
    if (isInClass && letter === "b") return "\\x08";
    if (!isInClass && (letter === "b" || letter === "B")) {
      this.notes.add(`\\${letter} knows ASCII letters only here`);
      return `\\${letter}`;
    }
    if (!isInClass && letter === "Z") return "\\z";
    if (!isInClass && letter === "A") return this.#start("\\A");
    if ("afnrtv".includes(letter)) return `\\${letter}`;
    if (/[A-Za-z]/.test(letter)) throw new PatternProblem(`\\${letter} has no counterpart`);
    // RE2 escapes ASCII only; other characters stand for themselves.
    if (letter.charCodeAt(0) > 127) {
      const whole = String.fromCodePoint(this.#pattern.codePointAt(this.#at - 1) as number);
      this.#at += whole.length - 1;
      return whole;
    }
    return `\\${letter}`;
  }
}

/** The beginning of the reply in upstream's traces, as an export writes it. */
const REPLY_START = `(?<=\\A${TRACE_HEADER.replace("\n", "\\n")})`;

/** What the translation of Python's patterns writes, and the Python that it comes from, the longest first. */
const BACK: readonly (readonly [string, string])[] = [
  [`[^${SPACE}]`, "\\S"],
  [`[${SPACE}]`, "\\s"],
  [SPACE, "\\s"],
  ["[^\\p{L}\\p{N}_]", "\\W"],
  ["[\\p{L}\\p{N}_]", "\\w"],
  ["\\p{L}\\p{N}_", "\\w"],
  ["(?:\\n?\\z)", "$"],
  ["\\p{Nd}", "\\d"],
  ["\\P{Nd}", "\\D"],
  ["\\z", "\\Z"],
];

const ASCII_IN_PYTHON: Readonly<Record<string, string>> = {
  "\\d": "[0-9]",
  "\\D": "[^0-9]",
  "\\w": "[0-9A-Za-z_]",
  "\\W": "[^0-9A-Za-z_]",
  "\\s": "[\\t\\n\\f\\r ]",
  "\\S": "[^\\t\\n\\f\\r ]",
};

/** An RE2 pattern as Python has it, or why there is none. */
export function pythonPattern(
  pattern: string,
  { flags, seesHeader }: { readonly flags: string; readonly seesHeader: boolean },
): string | { readonly problem: string } {
  if (seesHeader) {
    const problem = headerProblem(pattern, flags);
    if (problem !== null) return { problem };
  }
  const isMultiline = flags.includes("m") || /\(\?[a-z]*m/.test(pattern);
  let out = "";
  let isInClass = false;
  for (let at = 0; at < pattern.length; ) {
    const rest = pattern.slice(at);
    const start = isInClass ? undefined : (isMultiline ? /^\\A/ : /^(?:\^|\\A)/).exec(rest)?.[0];
    if (seesHeader && start !== undefined) {
      out += REPLY_START;
      at += start.length;
      continue;
    }
    const known =
      seesHeader && rest.startsWith(NOTHING)
        ? ([NOTHING, "^"] as const)
        : BACK.find(([own, python]) => rest.startsWith(own) && (!isInClass || /^\\[dws]$/.test(python)));
    if (known !== undefined) {
      out += known[1];
      at += known[0].length;
      continue;
    }
    const code = /^\\x\{([0-9a-fA-F]+)\}/.exec(rest);
    const escaped = /^\\./su.exec(rest)?.[0];
    const character = String.fromCodePoint(rest.codePointAt(0) as number);
    if (code !== null) {
      out += pythonCode(Number.parseInt(code[1] as string, 16));
      at += code[0].length;
    } else if (escaped !== undefined) {
      if (/^\\[pPQEC]/.test(escaped)) return { problem: `${escaped} has no counterpart in Python` };
      const ascii = ASCII_IN_PYTHON[escaped];
      if (isInClass && /^\\[DWS]$/.test(escaped))
        return { problem: `${escaped} inside a class has no counterpart` };
      out += ascii === undefined ? escaped : isInClass ? ascii.slice(1, -1) : ascii;
      at += escaped.length;
    } else {
      if (!isInClass && /^\((?:\?<[A-Za-z_])/.test(rest)) {
        out += "(?P<";
        at += 3;
        continue;
      }
      if (isInClass && rest.startsWith("[:"))
        return { problem: "classes such as [:alpha:] have no counterpart" };
      if (!isInClass && character === "$" && !isMultiline) out += "\\Z";
      // A repeat to Python, and plain characters to RE2.
      else if (!isInClass && /^\{,\d*\}/.test(rest)) out += "\\{";
      else out += character;
      if (character === "[" && !isInClass) {
        isInClass = true;
        const head = /^\[\^?\]?/.exec(rest)?.[0] as string;
        out += head.slice(1);
        at += head.length;
        continue;
      }
      if (character === "]") isInClass = false;
      at += character.length;
    }
  }
  return out;
}

function pythonCode(code: number): string {
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, "0")}`;
  if (code < 0x10000) return `\\u${code.toString(16).padStart(4, "0")}`;
  return `\\U${code.toString(16).padStart(8, "0")}`;
}
