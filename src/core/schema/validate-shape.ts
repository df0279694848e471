import { isExpression } from "../liquid/text-template.ts";
import { looksLikeFunctionSource } from "../source/function-source.ts";
import { isRecord, typeName, type UnknownRecord } from "../values/json.ts";
import { listed } from "./format-issue.ts";
import type { Issue, ReportIssue } from "./issue.ts";
import { asNearest, nearestOf } from "./nearest-name.ts";
import type {
  EitherShape,
  LiteralShape,
  NumberShape,
  ObjectShape,
  RecordShape,
  Shape,
  VariantShape,
} from "./shape.ts";

/** Reports every place where `value` does not have the shape; true if there is none. */
export function validateShape(
  shape: Shape,
  value: unknown,
  path: (string | number)[],
  report: ReportIssue,
): boolean {
  const validator = new ShapeValidator(path, report);
  validator.validate(shape, value);
  return validator.clean;
}

class ShapeValidator {
  clean = true;
  /** One array for the whole walk, copied only when there is something to report. */
  readonly #path: (string | number)[];
  readonly #report: ReportIssue;

  constructor(path: (string | number)[], report: ReportIssue) {
    this.#path = path;
    this.#report = report;
  }

  validate(shape: Shape, value: unknown): void {
    switch (shape.kind) {
      case "string":
        if (typeof value !== "string") this.#wrongType(shape, value);
        else if (shape.nonEmpty && value.trim() === "") this.#problem("empty_value");
        else if (shape.expressionFor !== undefined && !isExpression(value)) this.#wrongType(shape, value);
        return;
      case "number":
        return this.#validateNumber(shape, value);
      case "boolean":
      case "null":
        if (typeName(value) !== shape.kind) this.#wrongType(shape, value);
        return;
      case "json":
        if (typeof value === "function") this.#wrongType(shape, value);
        return;
      case "checked":
        return;
      case "function":
        return this.#validateFunction(shape, value);
      case "literal":
        return this.#validateLiteral(shape, value);
      case "array":
        if (!Array.isArray(value)) return this.#wrongType(shape, value);
        if (shape.ifEmpty !== undefined && value.length === 0) return this.#problem(shape.ifEmpty);
        if (shape.items.kind !== "checked")
          for (let index = 0; index < value.length; index++)
            this.#validateAt(index, shape.items, value[index]);
        return;
      case "record":
        return this.#validateRecord(shape, value);
      case "object":
        return this.#validateObject(shape, value);
      case "variant":
        return this.#validateVariant(shape, value);
      case "either":
        return this.#validateEither(shape, value);
      case "reference":
        return this.validate(shape.shape(), value);
    }
  }

