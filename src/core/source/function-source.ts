import type { parseExpressionAt, Token, tokenizer } from "acorn";

// A method written in shorthand, `stateUpdate(accumulated, parsed) { … }`, has no `function` in its source.
const SHORTHAND_METHOD = /^(?!function\b|async\b|class\b)[^\s\d"'`#*()[\]{}=][^\s"'`#*()[\]{}=]*\s*\(/;

/** The source text of a function as an expression that can stand alone. */
// biome-ignore lint/complexity/noBannedTypes: any function will do, its signature is not used.
export function functionSource(fn: Function): string {
  const source: string = Function.prototype.toString.call(fn);
  return SHORTHAND_METHOD.test(source) ? `function ${source}` : source;
}

// Matches always, if only nothing, and never takes a step back.
const SPACE_AND_COMMENTS = /(?:\s|\/\/[^\n\r\u2028\u2029]*|\/\*[^*]*(?:\*(?!\/)[^*]*)*\*\/)*/y;

/** Where the white space and the comments that stand at an offset of a source end. */
export function spaceEnd(text: string, start: number): number {
  SPACE_AND_COMMENTS.lastIndex = start;
  SPACE_AND_COMMENTS.test(text);
  return SPACE_AND_COMMENTS.lastIndex;
}

const FUNCTION_START = /^\s*(?:async\s+)?(?:function\b|\([\s\S]*?\)\s*=>|[^\s"'`()[\]{}=]+\s*=>)/;

/** True if a text reads like the source of a function: an arrow or the word `function` at its start. */
export function looksLikeFunctionSource(text: string): boolean {
  return FUNCTION_START.test(text.slice(spaceEnd(text, 0)));
}

/**
 * A source without the semicolon that may follow a function. Or why it is no JavaScript, with
 * line and column in the text of its author, both from 1.
 */
export function expressionSource(
  source: string,
  acorn: { readonly parseExpressionAt: typeof parseExpressionAt },
): { readonly source: string } | { readonly problem: string } {
  try {
    // A private name of a class around it is known where it is defined.
    const options = { ecmaVersion: "latest", sourceType: "module", checkPrivateFields: false } as const;
    const { end } = acorn.parseExpressionAt(source, 0, options);
    let rest = spaceEnd(source, end);
    // The text itself seeds what is random in it, so it stays the same where it can.
    if (rest === source.length) return { source };
    while (source[rest] === ";") rest = spaceEnd(source, rest + 1);
    if (rest === source.length) return { source: source.slice(0, end) };
    return { problem: `something stands after it${placeOf(source, rest)}` };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const { message, pos = source.length } = error as SyntaxError & { readonly pos?: number };
    // The sandbox has its own limit of nesting.
    if (message.startsWith("Not enough stack space")) return { source };
    const problem = message.replace(/ \(\d+:\d+\)$/, "");
    return { problem: `${problem.charAt(0).toLowerCase()}${problem.slice(1)}${placeOf(source, pos)}` };
  }
}

function placeOf(source: string, offset: number): string {
  const lines = source.slice(0, offset).split("\n");
  return ` (line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1})`;
}

/** How a function is written, or why it cannot stand alone as an expression that returns its result at once. */
type FunctionForm =
  | { readonly kind: "arrow" | "function" }
  | { readonly kind: "method"; readonly name: string }
  | { readonly problem: string };

// No author can write this: the words in the brackets are not JavaScript.
const NATIVE = /\{\s*\[native code\]\s*\}$/;

// No function is that long, and reading texts of many megabytes takes too much memory.
const MAX_LENGTH = 1_000_000;

/** `function if() {}` is not JavaScript, and the other names are not allowed in strict code. */
const RESERVED: ReadonlySet<string> = new Set(
  "arguments await enum eval implements interface let package private protected public static yield".split(
    " ",
  ),
);

/** Finds out from its first two tokens how a function, as given by `Function.prototype.toString`, is written. */
export function functionForm(source: string, acorn: { readonly tokenizer: typeof tokenizer }): FunctionForm {
  if (source.length > MAX_LENGTH) return { problem: "it is too long to be checked" };
  if (NATIVE.test(source)) return { problem: "it is a native or bound function" };
  const [first, second] = firstTokens(source, acorn);
  if (second?.text === "=>" || first?.text === "(") return { kind: "arrow" };
  switch (first?.text) {
    case "function":
      return second?.text === "*" ? { problem: "it is a generator" } : { kind: "function" };
    case "async":
      return { problem: "it is async, but must return its result at once" };
    case "*":
      return { problem: "it is a generator" };
  }
  if (second?.text === "(" && first?.word !== undefined) return methodForm(first.word, first.isKeyword);
  switch (first?.text) {
    case "class":
      return { problem: "it is a class" };
    case "get":
      return { problem: "it is a getter" };
    case "set":
      return { problem: "it is a setter" };
  }
  return {
    problem: first?.startsMethod ? "it is a method whose name is not a plain word" : "it is not a function",
  };
}

interface FirstToken {
  /** As written, with its escapes. */
  readonly text: string;
  /** For words: without escapes. */
  readonly word: string | undefined;
  readonly isKeyword: boolean;
  /** Whether a method's name that is not a plain word may start like this. */
  readonly startsMethod: boolean;
}

function firstTokens(source: string, acorn: { readonly tokenizer: typeof tokenizer }): readonly FirstToken[] {
  const found: FirstToken[] = [];
  try {
    const tokens = acorn.tokenizer(source, { ecmaVersion: "latest", sourceType: "module" });
    while (found.length < 2) {
      // The types of acorn leave the value out.
      const { type, start, end, value } = tokens.getToken() as Token & { readonly value?: unknown };
      const { label, keyword } = type;
      found.push({
        text: source.slice(start, end),
        word: label === "name" || keyword !== undefined ? String(value) : undefined,
        isKeyword: keyword !== undefined,
        startsMethod: ["[", "string", "num", "privateId"].includes(label),
      });
    }
  } catch (error) {
    // What comes later in the source is not of interest here, and may be no JavaScript.
    if (!(error instanceof SyntaxError)) throw error;
  }
  return found;
}

function methodForm(name: string, isKeyword: boolean): FunctionForm {
  return isKeyword || RESERVED.has(name)
    ? { problem: `it is a method with the reserved name "${name}"` }
    : { kind: "method", name };
}
