import type { Context, Emitter, Liquid, Output, Template } from "liquidjs";
import { isRecord } from "../values/json.ts";

/** What is used of the `liquidjs` package. */
export type LiquidLibrary = Pick<
  typeof import("liquidjs"),
  "Liquid" | "Context" | "toValueSync" | "defaultOperators"
>;

interface Engine extends Pick<LiquidLibrary, "Context" | "toValueSync"> {
  readonly liquid: Liquid;
}

let load: (() => LiquidLibrary) | undefined;
let engine: Engine | undefined;

/**
 * Says how the `liquidjs` package is loaded, when a text first needs it. The core reads no files, and most scenarios have no such
 * text, so it does not import the package itself.
 */
export function provideLiquid(by: () => LiquidLibrary): void {
  load ??= by;
}

/** A longer text is refused, before and after it is rendered. */
export const LONGEST_TEXT = 1_000_000;

/**
 * Memory and parts are counted, which is the same on every machine; the time is the last resort. Steps of loops and long comparisons
 * count as memory, which the library does not do: nothing else happens while a text is rendered, not even Ctrl-C.
 */
const LIMITS = { memoryLimit: 1_000_000, renderLimit: 5_000 } as const;
const MOST_PARTS = 100_000;
const STEP = 2;
/** Letters are compared far faster than items. */
const UNITS_PER_ITEM = 4;
const LETTERS_PER_UNIT = 16;

/** Read other files, or write into the scope. */
const REMOVED_TAGS = ["include", "render", "layout", "block", "increment", "decrement"] as const;

/** Depend on chance, or read variables that only show when they are rendered. */
const REMOVED_FILTERS = [
  "sample",
  "where_exp",
  "reject_exp",
  "group_by_exp",
  "has_exp",
  "find_exp",
  "find_index_exp",
] as const;

/** Parses a text; throws what Liquid throws. */
export function parseLiquid(source: string): readonly Template[] {
  return liquidEngine().liquid.parse(source);
}

/** Renders a parsed text; throws what Liquid throws, and if it grows too large. */
export function renderLiquid(templates: readonly Template[], scope: object): string {
  const { liquid, Context, toValueSync } = liquidEngine();
  const context = new Context(scope, liquid.options, { sync: true, ...LIMITS });
  const { memoryLimit, renderLimit } = context;
  const checkTime = renderLimit.check.bind(renderLimit);
  renderLimit.check = (now) => {
    memoryLimit.use(STEP);
    checkTime(now);
  };
  const emitter = new LimitedEmitter();
  // Liquid does not change its list of templates.
  toValueSync(liquid.renderer.renderTemplates(templates as Template[], context, emitter));
  return emitter.buffer;
}

/** The value of the only expression of a text. */
export function liquidValue(output: Output, scope: object): unknown {
  const { liquid, Context, toValueSync } = liquidEngine();
  const context = new Context(scope, liquid.options, { sync: true, ...LIMITS });
  return toValueSync(output.value.value(context, false));
}

class LimitedEmitter implements Emitter {
  buffer = "";
  #parts = 0;

  write(value: unknown): void {
    this.buffer += outputText(value);
    this.#parts++;
    if (this.#parts > MOST_PARTS || this.buffer.length > LONGEST_TEXT)
      throw new Error(
        `the text grows too large: more than ${MOST_PARTS} parts or ${LONGEST_TEXT} characters`,
      );
  }
}

/** Comparisons that count how much they compare. */
function countingOperators(operators: LiquidLibrary["defaultOperators"]): LiquidLibrary["defaultOperators"] {
  const counting = { ...operators };
  for (const name of ["==", "!=", "contains"]) {
    const compare = operators[name] as BinaryOperator;
    const counted: BinaryOperator = (left, right, context) => {
      if (Array.isArray(left)) context.memoryLimit.use(left.length * UNITS_PER_ITEM);
      else if (typeof left === "string") context.memoryLimit.use(left.length / LETTERS_PER_UNIT);
      return compare(left, right, context);
    };
    counting[name] = counted;
  }
  return counting;
}

type BinaryOperator = (left: unknown, right: unknown, context: Context) => boolean;

function liquidEngine(): Engine {
  engine ??= makeEngine();
  return engine;
}

function makeEngine(): Engine {
  if (load === undefined) throw new Error("Liquid was not provided: import the entry of the package first.");
  const { Liquid, Context, toValueSync, defaultOperators } = load();
  const liquid = new Liquid({
    operators: countingOperators(defaultOperators),
    ownPropertyOnly: true,
    strictVariables: true,
    strictFilters: true,
    lenientIf: true,
    relativeReference: false,
    // Nothing depends on where and when a text is rendered.
    templates: {},
    timezoneOffset: 0,
    locale: "en-US",
    parseLimit: LONGEST_TEXT,
  });
  for (const tag of REMOVED_TAGS) delete liquid.tags[tag];
  for (const filter of REMOVED_FILTERS) delete liquid.filters[filter];
  for (const name of Object.keys(liquid.filters).filter((filter) => filter.startsWith("date"))) {
    const filter = liquid.filters[name];
    const handler = typeof filter === "function" ? filter : undefined;
    if (handler === undefined) continue;
    liquid.registerFilter(name, function (this: ThisParameterType<typeof handler>, value, ...options) {
      if (value === "now" || value === "today") throw new Error("a text cannot depend on the time");
      return handler.call(this, value, ...options);
    });
  }
  liquid.registerFilter("letters", lettered);
  liquid.registerFilter("option_letters", (options: unknown) =>
    optionsOf("option_letters", options).map((_, index) => ALPHABET[index]),
  );
  liquid.registerFilter("letter_of", (options: unknown, answer: unknown) =>
    letterOf(outputText(answer), optionsOf("letter_of", options).map(outputText)),
  );
  return { liquid, Context, toValueSync };
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** Options as lines with letters, as multiple-choice questions have them: `A) …`. Takes a list, or an object of options by letter. */
function lettered(options: unknown): string {
  const named = isRecord(options)
    ? Object.entries(options)
    : optionsOf("letters", options).map((option, index) => [ALPHABET[index], option] as const);
  return named.map(([letter, option]) => `${letter}) ${outputText(option).trim()}`).join("\n");
}

function optionsOf(filter: string, options: unknown): readonly unknown[] {
  if (!Array.isArray(options)) throw new Error(`${filter} needs a list of options`);
  if (options.length > ALPHABET.length) throw new Error("there are more options than letters");
  return options;
}

/** The letter of the option that an answer names by its text, or by its letter. Throws if that is none, or two different ones. */
export function letterOf(answer: string, options: readonly string[]): string {
  const plain = (text: string): string => text.normalize("NFKC").trim().replace(/\s+/g, " ").toLowerCase();
  const byText = ALPHABET[options.findIndex((option) => plain(option) === plain(answer))];
  const letter = /^[\s(]*([A-Za-z])[\s).]*$/.exec(answer)?.[1]?.toUpperCase();
  const byLetter = letter !== undefined && ALPHABET.indexOf(letter) < options.length ? letter : undefined;
  if (byText !== undefined && byLetter !== undefined && byText !== byLetter)
    throw new Error(
      `${JSON.stringify(answer)} is the text of option ${byText} and the letter of another one`,
    );
  const found = byText ?? byLetter;
  if (found === undefined) throw new Error(`${JSON.stringify(answer)} is none of the options`);
  return found;
}

/** A value as it stands in a text: nothing for null, JSON for lists and objects. */
export function outputText(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
