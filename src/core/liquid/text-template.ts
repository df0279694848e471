import type { Output } from "liquidjs";
import { errorMessage } from "../error-message.ts";
import { ownValue } from "../values/json.ts";
import { LONGEST_TEXT, liquidValue, outputText, parseLiquid, renderLiquid } from "./liquid-engine.ts";
import { type TextVariable, variablesIn } from "./text-variables.ts";

/** The values that a text may use, by the first word of their path. */
export type TextScope = Readonly<Record<string, unknown>>;

/** Why a text cannot be used: a clause without a full stop, and the place in the text, both numbers from 1. */
interface TextProblem {
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

/** A text that was compiled, to be rendered many times. */
interface TextTemplate {
  readonly variables: readonly TextVariable[];
  readonly problem?: TextProblem;
  /** True if it is one expression and nothing else, whose value keeps its type. */
  readonly isExpression: boolean;
  /** Throws `TextError`. */
  text(scope: TextScope): string;
  /** The value of the expression, or the text. Throws `TextError`. */
  value(scope: TextScope): unknown;
}

/** A text that cannot be rendered. The message is a clause without a full stop. */
export class TextError extends Error {
  override readonly name = "TextError";
}

/** True if a text has something to render in it. */
export function isTemplate(text: unknown): text is string {
  // Most texts have no brace at all: they are searched once.
  return typeof text === "string" && text.includes("{") && (text.includes("{{") || text.includes("{%"));
}

/** True for a text that is one expression, and so may stand for a value of any type. */
export function isExpression(text: unknown): text is string {
  return isTemplate(text) && /^\{\{(?:(?!\}\}|\{\{|\{%).)*\}\}$/s.test(text);
}

const templates = new Map<string, TextTemplate>();
const MOST_KEPT = 10_000;

/** Compiles a text once. One with a mistake has a `problem`, and throws when it is rendered. */
export function compileText(source: string): TextTemplate {
  const known = templates.get(source);
  if (known !== undefined) return known;
  if (templates.size >= MOST_KEPT) templates.clear();
  const made = simpleTemplate(source) ?? liquidTemplate(source);
  templates.set(source, made);
  return made;
}

/** `{{ row.question }}`, `{{ turns[-1].reply }}`: a path and nothing else. */
const PATH = /\{\{\s*([\p{L}_][\p{L}\p{N}_-]*(?:\.[\p{L}\p{N}_-]+|\[-?\d+\])*)\s*\}\}/gu;

/** Words of Liquid that are no variables. */
const WORDS: ReadonlySet<string> = new Set(["true", "false", "nil", "null", "empty", "blank"]);

type PathKeys = readonly (string | number)[];

/** Texts with plain paths only are the most frequent: they need no library, and take a tenth of its time. */
function simpleTemplate(source: string): TextTemplate | undefined {
  const pieces: (string | PathKeys)[] = [];
  const variables: TextVariable[] = [];
  let rest = 0;
  for (const match of source.matchAll(PATH)) {
    const [whole, path = ""] = match;
    const keys = keysOf(path);
    if (WORDS.has(String(keys[0]))) return undefined;
    if (match.index > rest) pieces.push(source.slice(rest, match.index));
    pieces.push(keys);
    const offset = match.index + whole.indexOf(path);
    variables.push({ path: keys, isOptional: false, isList: false, ...placeIn(source, offset) });
    rest = match.index + whole.length;
  }
  if (rest < source.length) pieces.push(source.slice(rest));
  if (pieces.some((piece) => isTemplate(piece)) || source.length > LONGEST_TEXT) return undefined;
  const [only] = pieces;
  const isOne = pieces.length === 1 && typeof only === "object";
  const text = (scope: TextScope): string => {
    let written = "";
    for (const piece of pieces)
      written += typeof piece === "string" ? piece : outputText(readPath(piece, scope));
    return written;
  };
  const value = isOne ? (scope: TextScope): unknown => readPath(only, scope) : text;
  return { variables, isExpression: isOne, text, value };
}

function keysOf(path: string): PathKeys {
  return [...path.matchAll(/[\p{L}_][\p{L}\p{N}_-]*|[\p{L}\p{N}_-]+/gu)].map(([key], index) =>
    index > 0 && /^-?\d+$/.test(key) ? Number(key) : key,
  );
}

/** The place of an offset in a text, both numbers from 1. */
export function placeIn(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset);
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
}

/** The value at a path, as Liquid reads it. */
function readPath(path: PathKeys, scope: TextScope): unknown {
  let value: unknown = scope;
  for (let index = 0; index < path.length; index++) {
    if (value === null || value === undefined) return value;
    value = readKey(value, path[index] as string | number);
    if (value === undefined)
      throw new TextError(`there is no ${JSON.stringify(path.slice(0, index + 1).join("."))}`);
  }
  return value;
}

function readKey(value: unknown, key: string | number): unknown {
  if (Array.isArray(value)) {
    if (typeof key === "number") return value[key < 0 ? value.length + key : key];
    if (key === "size") return value.length;
    if (key === "first") return value[0];
    if (key === "last") return value.at(-1);
    return undefined;
  }
  if (typeof value === "string") return key === "size" ? value.length : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  const own = ownValue(value, String(key));
  return own === undefined && key === "size" ? Object.keys(value).length : own;
}

function liquidTemplate(source: string): TextTemplate {
  try {
    const parsed = parseLiquid(source);
    const [only] = parsed;
    const isOne = parsed.length === 1 && isExpression(source);
    const text = (scope: TextScope): string => guarded(() => renderLiquid(parsed, scope));
    // A text that is one expression has been parsed as an output.
    const value = isOne
      ? (scope: TextScope): unknown => guarded(() => liquidValue(only as Output, scope)) ?? null
      : text;
    return { variables: variablesIn(parsed), isExpression: isOne, text, value };
  } catch (error) {
    const problem = problemOf(error);
    const fail = (): never => {
      throw new TextError(problem.message);
    };
    return { variables: [], problem, isExpression: false, text: fail, value: fail };
  }
}

function guarded<Result>(render: () => Result): Result {
  try {
    return render();
  } catch (error) {
    throw new TextError(problemOf(error).message);
  }
}

function problemOf(error: unknown): TextProblem {
  const [first = ""] = errorMessage(error).split("\n");
  const [, message = first, line = "1", column = "1"] =
    /^(.*?)(?:, file:.*?)?, line:(\d+), col:(\d+)$/.exec(first) ?? [];
  const unknown = /^undefined variable: (.*)$/.exec(message)?.[1];
  return {
    message: unknown === undefined ? message : `there is no ${JSON.stringify(unknown)}`,
    line: Number(line),
    column: Number(column),
  };
}

/**
 * A text with its variables filled in. A text that is one expression keeps the type of its value. Throws `TextError` if it has a
 * mistake, or a variable is not in the scope.
 *
 * @example
 * renderText("Is {{ row.city }} the capital of {{ row.land }}?", { row: { city: "Sydney", land: "Australia" } });
 */
export function renderText(template: string, scope: TextScope): unknown {
  return isTemplate(template) ? compileText(template).value(scope) : template;
}
