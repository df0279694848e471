import { isRecord, type UnknownRecord } from "../values/json.ts";
import { compileText, isTemplate, TextError, type TextScope } from "./text-template.ts";
import type { TextVariable } from "./text-variables.ts";

/** Parts that hold code, names or data of the author's own: nothing is rendered in them. */
const NEVER_RENDERED: ReadonlySet<string> = new Set([
  "evaluate",
  "metadata",
  "modelOverride",
  "toolFilter",
  "stateUpdate",
  "flags",
  "from",
  "field",
]);

/** Parts of conditions and outcomes that are code where they are a text. */
const CODE: ReadonlySet<string> = new Set([
  "when",
  "condition",
  "conditions",
  "check",
  "verify",
  "of",
  "handover",
]);

/** Objects whose keys are names that other parts refer to. */
const NAMED: ReadonlySet<string> = new Set(["fields", "classes", "nodes"]);

/** Parts that are always text, whatever type their value has; the question of a node has parts of its own. */
const ALWAYS_TEXT: ReadonlySet<string> = new Set([
  "question",
  "rawAnswer",
  "answer",
  "description",
  "hint",
  "keywords",
  "content",
  "systemPrompt",
  "pattern",
]);

/** A text with something to render, and where it stands. */
interface PlacedText {
  readonly text: string;
  readonly path: readonly (string | number)[];
}

/** The texts of a part that have something to render. */
export function* textsIn(part: unknown, path: PlacedText["path"] = []): Generator<PlacedText> {
  if (containsText(part)) yield* placedTexts(part, path);
}

/** What the key of a part says of the part. */
interface PartKind {
  /** True for a list whose texts are code. */
  readonly isCode?: boolean;
  /** True if its keys are names, which say nothing of its parts. */
  readonly hasNames?: boolean;
}

function kindOf(key: string): PartKind {
  return { isCode: CODE.has(key), hasNames: NAMED.has(key) };
}

const NAMELESS: PartKind = {};

function* placedTexts(part: unknown, path: PlacedText["path"], kind = NAMELESS): Generator<PlacedText> {
  if (isTemplate(part)) yield { text: part, path };
  if (typeof part !== "object" || part === null) return;
  const isList = Array.isArray(part);
  for (const [key, value] of Object.entries(part)) {
    if (!isList && !kind.hasNames && isFixed(key, value)) continue;
    if (isList && kind.isCode && typeof value === "string") continue;
    const place = [...path, isList ? Number(key) : key];
    if (isTemplate(key)) yield { text: key, path: place };
    yield* placedTexts(value, place, kind.hasNames ? NAMELESS : kindOf(key));
  }
}

/** True if a part has a text to render. Most parts have none, and this finds out in a fifth of the time of `textsIn`. */
export function containsText(part: unknown, { isCode, hasNames } = NAMELESS): boolean {
  if (typeof part === "string") return isTemplate(part);
  if (typeof part !== "object" || part === null) return false;
  if (Array.isArray(part))
    return part.some((item) => !(isCode && typeof item === "string") && containsText(item));
  for (const key of Object.keys(part)) {
    const value = (part as UnknownRecord)[key];
    if (!hasNames && isFixed(key, value)) continue;
    if (isTemplate(key)) return true;
    if (
      typeof value === "string" ? isTemplate(value) : containsText(value, hasNames ? NAMELESS : kindOf(key))
    )
      return true;
  }
  return false;
}

function isFixed(key: string, value: unknown): boolean {
  return NEVER_RENDERED.has(key) || (typeof value === "string" && CODE.has(key));
}

const known = new WeakMap<object, boolean>();

/** The same for parts that are asked about again and again. Parts of definitions never change, so each is looked at once. */
export function hasTexts(part: unknown): boolean {
  if (isTemplate(part)) return true;
  if (typeof part !== "object" || part === null) return false;
  let answer = known.get(part);
  if (answer === undefined) {
    answer = containsText(part);
    known.set(part, answer);
  }
  return answer;
}

/** How texts are filled in. */
export interface FillOptions {
  /** Keys whose parts stay as they are. */
  readonly except?: ReadonlySet<string>;
  /** True to leave an expression as it is if it needs a value that the scope does not have. */
  readonly lenient?: boolean;
}

