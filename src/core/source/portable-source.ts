import { freeNames, type JavaScriptParser } from "./free-names.ts";
import { functionForm, functionSource } from "./function-source.ts";

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
 * @example portableSource((answer) => answer > threshold, acorn)
 * // { problem: 'it uses "threshold", which is defined outside of it' }
 */
export function portableSource(
  // biome-ignore lint/complexity/noBannedTypes: any function will do, its signature is not used.
  fn: Function,
  acorn: JavaScriptParser,
): { source: string } | { problem: string } {
  // Not fn.toString(), which an author may have replaced: the text must be what runs.
  const written: string = Function.prototype.toString.call(fn);
  const form = functionForm(written, acorn);
  if ("problem" in form) return form;
  const found = freeNames(written, acorn);
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
