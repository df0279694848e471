import type { Check } from "../../../core/checks/check.ts";
import { DEFAULT_NORMALIZERS } from "../../../core/checks/normalize.ts";
import { defaultCheck } from "../../../core/checks/shorthand.ts";
import { type Composed, isComposition } from "../../../core/logic/composition.ts";
import type {
  CrossTurnCheck,
  Measure,
  NodeFilter,
  OutcomeLeaf,
  ResultCheck,
  TurnCheck,
} from "../../../core/outcomes/outcome-check.ts";
import { isMeasure } from "../../../core/outcomes/outcome-check.ts";
import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import type { Template } from "../../../core/templates/template.ts";
import type { JsonObject, JsonValue } from "../../../core/values/json.ts";
import { type Note, NotTranslatable, PRIMITIVES, type Primitive } from "./primitives.ts";
import { pythonPattern } from "./python-regex.ts";
import { KEYWORDS } from "./python-tokens.ts";
import { TRACE_HEADER } from "./trace-header.ts";

/** A comparison in karenina's words. */
export interface WrittenComparison {
  readonly verify_with: Primitive;
  readonly expected: JsonValue;
}

const CLASSES: ReadonlyMap<string, string> = new Map(
  Object.entries(PRIMITIVES).map(([name, { check }]) => [check, name]),
);

/** The primitive that means the same as a check with what it expects. Throws `NotTranslatable`. */
export function writeComparison(check: Check, expected: JsonValue): WrittenComparison {
  switch (check.type) {
    case "is_null":
      return { verify_with: { type: "LiteralMatch" }, expected: null };
    case "one_of": {
      // Upstream has no such check: synonyms take every value to the first of them.
      const values = check.values.map(String);
      const [first] = values;
      if (first === undefined) throw new NotTranslatable("one_of without values");
      const steps = check.normalize ?? DEFAULT_NORMALIZERS;
      const mapping = Object.fromEntries(
        values.map((value) => [normalized(value, steps), normalized(first, steps)]),
      );
      return {
        verify_with: { type: "ExactMatch", normalize: [...written(steps), { mapping }] },
        expected: first,
      };
    }
    default:
      return { verify_with: writeCheck(check), expected };
  }
}

/** Only the steps that texts of values can need to be looked up by a synonym map. */
function normalized(text: string, steps: readonly unknown[]): string {
  let result = text;
  for (const step of steps) {
    if (step === "lowercase") result = result.toLowerCase();
    else if (step === "strip") result = result.trim();
    else throw new NotTranslatable("one_of with these normalisers has no counterpart");
  }
  return result;
}

/** The class of a check, with its parameters in karenina's names. */
function writeCheck(check: Check): Primitive {
  const { type, ...parameters } = check as Check & JsonObject;
  const name = CLASSES.get(type);
  if (name === undefined) throw new NotTranslatable(`the check ${type} has no counterpart`);
  const own = PRIMITIVES[name] as (typeof PRIMITIVES)[string];
  const entries = Object.entries(own.parameters).flatMap(([key, { name: here }]) => {
    const value = (parameters as JsonObject)[here];
    return value === undefined || value === null
      ? []
      : [[key, REWRITES[name]?.[key]?.(value, parameters) ?? value]];
  });
  return { type: name, ...EXTRAS[name]?.(parameters), ...Object.fromEntries(entries) };
}

type Rewrite = (value: JsonValue, parameters: JsonObject) => JsonValue;

const NORMALIZE: Rewrite = (value) => written(value as readonly unknown[]);

/** Parameters that need more than another name. */
const REWRITES: Readonly<Record<string, Readonly<Record<string, Rewrite>>>> = {
  ExactMatch: { normalize: NORMALIZE },
  OrderedMatch: { normalize: NORMALIZE },
  ContainsAny: { normalize: NORMALIZE },
  ContainsAll: { normalize: NORMALIZE },
  RegexMatch: {
    pattern: (value, { flags }) => patternOf(value, typeof flags === "string" ? flags : ""),
    flags: (value) => [...String(value)].map((flag) => FLAG_NAMES[flag] ?? flag),
  },
  TraceRegex: { pattern: (value) => patternOf(value, "", true) },
  TraceLength: { min: withHeader, max: withHeader },
  DateMatch: { format: (value) => strptimeFormat(String(value)) },
  DateRange: { max: (value) => String(value).replace(/T00:00:00$/, "") },
};

