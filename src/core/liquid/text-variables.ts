import { isRecord } from "../values/json.ts";

/** A variable that a text uses, and where. */
export interface TextVariable {
  /** Keys and positions; null for one that is computed when the text is rendered. */
  readonly path: readonly (string | number | null)[];
  /** True if the text does not need it: it has a `default`, or a condition tests it. */
  readonly isOptional: boolean;
  /** True for a list that a loop iterates over; what is read of its items is listed separately. */
  readonly isList: boolean;
  /** Both from 1. */
  readonly line: number;
  readonly column: number;
}

/** A token or a value of Liquid; what it has is looked at key by key. */
type LiquidPart = Readonly<Record<string, unknown>>;

type Path = TextVariable["path"];

/** The names that a text sets, with the path that each stands for; null if it is a value of its own. */
type Locals = ReadonlyMap<string, Path | null>;

/** The variables of a parsed text in their order. Names that the text sets itself are not among them. */
export function variablesIn(templates: readonly unknown[]): readonly TextVariable[] {
  const reader = new VariableReader();
  reader.templates(templates, new Map(), []);
  return reader.found;
}

class VariableReader {
  readonly found: TextVariable[] = [];

  /** `tested` are the paths that are there, because a condition around has tested them. Returns what is set. */
  templates(templates: readonly unknown[], before: Locals, tested: readonly Path[]): Locals {
    let locals = before;
    for (const template of templates) locals = this.#template(template as LiquidPart, locals, tested);
    return locals;
  }

  #template(template: LiquidPart, locals: Locals, tested: readonly Path[]): Locals {
    switch (template.name) {
      case "if":
      case "unless":
        return this.#branches(template, locals, tested);
      case "case":
        return this.#cases(template, locals, tested);
      case "for":
      case "tablerow":
        return this.#loop(template, locals, tested);
      case "assign":
        return this.#assign(template, locals, tested);
      default:
        return this.#other(template, locals, tested);
    }
  }

  #branches(tag: LiquidPart, before: Locals, tested: readonly Path[]): Locals {
    let locals = before;
    const isUnless = tag.name === "unless";
    let known = tested;
    for (const branch of list(tag.branches)) {
      const seen = this.#value(branch.value, locals, known, true);
      // What a condition mentions is tested for its branch; of `unless`, for what comes after.
      locals = this.templates(list(branch.templates), locals, isUnless ? known : [...known, ...seen]);
      if (isUnless) known = [...known, ...seen];
    }
    return this.templates(list(tag.elseTemplates), locals, known);
  }

  #cases(tag: LiquidPart, before: Locals, tested: readonly Path[]): Locals {
    const seen = this.#value(tag.value, before, tested, true);
    let locals = before;
    for (const branch of list(tag.branches)) {
      for (const value of list(branch.values ?? [])) this.#token(value, locals, { tested, isOptional: true });
      locals = this.templates(list(branch.templates), locals, [...tested, ...seen]);
    }
    return this.templates(list(tag.elseTemplates), locals, tested);
  }

  #loop(tag: LiquidPart, before: Locals, tested: readonly Path[]): Locals {
    const collection = pathOf(tag.collection, before);
    this.#token(tag.collection, before, { tested, isOptional: false, isList: true });
    for (const value of argumentsOf(tag)) if (value !== tag.collection) this.#value(value, before, tested);
    const inside = new Map(before);
    inside.set(String(tag.variable), collection === null ? null : [...collection, null]);
    inside.set("forloop", null);
    inside.set("tablerowloop", null);
    let locals = this.templates(list(tag.templates), inside, tested);
    locals = this.templates(list(tag.elseTemplates), locals, tested);
    const after = new Map(locals);
    for (const name of [String(tag.variable), "forloop", "tablerowloop"]) {
      const outer = before.get(name);
      if (outer === undefined) after.delete(name);
      else after.set(name, outer);
    }
    return after;
  }

  #assign(tag: LiquidPart, locals: Locals, tested: readonly Path[]): Locals {
    const [value] = argumentsOf(tag);
    this.#value(value, locals, tested);
    const set = new Map(locals);
    set.set(String(tag.key ?? tag.variable), null);
    return set;
  }

  #other(template: LiquidPart, before: Locals, tested: readonly Path[]): Locals {
    for (const value of argumentsOf(template)) this.#value(value, before, tested);
    const inside = this.templates(childrenOf(template), before, tested);
    const named = callOf(template, "localScope");
    if (named.length === 0) return inside;
    const set = new Map(inside);
    for (const name of named) set.set(String((name as LiquidPart).content), null);
    return set;
  }

  /** An expression with filters, or a bare token. Returns the paths that it mentions. */
  #value(value: unknown, locals: Locals, tested: readonly Path[], isTest = false): readonly Path[] {
    if (!isRecord(value)) return [];
    if (!isRecord(value.initial)) return this.#token(value, locals, { tested, isOptional: isTest });
    const filters = list(value.filters);
    const isOptional = isTest || filters.some(({ name }) => name === "default");
    const seen = list(value.initial.postfix).flatMap((token) =>
      this.#token(token, locals, { tested, isOptional }),
    );
    for (const { args } of filters)
      for (const argument of Array.isArray(args) ? args : [])
        this.#token(Array.isArray(argument) ? argument[1] : argument, locals, { tested, isOptional: isTest });
    return seen;
  }

  #token(
    token: unknown,
    locals: Locals,
    use: { readonly tested: readonly Path[]; readonly isOptional: boolean; readonly isList?: boolean },
  ): readonly Path[] {
    if (!isRecord(token)) return [];
    if (isRecord(token.lhs) || isRecord(token.rhs))
      return [...this.#token(token.lhs, locals, use), ...this.#token(token.rhs, locals, use)];
    if (isRecord(token.initial)) return this.#value(token, locals, use.tested, use.isOptional);
    const path = pathOf(token, locals);
    for (const inner of list(token.props).slice(1))
      if (Array.isArray(inner.props)) this.#token(inner, locals, { ...use, isList: false });
    if (path === null) return [];
    const isTested = use.tested.some((known) => known.length > 1 && startsWith(path, known.slice(0, 2)));
    const [line = 1, column = 1] = positionOf(token);
    const { isOptional, isList = false } = use;
    this.found.push({ path, isOptional: isOptional || isTested, isList, line, column });
    return [path];
  }
}

