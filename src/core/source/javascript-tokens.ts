import { patternOnFirstUse } from "../values/on-first-use.ts";

/** One token of JavaScript source. Keywords are words; a regular expression or a template starts as a punctuator. */
export interface Token {
  readonly kind: "word" | "private" | "number" | "string" | "punctuator" | "end" | "unreadable";
  /** As written, with its escapes. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Whether a line ends between the token before and this one: semicolons may be left out there. */
  readonly newlineBefore: boolean;
}

const ESCAPE = String.raw`\\u(?:[\da-fA-F]{4}|\{0*(?:10[\da-fA-F]{4}|[\da-fA-F]{1,5})\})`;
const WORD = String.raw`(?:[\p{ID_Start}$_]|${ESCAPE})(?:[\p{ID_Continue}$\u200c\u200d]|${ESCAPE})*`;

// White space and comments. U+2028 and U+2029 end a line too: code may follow them after `//`.
const GAP = /(?:\s+|\/\/[^\n\r\u2028\u2029]*|\/\*.*?\*\/)*/sy;
const LINE_END = /[\n\r\u2028\u2029]/;

// Each pattern can read a text in one way only, so that a failed match takes no longer than a good one.
const PATTERNS: readonly (readonly [Token["kind"], () => RegExp])[] = [
  ["word", patternOnFirstUse(WORD, "uy")],
  ["private", patternOnFirstUse(`#${WORD}`, "uy")],
  // Octal numbers such as 017 are missing on purpose: they mean something else in strict code.
  [
    "number",
    patternOnFirstUse(
      String.raw`(?:0[xX][\da-fA-F_]+n?|0[oO][0-7_]+n?|0[bB][01_]+n?|(?:(?:0(?![\d_])|[1-9][\d_]*)(?:n|\.[\d_]*)?|\.\d[\d_]*)(?:[eE][+\-]?\d[\d_]*)?)(?![\p{ID_Continue}$\\])`,
      "uy",
    ),
  ],
  [
    "string",
    patternOnFirstUse(
      String.raw`"[^"\\\n\r]*(?:\\(?:\r\n|.)[^"\\\n\r]*)*"|'[^'\\\n\r]*(?:\\(?:\r\n|.)[^'\\\n\r]*)*'`,
      "sy",
    ),
  ],
  // `?.` before a digit is a conditional with a number: a?.5:b.
  [
    "punctuator",
    patternOnFirstUse(
      ">>>=|\\.\\.\\.|===|!==|\\*\\*=|<<=|>>[>=]|&&=|\\|\\|=|\\?\\?=|=>|[=!<>+\\-*/%&|^]=|&&|\\|\\||\\?\\?|\\?\\.(?!\\d)|\\+\\+|--|<<|>>|\\*\\*|[{}()[\\];,<>+\\-*/%&|^!~?:=.`]",
      "y",
    ),
  ],
];

const LINE_ENDS = String.raw`\n\r\u2028\u2029`;
const IN_CLASS = String.raw`(?:[^\]\\${LINE_ENDS}]|\\[^${LINE_ENDS}])*`;
const IN_REGULAR_EXPRESSION = String.raw`(?:[^\\\/\[${LINE_ENDS}]|\\[^${LINE_ENDS}]|\[${IN_CLASS}\])+`;
const regularExpression = patternOnFirstUse(
  String.raw`\/(?![*\/])${IN_REGULAR_EXPRESSION}\/[\p{ID_Continue}$\u200c\u200d]*`,
  "uy",
);

const TEMPLATE_PIECE = /[^`\\$]*(?:(?:\\.|\$(?!\{))[^`\\$]*)*(?:`|\$\{)/sy;

/** Reads the token after a position. What is no token comes back as `unreadable`; nothing throws. */
export function readToken(text: string, from: number): Token {
  const start = matchEnd(GAP, text, from) ?? from;
  const newlineBefore = LINE_END.test(text.slice(from, start));
  const token = (kind: Token["kind"], end: number): Token => ({
    kind,
    text: text.slice(start, end),
    start,
    end,
    newlineBefore,
  });
  if (start >= text.length) return token("end", start);
  // A comment in an old script, operators in a module: the text alone does not tell which.
  if (text.startsWith("<!--", start)) return token("unreadable", start + 4);
  if (newlineBefore && text.startsWith("-->", start)) return token("unreadable", start + 3);
  for (const [kind, pattern] of PATTERNS) {
    const end = matchEnd(pattern(), text, start);
    if (end !== undefined) return token(kind, end);
  }
  return token("unreadable", start + 1);
}

/** Where the regular expression ends, with its flags, that starts with the slash at a position. */
export function regularExpressionEnd(text: string, slash: number): number | undefined {
  return matchEnd(regularExpression(), text, slash);
}

/** Where a piece of template text ends that starts at a position: behind its closing backtick or behind `${`. */
export function templatePieceEnd(text: string, from: number): number | undefined {
  return matchEnd(TEMPLATE_PIECE, text, from);
}

/** The name that a word stands for: `\u0061b` is the name `ab`. */
export function wordName(word: string): string {
  return word.replaceAll(/\\u(?:\{([\da-f]+)\}|([\da-f]{4}))/gi, (_, braced?: string, plain?: string) =>
    String.fromCodePoint(Number.parseInt(braced ?? plain ?? "", 16)),
  );
}

function matchEnd(sticky: RegExp, text: string, from: number): number | undefined {
  sticky.lastIndex = from;
  return sticky.test(text) ? sticky.lastIndex : undefined;
}