/**
 * A part with its texts rendered. A text that is one expression keeps the type of its value, except where only text can stand.
 * What has nothing to render stays the same object, so that what was prepared for it is used again. Throws `TextError`.
 */
export function fillTexts<Part>(part: Part, scope: TextScope, options: FillOptions = {}): Part {
  // The form stays the same; values of expressions are validated where it matters.
  return fill(part, { scope, options, isText: false }) as Part;
}

interface Filling extends PartKind {
  readonly scope: TextScope;
  readonly options: FillOptions;
  readonly isText: boolean;
  /** True where an expression that gives a list stands for its items. */
  readonly takesLists?: boolean;
}

function fill(part: unknown, filling: Filling): unknown {
  if (isTemplate(part)) return rendered(part, filling);
  if (typeof part !== "object" || part === null || !hasTexts(part)) return part;
  if (Array.isArray(part))
    return Object.freeze(
      part.flatMap((item) => {
        if (filling.isCode && typeof item === "string") return [item];
        const filled = fill(item, filling);
        return filling.takesLists && isTemplate(item) && Array.isArray(filled) ? items(filled) : [filled];
      }),
    );
  const { except } = filling.options;
  const filled: Record<string, unknown> = {};
  const isStringField = "type" in part && part.type === "string";
  const put = (name: string, value: unknown): void => {
    if (Object.hasOwn(filled, name) && filling.options.lenient !== true)
      throw new TextError(`two keys come to the same text ${JSON.stringify(name)}`);
    filled[name] = value;
  };
  for (const [key, value] of Object.entries(part)) {
    if (filling.hasNames) {
      put(key, fill(value, { ...filling, isCode: false, hasNames: false }));
      continue;
    }
    // The truth of a field of type string is a text, also where a row has a number.
    const isText =
      (ALWAYS_TEXT.has(key) && !isRecord(value)) || (key === "truth" && isStringField) || filling.isText;
    // A list in a cell stands for as many values.
    const takesLists = filling.takesLists || LISTS.has(key);
    const inner = { ...filling, isText, takesLists, ...kindOf(key) };
    const inside = except?.has(key) || isFixed(key, value) ? value : fill(value, inner);
    if (!isTemplate(key)) put(key, inside);
    else {
      const names = rendered(key, { ...filling, isText: !filling.takesLists });
      if (!Array.isArray(names)) put(filling.takesLists ? String(names).trim() : String(names), inside);
      else
        for (const [name, ...aliases] of names.map(words))
          if (name !== "") put(name, [...aliases, ...listed(inside)]);
    }
  }
  return Object.freeze(filled);
}

/** Lists of values that a text may fill with a whole list: those of an enum, of alias lists and of options. */
const LISTS: ReadonlySet<string> = new Set(["values", "options"]);

/** The texts of a list from a cell, each without spaces around it; of a value with its synonyms, the value. */
function items(list: readonly unknown[]): readonly unknown[] {
  return list.flatMap((item) => {
    const [first] = Array.isArray(item) ? item : [item];
    return typeof first === "string" ? (first.trim() === "" ? [] : [first.trim()]) : [first];
  });
}

/** A value of a list from a cell, with its synonyms if it is a list itself. */
function words(item: unknown): [string, ...string[]] {
  const [first = "", ...more] = (Array.isArray(item) ? item : [item]).map((word) => String(word).trim());
  return [first, ...more];
}

function listed(aliases: unknown): readonly unknown[] {
  return Array.isArray(aliases) ? aliases : [];
}

function rendered(text: string, { scope, options, isText }: Filling): unknown {
  const template = compileText(text);
  const isKnown = ({ path: [root, key] }: TextVariable): boolean =>
    typeof root === "string" && typeof key === "string" && Object.hasOwn(scope[root] ?? {}, key);
  if (options.lenient === true && !template.variables.every(isKnown)) {
    const isOne = /^\{\{(?:(?!\}\}).)*\}\}$/s.test(text);
    if (isOne || text.includes("{%")) return text;
    // Each expression by itself, as far as it is known.
    return text.replace(/\{\{.*?\}\}/gs, (part) => String(rendered(part, { scope, options, isText: true })));
  }
  return isText ? template.text(scope) : template.value(scope);
}