/** The path of a token, through names that stand for one; null if it is no variable, or a value that the text has set. */
function pathOf(token: unknown, locals: Locals): Path | null {
  if (!isRecord(token) || !Array.isArray(token.props) || token.props.length === 0) return null;
  const [root, ...rest] = token.props.map(keyOf);
  if (root === null || root === undefined) return null;
  const alias = locals.get(String(root));
  if (alias === null) return null;
  return alias === undefined ? [String(root), ...rest] : [...alias, ...rest];
}

function keyOf(prop: unknown): string | number | null {
  const content = isRecord(prop) && !Array.isArray(prop.props) ? prop.content : undefined;
  return typeof content === "string" || typeof content === "number" ? content : null;
}

function startsWith(path: Path, beginning: Path): boolean {
  return beginning.every((key, index) => path[index] === key);
}

function argumentsOf(template: LiquidPart): readonly unknown[] {
  return callOf(template, "arguments");
}

function childrenOf(template: LiquidPart): readonly unknown[] {
  // The children of tags without partials are there at once, as what the generator returns.
  const { children } = template as { readonly children?: (...options: boolean[]) => Iterator<unknown> };
  const result = typeof children === "function" ? children.call(template, false, true).next() : undefined;
  return list(result?.value);
}

function callOf(template: LiquidPart, method: "arguments" | "localScope"): readonly unknown[] {
  const found = (template as Record<string, unknown>)[method];
  return typeof found === "function" ? [...(found.call(template) as Iterable<unknown>)] : [];
}

function positionOf(token: LiquidPart): readonly number[] {
  const { getPosition } = token as { readonly getPosition?: () => readonly number[] };
  return typeof getPosition === "function" ? getPosition.call(token) : [];
}

function list(value: unknown): readonly LiquidPart[] {
  return Array.isArray(value) ? (value as readonly LiquidPart[]) : [];
}
