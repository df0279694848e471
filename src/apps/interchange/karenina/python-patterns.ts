import { compileLinearRegex } from "../../../core/checks/linear-regex.ts";

/** The line with which upstream's trace of a reply begins. Its replies are looked at with it, ours are not. */
export const TRACE_HEADER = "--- AI Message ---\n";

/** A pattern in the other syntax that means the same, or why there is none. */
export type TranslatedPattern =
  | { readonly pattern: string; readonly flags: string; readonly notes: readonly string[] }
  | { readonly problem: string };

interface PatternContext {
  /** Names of Python's `re` module. */
  readonly flags?: readonly string[];
  /** True for a pattern that upstream applies to the whole trace, which begins with a header. */
  readonly seesHeader?: boolean;
}

class PatternProblem extends Error {}

const FLAGS: Readonly<Record<string, string>> = {
  ...{ IGNORECASE: "i", I: "i", MULTILINE: "m", M: "m", DOTALL: "s", S: "s" },
  ...{ UNICODE: "", U: "", ASCII: "a", A: "a" },
};

/** The characters that are white space to Python. */
const SPACE =
  "\\t-\\r\\x1c-\\x20\\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}";

/** What may stand inside the brackets of a class. */
const UNICODE_CLASSES: Readonly<Record<string, string>> = { d: "\\p{Nd}", w: "\\p{L}\\p{N}_", s: SPACE };
const ASCII_CLASSES: Readonly<Record<string, string>> = { d: "0-9", w: "0-9A-Za-z_", s: "\\t-\\r\\x20" };

/** A class that no character is in. */
const NOTHING = "[^\\x00-\\x{10FFFF}]";

/** Python's `$`. */
const LINE_END = "(?:\\n?\\z)";

/** The beginning of the reply in upstream's traces, as an export writes it. */
const REPLY_START = `(?<=\\A${TRACE_HEADER.replace("\n", "\\n")})`;

const ESCAPE =
  /\\(?:x\{[0-9a-fA-F]+\}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2}|0[0-7]?|[pP](?:\{[^}]*\}|[A-Z])|[\s\S])/u;

/** The parts of a pattern in Python's syntax or RE2's: what is none of these is one character. */
const PART = new RegExp(
  [
    `(?<reply>${REPLY_START.replace(/[\\()?]/g, "\\$&")})`,
    `(?<escape>${ESCAPE.source})`,
    "(?<set>\\[\\^?\\]?(?:\\\\[\\s\\S]|[^\\]\\\\])*\\])",
    "(?<group>\\(\\?#[^)]*\\)|\\((?:\\?(?:P?<[\\p{L}_][\\p{L}\\p{N}_]*>|[A-Za-z]*(?:-[a-z]+)?[:)])?)?|[|)])",
    "(?<count>(?:[*+?]|\\{\\d*,?\\d*\\})(?<more>[?+]?))",
    "(?<place>[$^])",
    "[\\s\\S]",
  ].join("|"),
  "gu",
);

interface Part {
  readonly whole: string;
  readonly at: number;
  readonly kind: "reply" | "escape" | "set" | "group" | "count" | "place" | "character";
  readonly more: string;
}

function mapParts(pattern: string, write: (part: Part) => string): string {
  let out = "";
  for (const { 0: whole, index: at, groups = {} } of pattern.matchAll(PART)) {
    const found = Object.keys(groups).find((name) => groups[name] !== undefined && name !== "more");
    out += write({ whole, at, kind: (found ?? "character") as Part["kind"], more: groups.more ?? "" });
  }
  return out;
}