/** Parameters that upstream needs and ours leave to the default of another name. */
const EXTRAS: Readonly<Record<string, (parameters: JsonObject) => JsonObject>> = {
  DateRange: ({ max }) => {
    if (typeof max === "string" && /^\d{4}-\d{2}-\d{2}$/.test(max))
      throw new NotTranslatable("a maximum that includes the whole day has no counterpart; write a time");
    return {};
  },
};

const FLAG_NAMES: Readonly<Record<string, string>> = { i: "IGNORECASE", m: "MULTILINE", s: "DOTALL" };

function patternOf(value: JsonValue, flags: string, seesHeader = false): string {
  const result = pythonPattern(String(value), { flags, seesHeader });
  if (typeof result === "string") return result;
  throw new NotTranslatable(`the pattern ${JSON.stringify(value)}: ${result.problem}`);
}

function withHeader(value: JsonValue, { unit }: JsonObject): JsonValue {
  const header = unit === "words" ? TRACE_HEADER.trim().split(/\s+/).length : TRACE_HEADER.length;
  return Number(value) + header;
}

/** Normalisers in karenina's names; `unicode` has none. */
export function written(steps: readonly unknown[]): JsonValue[] {
  return steps.map((step) => {
    if (step === "unicode") throw new NotTranslatable("the normaliser unicode has no counterpart");
    if (typeof step === "string") return step;
    const { synonyms, mapping } = step as { readonly synonyms?: JsonObject; readonly mapping?: JsonObject };
    return { mapping: (synonyms ?? mapping) as JsonObject };
  });
}

const DIRECTIVES: Readonly<Record<string, string>> = {
  yyyy: "%Y",
  yy: "%y",
  MMMM: "%B",
  MMM: "%b",
  MM: "%m",
  dd: "%d",
  HH: "%H",
  mm: "%M",
  ss: "%S",
};

function strptimeFormat(format: string): string {
  return format.replace(/'([^']*)'|([a-zA-Z])\2*/g, (token, quoted?: string) => {
    if (quoted !== undefined) return quoted;
    const directive = DIRECTIVES[token];
    if (directive === undefined) throw new NotTranslatable(`the date token ${token} has no counterpart`);
    return directive;
  });
}

const COMPOSITIONS = { all_of: "AllOf", any_of: "AnyOf", at_least_n: "AtLeastN" } as const;
const RESULT_FIELDS: ReadonlySet<string> = new Set(["status", "turn_count", "path"]);
const TURN_FIELDS: Readonly<Record<string, string>> = {
  node_id: "node_id",
  verify_result: "verify_result",
  reply: "raw_response",
  raw_response: "raw_response",
  question_text: "question_text",
};

/** Writes the checks of outcomes in karenina's words. Throws `NotTranslatable`. */
export class OutcomeWriter {
  readonly #definition: ScenarioDefinition;
  readonly #note: Note;

  constructor(definition: ScenarioDefinition, note: Note) {
    this.#definition = definition;
    this.#note = note;
  }

  write(check: Composed<OutcomeLeaf> | Measure): JsonObject {
    if (isMeasure(check)) return this.#measure(check);
    if (isComposition(check)) {
      if (check.type === "not") throw new NotTranslatable("not in an outcome has no counterpart");
      const conditions = check.conditions.map((part) => this.write(part));
      return {
        type: COMPOSITIONS[check.type],
        ...(check.type === "at_least_n" ? { n: check.n } : {}),
        conditions,
      };
    }
    switch (check.type) {
      case "turn_check":
        return this.#turnCheck(check);
      case "result_check":
        return this.#resultCheck(check);
      case "cross_turn_check":
        return this.#crossTurn(check);
      default:
        throw new NotTranslatable(`${check.type} has no counterpart`);
    }
  }

