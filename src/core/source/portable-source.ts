import { functionSource } from "../values/function-source.ts";
import { functionForm } from "./function-form.ts";
import { readAssignment, readPrimary } from "./read-expression.ts";
import { readArrowOrParentheses, readFunction, readParametersAndBody } from "./read-function.ts";
import { readStatements } from "./read-statement.ts";
import { type Grammar, Refusal, SourceCursor } from "./source-cursor.ts";

/**
 * The names that a portable function may use without declaring them: they are in every JavaScript and reach
 * neither the clock nor the world outside.
 */
export const STANDARD_NAMES: ReadonlySet<string> = Object.freeze(
  new Set(
    (
      "undefined NaN Infinity Object Array String Number Boolean Symbol BigInt Math JSON RegExp Map Set WeakMap " +
      "WeakSet Error TypeError RangeError isNaN isFinite parseInt parseFloat encodeURIComponent decodeURIComponent"
    ).split(" "),
  ),
);

/**
 * The source of a function that uses nothing but its arguments, so that the text can run alone in a sandbox;
 * or, for an error message, the clause that says why it is not such a function. Never throws.
 *
 * @example portableSource((answer) => answer > threshold)
 * // { problem: 'it uses "threshold", which is defined outside of it' }
 */
export function portableSource(
  // biome-ignore lint/complexity/noBannedTypes: any function will do, its signature is not used.
  fn: Function,
): { source: string } | { problem: string } {
  // Not fn.toString(), which an author may have replaced: the text must be what runs.
  const written: string = Function.prototype.toString.call(fn);
  const form = functionForm(written);
  if ("problem" in form) return form;
  const found = freeNames(written);
  if ("problem" in found) return found;

  const ownName = form.kind === "method" ? form.name : undefined;
  // A method that uses its own name means an outer one, but as a function it would mean itself.
  const outside = found.names.filter((name) => name === ownName || !STANDARD_NAMES.has(name));
  if (outside.length > 0) return { problem: outsideProblem(outside) };

  const source = functionSource(fn);
  return form.kind === "method" && source !== `function ${written}`
    ? { problem: "it is a method whose name is not a plain word" }
    : { source };
}

function outsideProblem(names: readonly string[]): string {
  const quoted = names.map((name) => `"${name}"`);
  const last = quoted.pop();
  return quoted.length === 0
    ? `it uses ${last}, which is defined outside of it`
    : `it uses ${quoted.join(", ")} and ${last}, which are defined outside of it`;
}

const GRAMMAR: Grammar = { primary: readPrimary, assignment: readAssignment, statements: readStatements };

/**
 * The names that a function uses but does not declare, standard ones such as `Math` included, in the order of
 * their first use; or why that cannot be told. The source is valid JavaScript, as given by
 * `Function.prototype.toString`. What is not understood is refused: no name is ever missed.
 *
 * @example freeNames("(a) => a + b") // { names: ["b"] }
 */
export function freeNames(source: string): { names: string[] } | { problem: string } {
  const form = functionForm(source);
  if ("problem" in form) return form;
  const cursor = new SourceCursor(source, GRAMMAR);
  try {
    if (form.kind === "function") readFunction(cursor, "expression");
    else if (form.kind === "method") {
      // In contrast to a function's, a method's name is not known inside of it.
      cursor.readName();
      readParametersAndBody(cursor);
    } else if (!readArrowOrParentheses(cursor)) return { problem: "it is not a function" };
    if (cursor.token.kind !== "end") cursor.refuseToken();
  } catch (error) {
    if (error instanceof Refusal) return { problem: error.message };
    throw error;
  }
  return { names: [...cursor.scope.close()] };
}
