import { readToken, type Token, wordName } from "./javascript-tokens.ts";
import { isReservedWord } from "./reserved-words.ts";

/** How a function is written, or why it cannot stand alone as an expression that answers at once. */
export type FunctionForm =
  | { readonly kind: "arrow" | "function" }
  | { readonly kind: "method"; readonly name: string }
  | { readonly problem: string };

// No author can write this: the words in the brackets are not JavaScript.
const NATIVE = /\{\s*\[native code\]\s*\}$/;

// No function is that long, and regular expressions run out of memory on tokens of several megabytes.
const MAX_LENGTH = 1_000_000;

/** Tells from its first tokens how a function, as given by `Function.prototype.toString`, is written. */
export function functionForm(source: string): FunctionForm {
  if (source.length > MAX_LENGTH) return { problem: "it is too long to be checked" };
  const first = readToken(source, 0);
  const second = readToken(source, first.end);
  if (NATIVE.test(source)) return { problem: "it is a native or bound function" };
  if (second.text === "=>" || first.text === "(") return { kind: "arrow" };
  if (first.text === "function") {
    return second.text === "*" ? { problem: "it is a generator" } : { kind: "function" };
  }
  if (first.text === "async") return { problem: "it is async, but must answer at once" };
  if (first.text === "*") return { problem: "it is a generator" };
  if (second.text === "(" && first.kind === "word") return methodForm(wordName(first.text));
  if (first.text === "class") return { problem: "it is a class" };
  if (first.text === "get") return { problem: "it is a getter" };
  if (first.text === "set") return { problem: "it is a setter" };
  return {
    problem: startsMethod(first) ? "it is a method whose name is not a plain word" : "it is not a function",
  };
}

function methodForm(name: string): FunctionForm {
  // `function if() {}` is no JavaScript, and the names `eval` and `arguments` are none in strict code.
  return isReservedWord(name) || name === "eval" || name === "arguments"
    ? { problem: `it is a method with the reserved name "${name}"` }
    : { kind: "method", name };
}

function startsMethod(token: Token): boolean {
  return token.text === "[" || token.kind === "string" || token.kind === "number" || token.kind === "private";
}