/** Rewrites a Python pattern for RE2. What RE2 cannot do, or would do otherwise, is a problem and never guessed. */
export function translatePattern(
  pattern: string,
  { flags: names = [], seesHeader = false }: PatternContext = {},
): TranslatedPattern {
  const unknown = names.find((name) => !Object.hasOwn(FLAGS, name));
  if (unknown !== undefined) return { problem: `the flag ${unknown} has no counterpart` };
  const all = [...new Set(names.map((name) => FLAGS[name]))].join("");
  const flags = all.replace("a", "");
  const ignoresCase = all.includes("i") || /\(\?[a-z]*i/.test(pattern);
  if (ignoresCase && (/[ıİ]/.test(pattern) || (all.includes("a") && /[^\0-\x7f]/.test(pattern))))
    return { problem: "letters in it have other capitals in Python than in RE2" };
  const notes = new Set<string>();
  try {
    if (
      seesHeader &&
      touchesHeader(toRe2(searched(pattern), all, { trace: "", reply: NOTHING }, notes), flags)
    )
      return { problem: HEADER_PROBLEM };
    const starts = seesHeader ? { trace: NOTHING, reply: "\\A" } : { trace: null, reply: "\\A" };
    const translated = toRe2(pattern, all, starts, notes);
    const compiled = compileLinearRegex(translated, flags);
    if ("problem" in compiled) return { problem: compiled.problem };
    return { pattern: translated, flags, notes: [...notes] };
  } catch (error) {
    if (error instanceof PatternProblem) return { problem: error.message };
    throw error;
  }
}

const HEADER_PROBLEM = `upstream may find it in the header "${TRACE_HEADER.trim()}" of its traces`;

/** How the beginnings of the trace and of the reply are written; null leaves the first as it is. */
interface Starts {
  readonly trace: string | null;
  readonly reply: string;
}

function toRe2(pattern: string, flags: string, starts: Starts, notes: Set<string>): string {
  const isMultiline = flags.includes("m") || /^\(\?[a-z]*m/.test(pattern);
  const classes = flags.includes("a") ? ASCII_CLASSES : UNICODE_CLASSES;
  const start = (written: string): string => {
    if (starts.trace === NOTHING)
      notes.add(
        `${written} stands for the beginning of the trace upstream, which is never that of the reply`,
      );
    return starts.trace ?? written;
  };
  const escaped = (written: string): string => {
    const letter = written[1] as string;
    const inside = classes[letter.toLowerCase()];
    if (inside?.startsWith("\\p{Nd}")) return letter === "d" ? inside : "\\P{Nd}";
    if (inside !== undefined) return `[${letter === letter.toLowerCase() ? "" : "^"}${inside}]`;
    if (letter === "b" || letter === "B") notes.add(`\\${letter} knows ASCII letters only here`);
    if (letter === "b" || letter === "B") return written;
    if (letter === "Z") return "\\z";
    return letter === "A" ? start(written) : plainEscape(written);
  };
  const setPart = (written: string): string => {
    const inside = classes[written[1]?.toLowerCase() ?? ""];
    if (written.length === 1) return "[]^".includes(written) ? `\\${written}` : written;
    if (written === "\\b") return "\\x08";
    if (inside === undefined) return plainEscape(written);
    if (/[A-Z]/.test(written)) throw new PatternProblem(`${written} inside a class has no counterpart`);
    return inside;
  };
  return mapParts(pattern, ({ kind, whole, more, at }) => {
    switch (kind) {
      case "reply":
        return starts.reply;
      case "escape":
        return escaped(whole);
      case "set": {
        if (/^\[\\(?:s\\S|S\\s|d\\D|D\\d|w\\W|W\\w)\]$/.test(whole)) return "(?s:.)";
        const [, not = "", inside = ""] = /^\[(\^?)([\s\S]*)\]$/.exec(whole) ?? [];
        return `[${not}${inside.replace(new RegExp(`${ESCAPE.source}|[\\s\\S]`, "gu"), setPart)}]`;
      }
      case "group":
        return groupHere(whole, at);
      case "count":
        if (more === "+") throw new PatternProblem("repeats that never give back (a*+) have no counterpart");
        return whole.replace(/^\{\}/, "\\{}").replace(/^\{,/, "{0,");
      case "place":
        if (isMultiline) return whole;
        return whole === "$" ? LINE_END : start(whole);
      case "character":
        if (whole === "[") throw new PatternProblem("a class is never closed");
        if (whole === "\\") throw new PatternProblem("it ends in a backslash");
        return whole === "{" ? "\\{" : whole;
    }
  });
}

/** An escape that means the same in a class and outside of it. */
function plainEscape(written: string): string {
  const [, hex, octal] = /^\\(?:[xuU]([0-9a-fA-F]{2,8})|(0[0-7]*|[0-3][0-7]{2}))$/.exec(written) ?? [];
  if (hex !== undefined || octal !== undefined)
    return `\\x{${(hex ?? Number.parseInt(octal as string, 8).toString(16)).replace(/^0+(?=.)/, "")}}`;
  if (/^\\[1-9]/.test(written)) throw new PatternProblem(`${written} refers to a group, which RE2 cannot`);
  if (/^\\[afnrtv]$/.test(written)) return written;
  if (/^\\[A-Za-z]/.test(written)) throw new PatternProblem(`${written} has no counterpart`);
  // RE2 escapes ASCII only; other characters stand for themselves.
  return /^\\[\0-\x7f]/.test(written) ? written : written.slice(1);
}

function groupHere(whole: string, at: number): string {
  if (whole.startsWith("(?#")) return "";
  const flags = /^\(\?([A-Za-z]*)(-[a-z]+)?([:)])$/.exec(whole);
  if (flags === null) {
    if (whole === "(?" || /^\(\?</.test(whole))
      throw new PatternProblem(`${whole}… has no counterpart in RE2`);
    return whole;
  }
  const [, on = "", off = "", end] = flags;
  const isInside = end === ":" && /[m]/.test(on + off);
  if (/[^imsu]/.test(on) || /[^-ims]/.test(off) || isInside || (end === ")" && at > 0))
    throw new PatternProblem(`the flags ${whole} have no counterpart in this place`);
  const left = `${on.replace("u", "")}${off}`;
  return end === ")" && left === "" ? "" : `(?${left}${end}`;
}

/** The pattern without what may stand before a match, and does not decide whether there is one. */
function searched(pattern: string): string {
  return pattern.replace(/^(\(\?[a-z]+\))?\.\*\??/, "$1");
}

/**
 * Whether a match of an RE2 pattern in upstream's trace may begin in the header. Each character of the pattern may also stand
 * behind the end of the text: then what is left of the header at some place is the beginning of a match.
 */
function touchesHeader(pattern: string, flags: string): boolean {
  const open = mapParts(pattern, ({ kind, whole }) => {
    if (kind === "place" || /^\\[AbBz]$/.test(whole)) return "(?:)";
    return kind === "group" || kind === "count" || whole === NOTHING ? whole : `(?:${whole}|\\z)`;
  });
  const regex = compileLinearRegex(`\\A(?:${open})`, flags);
  return "problem" in regex || [...TRACE_HEADER].some((_, from) => regex.find(TRACE_HEADER.slice(from)));
}

/** What the translation of Python's patterns writes in a class, and the Python that it comes from. */
const BACK: readonly (readonly [string, string])[] = [
  [SPACE, "\\s"],
  ["\\p{L}\\p{N}_", "\\w"],
  ["\\p{Nd}", "\\d"],
];

const ASCII_IN_PYTHON: Readonly<Record<string, string>> = {
  ...{ d: "0-9", w: "0-9A-Za-z_", s: "\\t\\n\\f\\r " },
};

/** An RE2 pattern as Python has it, or why there is none. */
export function pythonPattern(
  pattern: string,
  { flags, seesHeader }: { readonly flags: string; readonly seesHeader: boolean },
): string | { readonly problem: string } {
  const isMultiline = flags.includes("m") || /\(\?[a-z]*m/.test(pattern);
  const isStart = (whole: string): boolean => whole === "\\A" || (whole === "^" && !isMultiline);
  const inReply = mapParts(searched(pattern), ({ whole }) => (isStart(whole) ? NOTHING : whole));
  if (seesHeader && touchesHeader(inReply, flags)) return { problem: HEADER_PROBLEM };
  const escaped = (written: string, isInSet: boolean): string => {
    const ascii = ASCII_IN_PYTHON[written.slice(1).toLowerCase()];
    const isNegated = /^\\[DWS]$/.test(written);
    if (/^\\[pPQEC]/.test(written) || (isNegated && isInSet))
      throw new PatternProblem(`${written} has no counterpart in Python`);
    if (ascii !== undefined) return isInSet ? ascii : `[${isNegated ? "^" : ""}${ascii}]`;
    if (written === "\\z") return "\\Z";
    const [, code] = /^\\x\{(.*)\}$/.exec(written) ?? [];
    if (code === undefined) return written;
    const [sign, digits] = code.length <= 2 ? ["x", 2] : code.length <= 4 ? ["u", 4] : ["U", 8];
    return `\\${sign}${code.padStart(digits as number, "0")}`;
  };
  try {
    return pattern
      .split(LINE_END)
      .map((piece) =>
        mapParts(piece, ({ kind, whole }) => {
          if (seesHeader && isStart(whole)) return REPLY_START;
          if (seesHeader && whole === NOTHING) return "^";
          if (whole === "\\p{Nd}" || whole === "\\P{Nd}") return whole[1] === "p" ? "\\d" : "\\D";
          if (kind === "escape") return escaped(whole, false);
          if (kind === "set") {
            const known = BACK.slice(0, 2).find(([own]) => whole === `[${own}]` || whole === `[^${own}]`);
            if (known !== undefined) return whole[1] === "^" ? known[1].toUpperCase() : known[1];
            if (/(?<!\\)\[:/.test(whole.slice(1)))
              throw new PatternProblem("classes such as [:alpha:] have no counterpart");
            return BACK.reduce((text, [own, python]) => text.replaceAll(own, `\0${python[1]}`), whole)
              .replace(new RegExp(ESCAPE.source, "gu"), (part) => escaped(part, true))
              .replaceAll("\0", "\\");
          }
          // A repeat to Python, and plain characters to RE2.
          if (/^\{,/.test(whole)) return `\\${whole}`;
          if (whole === "$" && !isMultiline) return "\\Z";
          return whole.replace(/^\(\?</, "(?P<");
        }),
      )
      .join("$");
  } catch (error) {
    if (error instanceof PatternProblem) return { problem: error.message };
    throw error;
  }
}
