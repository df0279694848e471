import type { Token, tokenizer } from "acorn";

// A method written in shorthand, `stateUpdate(accumulated, parsed) { … }`, has no `function` in its source.
const SHORTHAND_METHOD = /^(?!function\b|async\b|class\b)[^\s\d"'`#*()[\]{}=][^\s"'`#*()[\]{}=]*\s*\(/;

/** The source text of a function as an expression that can stand alone. */
// biome-ignore lint/complexity/noBannedTypes: any function will do, its signature is not used.
export function functionSource(fn: Function): string {
  const source: string = Function.prototype.toString.call(fn);
  return SHORTHAND_METHOD.test(source) ? `function ${source}` : source;
}

const FUNCTION_START = /^\s*(?:async\s+)?(?:function\b|\([\s\S]*?\)\s*=>|[^\s"'`()[\]{}=]+\s*=>)/;

/** True if a text reads like the source of a function: an arrow or the word `function` at its start. */
export function looksLikeFunctionSource(text: string): boolean {
  return FUNCTION_START.test(text);
}

/** How a function is written, or why it cannot stand alone as an expression that returns its result at once. */
export type FunctionForm =
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