  #validateAt(key: string | number, shape: Shape, value: unknown): void {
    this.#path.push(key);
    this.validate(shape, value);
    this.#path.pop();
  }

  #validateNumber(shape: NumberShape, value: unknown): void {
    const fits =
      typeof value === "number" &&
      Number.isFinite(value) &&
      (!shape.integer || Number.isInteger(value)) &&
      (shape.minimum === undefined || value >= shape.minimum) &&
      (shape.exclusiveMinimum === undefined || value > shape.exclusiveMinimum);
    if (!fits) this.#wrongType(shape, value);
  }

  #validateFunction(shape: Shape, value: unknown): void {
    if (typeof value === "function") return;
    if (typeof value !== "string") return this.#wrongType(shape, value);
    if (!looksLikeFunctionSource(value)) this.#problem("invalid_source", { source: value });
  }

  #validateLiteral(shape: LiteralShape, value: unknown): void {
    if (shape.values.includes(value as never)) return;
    if (typeof value !== "string") return this.#wrongType(shape, value);
    const allowed = shape.values.map(String);
    this.#problem("unknown_value", { value, allowed, ...nearestOf(value, allowed) });
  }

  #validateRecord(shape: RecordShape, value: unknown): void {
    if (!isRecord(value)) return this.#wrongType(shape, value);
    const keys = Object.keys(value);
    if (shape.ifEmpty !== undefined && keys.length === 0) return this.#problem(shape.ifEmpty);
    const other = keys.find((key) => shape.otherForms?.has(key));
    if (other !== undefined) {
      this.#path.push(other);
      const message = `${JSON.stringify(other)} is written as ${shape.otherForms?.get(other)} here.`;
      this.#problem("invalid_parameter", { message });
      this.#path.pop();
      return;
    }
    if (shape.single && keys.length > 1) {
      const message = `Expected one key, got ${keys.length}; write a list with one object for each.`;
      return this.#problem("invalid_parameter", { message });
    }
    if (shape.values.kind !== "checked")
      for (const key of keys) this.#validateAt(key, shape.values, value[key]);
  }

  #validateObject(shape: ObjectShape, value: unknown): void {
    if (!isRecord(value)) {
      const expected = shape.owner + withKeys(shape);
      return this.#problem("wrong_type", { expected, received: receivedName(value) });
    }
    const before = this.clean;
    this.clean = true;
    const keys = Object.keys(value);
    // What a misspelt or misplaced key stands for is not missing. Most objects have none.
    let meant: Set<string | undefined> | undefined;
    for (const key of keys)
      if (shape.keys[key] === undefined) {
        meant ??= new Set();
        meant.add(this.#unknownKey(shape, key, { value: value[key], meant }));
      }
    for (const key of keys) {
      const keyShape = shape.keys[key];
      if (keyShape === undefined || (value[key] === null && meant?.has(key))) continue;
      this.#validateAt(key, keyShape, value[key]);
    }
    for (const key of shape.required) {
      if (Object.hasOwn(value, key) || meant?.has(key)) continue;
      const code = shape.ifMissing?.[key];
      if (code === undefined) this.#problem("missing_key", { key, owner: shape.owner });
      else this.#problem(code);
    }
    if (this.clean && shape.rule !== undefined) this.#applyRule(shape.rule, value);
    this.clean = this.clean && before;
  }

  #applyRule(rule: NonNullable<ObjectShape["rule"]>, value: UnknownRecord): void {
    rule(value, (key, problem) => {
      const path = key === null ? [...this.#path] : [...this.#path, key];
      this.clean = false;
      this.#report({ ...problem, path } as Issue);
    });
  }

  /** Reports the key and returns the key that it was probably meant to be, or to be in. */
  #unknownKey(
    shape: ObjectShape,
    key: string,
    { value, meant }: { readonly value: unknown; readonly meant: Set<string | undefined> },
  ): string | undefined {
    const keys = Object.keys(shape.keys);
    // In braces, YAML takes `source:ask` for a key: the space after the colon is missing.
    const [, before = "", after] = /^(\w+):(\S.*)$/.exec(key) ?? [];
    const unspaced = shape.keys[before] === undefined ? undefined : `${before}: ${after}`;
    const word = keys.find((known) => known === SYNONYMS.get(key)) ?? nearestOf(key, keys).nearest;
    const nearest = unspaced ?? word;
    const belongsIn = nearest === undefined ? placeFor(shape, key, value) : undefined;
    const isText = nearest === undefined && belongsIn === undefined && /\s/.test(key);
    const isNamed = !isText && nearest === undefined && belongsIn === undefined && keys.length <= MOST_NAMED;
    const others = keys.filter((other) => other !== "type");
    this.#path.push(key);
    this.#problem("unknown_key", {
      key,
      owner: shape.owner,
      ...asNearest(nearest),
      ...(isText ? { isText } : {}),
      ...(belongsIn === undefined ? {} : { belongsIn }),
      ...(isNamed && others.length > 0 ? { keys: others } : {}),
    });
    this.#path.pop();
    // Then nothing is known of the object.
    if (isText) for (const required of shape.required) meant.add(required);
    return unspaced === undefined ? (word ?? belongsIn) : before;
  }

  #validateVariant(shape: VariantShape, value: unknown): void {
    if (!isRecord(value)) {
      const expected = shape.owner + withTypes(shape);
      return this.#problem("wrong_type", { expected, received: receivedName(value) });
    }
    const type = Object.hasOwn(value, "type") ? value.type : undefined;
    if (type === undefined) return this.#problem("missing_key", { key: "type", owner: shape.owner });
    const variant =
      typeof type === "string" && Object.hasOwn(shape.variants, type) ? shape.variants[type] : undefined;
    if (variant !== undefined) return this.#validateObject(variant, value);
    this.#validateAt("type", { kind: "literal", values: Object.keys(shape.variants) }, type);
  }

  #validateEither(shape: EitherShape, value: unknown): void {
    const option = chooseOption(shape, value);
    if (option === undefined) this.#wrongType(shape, value);
    else this.validate(option, value);
  }

  #wrongType(shape: Shape, value: unknown): void {
    this.#problem("wrong_type", { expected: shapeName(shape), received: receivedName(value) });
  }

  #problem(code: Issue["code"], facts: object = {}): void {
    this.clean = false;
    this.#report({ code, path: [...this.#path], ...facts } as Issue);
  }
}

/** Words of other tools, and of everyday language, for keys of ours. */
const SYNONYMS: ReadonlyMap<string, string> = new Map([
  ["from", "source"],
  ["to", "target"],
  ["if", "when"],
  ["condition", "when"],
  ["answer", "rawAnswer"],
  ["start", "entry"],
  ["text", "question"],
  ["prompt", "question"],
  ["message", "text"],
  ["content", "text"],
  ["correct", "right"],
  ["incorrect", "wrong"],
  ["else", "otherwise"],
  ["default", "otherwise"],
  ["unreadable", "unread"],
  ["tolerance", "within"],
]);

