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