  #measure(measure: Measure): JsonObject {
    if (measure.type !== "count_turns" && measure.type !== "first_match_index")
      throw new NotTranslatable(`${measure.type} has no counterpart`);
    if (measure.where !== undefined) throw new NotTranslatable("where has no counterpart");
    return {
      type: measure.type === "count_turns" ? "CountTurns" : "FirstMatchIndex",
      node_id: nodesOf(measure.node),
      verify_result: measure.verifyResult ?? null,
    };
  }

  #turnCheck(check: TurnCheck): JsonObject {
    const field = this.#field(check.field);
    const { expected, verify_with } = field === "raw_response" ? traceComparison(check) : comparisonOf(check);
    return { type: "TurnCheck", scope: this.#scope(check.scope), field, expected, verify_with };
  }

  #resultCheck(check: ResultCheck): JsonObject {
    if (!RESULT_FIELDS.has(check.field)) throw new NotTranslatable(`${check.field} has no counterpart`);
    return { type: "ResultCheck", field: check.field, ...comparisonOf(check) };
  }

  #crossTurn(check: CrossTurnCheck): JsonObject {
    return {
      type: "CrossTurnCheck",
      source_turn: this.#scope(check.sourceTurn),
      source_field: this.#field(check.sourceField),
      target_turn: this.#scope(check.targetTurn),
      target_field: this.#field(check.targetField),
      comparison: check.comparison,
      normalize: written(check.normalize ?? []),
    };
  }

  #scope(scope: TurnCheck["scope"]): JsonObject {
    switch (scope.type) {
      case "first_turn":
      case "last_turn":
        return { type: scope.type };
      case "turn_at":
        return { type: scope.type, index: scope.index };
      case "any_turn":
      case "all_turns":
        if (scope.type === "all_turns")
          this.#note("upstream takes an unreadable turn for a wrong one, here it leaves the outcome open");
        return { type: scope.type, node_id: nodesOf(scope.node) };
      default:
        throw new NotTranslatable("this scope has no counterpart");
    }
  }

  #field(field: string): string {
    const known = Object.hasOwn(TURN_FIELDS, field) ? TURN_FIELDS[field] : undefined;
    if (known !== undefined) return known;
    const [root, name = "", ...more] = field.split(".");
    if (root !== "parsed" || name === "" || more.length > 0)
      throw new NotTranslatable(`${field} has no counterpart`);
    const names = this.#definition.nodeIds.flatMap((id) => {
      const template = this.#definition.nodes[id]?.question.template;
      return template === undefined ? [] : (pythonNames(template).get(name) ?? []);
    });
    return `parsed.${names[0] ?? name}`;
  }
}

function nodesOf(filter: NodeFilter | undefined): JsonValue {
  return filter === undefined ? null : typeof filter === "string" ? filter : [...filter];
}

function comparisonOf({ expected = null, verifyWith }: TurnCheck | ResultCheck): JsonObject {
  return { ...writeComparison(verifyWith ?? defaultCheck(expected), expected) };
}

/** Upstream's text of a reply begins with a header. */
function traceComparison(check: TurnCheck): WrittenComparison {
  const { expected = null, verifyWith = defaultCheck(expected) } = check;
  if (verifyWith.type === "regex_match") {
    const pattern = pythonPattern(verifyWith.pattern, { flags: verifyWith.flags ?? "", seesHeader: true });
    if (typeof pattern !== "string") throw new NotTranslatable(pattern.problem);
    const { verify_with } = writeComparison({ ...verifyWith, pattern: "" }, null);
    return { verify_with: { ...verify_with, pattern }, expected: null };
  }
  if (verifyWith.type !== "exact_match" && verifyWith.type !== "literal_match")
    return writeComparison(verifyWith, expected);
  return writeComparison(verifyWith, `${TRACE_HEADER}${String(expected)}`);
}

/** How a template's fields are called upstream. */
export type FieldNames = ReadonlyMap<string, string>;

const IDENTIFIER = /^[A-Za-z][A-Za-z0-9_]*$/;
const TAKEN: ReadonlySet<string> = new Set(["id", "correct", "regex", "model_config", ...KEYWORDS]);

/** Names that Python allows for the fields of a template. */
export function pythonNames(template: Template): FieldNames {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const name of Object.keys(template.fields)) {
    const plain = name.replace(/[^A-Za-z0-9_]/g, "_").replace(/^[_0-9]+/, "");
    const base = IDENTIFIER.test(name) && !TAKEN.has(name) ? name : `${plain === "" ? "field" : plain}_`;
    let free = base;
    for (let count = 2; taken.has(free); count++) free = `${base}${count}`;
    taken.add(free);
    names.set(name, free);
  }
  return names;
}