/** The key of an object whose value should have this key: people indent a line too little. */
function placeFor({ keys }: ObjectShape, key: string, value: unknown): string | undefined {
  return Object.keys(keys).find((name) => {
    const inner = resolved(keys[name] as Shape);
    if (inner.kind === "object") return inner.keys[key] !== undefined;
    if (inner.kind !== "record" || !isRecord(value)) return false;
    const { values } = inner;
    const item = resolved(values.kind === "checked" && values.as !== undefined ? values.as : values);
    if (item.kind === "object")
      return item.required.length > 0 && item.required.every((needed) => Object.hasOwn(value, needed));
    return (
      item.kind === "variant" && typeof value.type === "string" && Object.hasOwn(item.variants, value.type)
    );
  });
}

/** The most keys that a sentence lists; the reference of the format has all of them. */
const MOST_NAMED = 8;

/** What an object must have, or else may have, for a person who wrote something else in its place. */
function withKeys({ required, keys }: ObjectShape): string {
  const named = (required.length > 0 ? [...required] : Object.keys(keys)).map((key) => JSON.stringify(key));
  return named.length === 0 || named.length > MOST_NAMED
    ? ""
    : ` with ${listed(named, required.length > 0 ? "and" : "or")}`;
}

function withTypes({ variants }: VariantShape): string {
  const types = Object.keys(variants).map((type) => JSON.stringify(type));
  return ` with "type"${types.length > MOST_NAMED ? "" : `: ${listed(types)}`}`;
}

const LONGEST_TEXT = 60;

/** What a sentence calls a value that is not what was expected: the value itself, where it is short. */
export function receivedName(value: unknown): string {
  switch (typeof value) {
    case "number":
      return `the number ${value}`;
    case "boolean":
      return String(value);
    case "string":
      return `the text ${JSON.stringify(value.length > LONGEST_TEXT ? `${value.slice(0, LONGEST_TEXT)}…` : value)}`;
    case "object":
      return value === null ? "null" : Array.isArray(value) ? "a list" : "an object";
    case "undefined":
      return "nothing";
    default:
      return `a ${typeof value}`;
  }
}

/** The alternative that a value is meant to be, so that its own mistakes can be named. */
function chooseOption(shape: EitherShape, value: unknown): Shape | undefined {
  let candidate: Shape | undefined;
  for (const option of shape.options) {
    const fit = optionFit(resolved(option), value);
    if (fit === "exactly") return option;
    if (fit === "by kind") candidate ??= option;
  }
  return candidate;
}

function optionFit(shape: Shape, value: unknown): "exactly" | "by kind" | "no" {
  switch (shape.kind) {
    case "checked":
      return "exactly";
    case "json":
      return typeof value === "function" ? "no" : "exactly";
    case "literal":
      return shape.values.includes(value as never) ? "exactly" : byKind(typeof value === "string");
    case "function":
      if (typeof value === "string") return looksLikeFunctionSource(value) ? "exactly" : "by kind";
      return typeof value === "function" ? "exactly" : "no";
    case "variant":
      return isRecord(value) && Object.hasOwn(value, "type") ? "exactly" : "no";
    case "object":
    case "record":
      return byKind(isRecord(value));
    case "either":
      return byKind(chooseOption(shape, value) !== undefined);
    default:
      return byKind(typeName(value) === shape.kind);
  }
}

function byKind(fits: boolean): "by kind" | "no" {
  return fits ? "by kind" : "no";
}

function resolved(shape: Shape): Shape {
  return shape.kind === "reference" ? resolved(shape.shape()) : shape;
}

/** What a sentence calls a value of this shape: `an integer from 1 and up`, `an edge`. */
function shapeName(shape: Shape): string {
  switch (shape.kind) {
    case "string":
      return shape.expressionFor === undefined
        ? "text"
        : `${shape.expressionFor}, or an expression such as {{ row.n }}`;
    case "number":
      return numberName(shape);
    case "boolean":
      return "true or false";
    case "null":
      return "null";
    case "json":
    case "checked":
      return "plain data";
    case "function":
      return "a function";
    case "literal":
      return shape.values.map((value) => JSON.stringify(value)).join(" or ");
    case "array":
      return "a list";
    case "record":
      return "an object";
    case "object":
    case "variant":
      return shape.owner;
    case "either":
      return shape.owner ?? [...new Set(shape.options.map(shapeName))].join(" or ");
    case "reference":
      return shapeName(shape.shape());
  }
}

function numberName(shape: NumberShape): string {
  const name = shape.integer ? "an integer" : "a number";
  if (shape.exclusiveMinimum !== undefined) return `${name} above ${shape.exclusiveMinimum}`;
  return shape.minimum === undefined ? name : `${name} from ${shape.minimum} and up`;
}
