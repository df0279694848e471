import { defaultCheck } from "../../../core/checks/shorthand.ts";
import { type Composed, isComposition } from "../../../core/logic/composition.ts";
import {
  isMeasure,
  type Measure,
  type NodeFilter,
  type OutcomeLeaf,
  type ResultCheck,
  type TurnCheck,
} from "../../../core/outcomes/outcome-check.ts";
import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { isRecord, type JsonObject, type JsonValue } from "../../../core/values/json.ts";
import {
  type Compared,
  type Comparison,
  longForm,
  mapComposition,
  NEVER,
  shortValue,
  translateComparison,
  type ValueType,
} from "./comparison.ts";
import {
  type Note,
  NotTranslatable,
  type Primitive,
  patternHere,
  refuseHeader,
  snakeCase,
  toCheck,
  writeComparison,
  writeNormalizers,
  writePattern,
} from "./primitives.ts";
import { TRACE_HEADER } from "./python-patterns.ts";
import type { ScenarioNames } from "./scenario-names.ts";
import { pythonNames } from "./template-text.ts";

const COMPARISONS: ReadonlySet<unknown> = new Set("eq neq contains gt gte lt lte".split(" "));

const STRING: ValueType = { type: "string" };

const TURN_FIELDS: Readonly<Record<string, ValueType>> = {
  ...{ verify_result: { type: "boolean" }, node_id: STRING, raw_response: STRING, question_text: STRING },
};

const RESULT_FIELDS: Readonly<Record<string, ValueType>> = {
  ...{ status: STRING, turn_count: { type: "integer" }, path: { type: "array", items: { type: "string" } } },
};

/** The check of an outcome as a file has it: an assertion, a number, or the source of a function. Throws `NotTranslatable`. */
export function translateOutcome(check: JsonValue | undefined, names: ScenarioNames, note: Note): JsonValue {
  return new OutcomeReader(names, note).check(check, true);
}

class OutcomeReader {
  readonly #names: ScenarioNames;
  readonly #note: Note;

  constructor(names: ScenarioNames, note: Note) {
    this.#names = names;
    this.#note = note;
  }

  check(data: JsonValue | undefined, isWhole = false): JsonValue {
    if (!isRecord(data) || typeof data.type !== "string")
      throw new NotTranslatable("an outcome needs a check with a type");
    const check = data as JsonObject;
    // The names of classes are written; those in snake case are read as well.
    const type = snakeCase(data.type);
    switch (type) {
      case "turn_check":
        return this.#turnCheck(check);
      case "result_check":
        return this.#resultCheck(check);
      case "cross_turn_check":
        return this.#crossTurnCheck(check, isWhole);
      case "count_turns":
      case "first_match_index": {
        if (!isWhole) throw new NotTranslatable("a number inside a composition has no counterpart");
        const node = this.#filter(check.node_id);
        if (node === null) return type === "count_turns" ? "() => 0" : "() => -1";
        const verdict = typeof check.verify_result === "boolean" ? { verifyResult: check.verify_result } : {};
        return { type, ...node, ...verdict };
      }
      case "all_of":
      case "any_of":
      case "at_least_n": {
        if (!Array.isArray(check.conditions))
          throw new NotTranslatable("a composition needs a list of conditions");
        const conditions = check.conditions.map((part) => this.check(part as JsonValue));
        return { type, ...(type === "at_least_n" ? { n: check.n ?? null } : {}), conditions };
      }
    }
    throw new NotTranslatable(`${data.type} is not a check that karenina has`);
  }

  #turnCheck(check: JsonObject): JsonObject {
    const scope = this.#scope(check.scope);
    if (scope === null) return NEVER;
    const field = String(check.field);
    const compared = this.#compare(field, this.#typeOf(field), check);
    if (scope.type === "all_turns" && isComposition(compared))
      throw new NotTranslatable(`${field} of all turns would need several comparisons at once`);
    return mapComposition(compared, (comparison) => ({
      type: "turn_check",
      scope,
      field: fieldHere(field),
      ...outcomeForm(comparison),
    }));
  }

  #resultCheck(check: JsonObject): JsonObject {
    const field = String(check.field);
    const type = Object.hasOwn(RESULT_FIELDS, field) ? RESULT_FIELDS[field] : undefined;
    if (type === undefined) throw new NotTranslatable(`${field} of a result has no counterpart`);
    return mapComposition(this.#compare(field, type, check), (comparison) => ({
      type: "result_check",
      field,
      ...outcomeForm(comparison),
    }));
  }

  #typeOf(field: string): ValueType {
    if (Object.hasOwn(TURN_FIELDS, field)) return TURN_FIELDS[field] as ValueType;
    if (!field.startsWith("parsed.")) throw new NotTranslatable(`${field} of a turn has no counterpart`);
    return this.#names.fieldAnywhere(field.slice("parsed.".length));
  }

  #compare(field: string, type: ValueType, { expected = null, verify_with }: JsonObject): Compared {
    if (!isRecord(verify_with) || typeof verify_with.type !== "string")
      throw new NotTranslatable("a check needs a comparison (verify_with)");
    const primitive = verify_with as Primitive;
    const note: Note = (message) => this.#note(`${field}: ${message}`);
    const idHere = (id: JsonValue): JsonValue => this.#names.node(String(id))?.id ?? id;
    if (field === "raw_response") return compareTrace(primitive, expected, note);
    if (field === "node_id")
      return translateComparison(type, { primitive, expected: idHere(expected) }, note);
    if (field === "path" && Array.isArray(expected))
      return translateComparison(type, { primitive, expected: expected.map(idHere) }, note);
    return translateComparison(type, { primitive, expected }, note);
  }

  #crossTurnCheck(check: JsonObject, isWhole: boolean): JsonValue {
    const { comparison, normalize } = check;
    const sourceTurn = this.#scope(check.source_turn);
    const targetTurn = this.#scope(check.target_turn);
    const isSeveral = [sourceTurn, targetTurn].some((scope) => /^(?:any|all)_/.test(scope?.type ?? ""));
    if (sourceTurn === null || targetTurn === null || isSeveral) {
      this.#note("a comparison of two turns over any or all turns is false upstream");
      return NEVER;
    }
    if (!COMPARISONS.has(comparison))
      throw new NotTranslatable(`the comparison ${String(comparison)} is not known`);
    const [source, target] = [String(check.source_field), String(check.target_field)] as const;
    const types = [source, target].map((field) => this.#typeOf(field).type);
    const isEquality = comparison === "eq" || comparison === "neq";
    if (types.some((type) => type === "array" || type === "any") && !isEquality)
      this.#note(`${source}, ${target}: upstream compares texts, here lists and numbers keep their type`);
    const steps = Array.isArray(normalize) && normalize.length > 0 ? { normalize } : {};
    if (source === "raw_response" && target === "raw_response" && comparison === "contains") {
      if (!isWhole || "normalize" in steps)
        throw new NotTranslatable("a reply that contains another one has no counterpart here");
      return startsWith(sourceTurn, targetTurn);
    }
    if ((source === "raw_response") !== (target === "raw_response"))
      throw new NotTranslatable("upstream compares a reply together with its header");
    return {
      type: "cross_turn_check",
      sourceTurn,
      sourceField: fieldHere(source),
      targetTurn,
      targetField: fieldHere(target),
      comparison: comparison as JsonValue,
      ...steps,
    };
  }

  /** A scope here; null if no turn can be in it. */
  #scope(data: JsonValue | undefined): (JsonObject & { readonly type: string }) | null {
    const { type, index, node_id } = isRecord(data) ? (data as JsonObject) : {};
    // Older files have the names of the classes.
    const name = snakeCase(String(type));
    if (name === "first_turn" || name === "last_turn") return { type: name };
    if (name === "turn_at") return { type: name, index: index ?? 0 };
    if (name !== "any_turn" && name !== "all_turns")
      throw new NotTranslatable(`the scope ${String(type)} is not known`);
    const node = this.#filter(node_id);
    return node === null ? null : { type: name, ...node };
  }

  /** Which nodes are meant: nothing for all, null if none of them exists. */
  #filter(ids: JsonValue | undefined): { readonly node?: JsonValue } | null {
    if (ids === undefined || ids === null) return {};
    const named = Array.isArray(ids) ? ids.map(String) : [String(ids)];
    const existing = named.flatMap((id) => this.#names.node(id)?.id ?? []);
    if (existing.length < named.length)
      this.#note(`of the nodes ${named.join(", ")}, those that do not exist were left out`);
    if (existing.length === 0) return null;
    return { node: Array.isArray(ids) ? existing : (existing[0] as string) };
  }
}

/** Upstream's text of a reply begins with a header, ours does not. */
function compareTrace(primitive: Primitive, expected: JsonValue, note: Note): Compared {
  switch (primitive.type) {
    case "RegexMatch": {
      const flags = Array.isArray(primitive.flags) ? primitive.flags.map(String) : [];
      const own = patternHere(primitive.pattern, { flags, seesHeader: true }, note);
      return { check: { type: "regex_match", ...own }, expected: null };
    }
    case "ContainsAny":
    case "ContainsAll": {
      const { substrings, normalize = [] } = primitive;
      const steps = Array.isArray(normalize) ? normalize : [normalize];
      if (!Array.isArray(substrings) || steps.some((step) => step !== "lowercase"))
        throw new NotTranslatable("it needs a list of texts, and no normaliser but lowercase");
      const fold = (text: string): string => (steps.length > 0 ? text.toLowerCase() : text);
      for (const text of substrings) refuseHeader(fold(String(text)), fold(TRACE_HEADER));
      return { check: toCheck(primitive, note), expected: null };
    }
    case "ExactMatch":
    case "LiteralMatch":
      if (typeof expected === "string" && expected.startsWith(TRACE_HEADER))
        return translateComparison(
          STRING,
          { primitive, expected: expected.slice(TRACE_HEADER.length) },
          note,
        );
  }
  throw new NotTranslatable(`upstream compares a reply together with its header by ${primitive.type}`);
}

function fieldHere(field: string): string {
  return field === "raw_response" ? "reply" : field;
}

/** The parts of a check, without a comparison that follows from what is expected. */
function outcomeForm(comparison: Comparison): JsonObject {
  const short = shortValue(comparison);
  const isDefault = typeof short === "boolean" || typeof short === "string" || typeof short === "number";
  return isDefault ? { expected: short } : longForm(comparison);
}

/** With the header before both, a text that contains another one begins with it. */
function startsWith(source: JsonObject, target: JsonObject): string {
  const turn = ({ type, index }: JsonObject): string =>
    `turns.at(${type === "first_turn" ? 0 : type === "last_turn" ? -1 : Number(index)})`;
  return `({ turns }) => ${turn(source)} !== undefined && ${turn(target)} !== undefined && ${turn(target)}.reply.startsWith(${turn(source)}.reply)`;
}

const COMPOSITIONS = { all_of: "AllOf", any_of: "AnyOf", at_least_n: "AtLeastN" } as const;

/** The check of an outcome in karenina's words. Throws `NotTranslatable`. */
export function writeOutcome(
  check: Composed<OutcomeLeaf> | Measure,
  nodes: ScenarioDefinition["nodes"],
  note: Note,
): JsonObject {
  if (isMeasure(check)) {
    if (check.type !== "count_turns" && check.type !== "first_match_index")
      throw new NotTranslatable(`${check.type} has no counterpart`);
    if (check.where !== undefined) throw new NotTranslatable("where has no counterpart");
    return {
      type: check.type === "count_turns" ? "CountTurns" : "FirstMatchIndex",
      node_id: nodesOf(check.node),
      verify_result: check.verifyResult ?? null,
    };
  }
  if (isComposition(check)) {
    if (check.type === "not") throw new NotTranslatable("not in an outcome has no counterpart");
    const conditions = check.conditions.map((part) => writeOutcome(part, nodes, note));
    const count = check.type === "at_least_n" ? { n: check.n } : {};
    return { type: COMPOSITIONS[check.type], ...count, conditions };
  }
  switch (check.type) {
    case "turn_check": {
      const field = writeField(check.field, nodes);
      return {
        type: "TurnCheck",
        scope: writeScope(check.scope, note),
        field,
        ...writeExpected(check, field === "raw_response"),
      };
    }
    case "result_check":
      if (!Object.hasOwn(RESULT_FIELDS, check.field))
        throw new NotTranslatable(`${check.field} has no counterpart`);
      return { type: "ResultCheck", field: check.field, ...writeExpected(check, false) };
    case "cross_turn_check":
      return {
        type: "CrossTurnCheck",
        source_turn: writeScope(check.sourceTurn, note),
        source_field: writeField(check.sourceField, nodes),
        target_turn: writeScope(check.targetTurn, note),
        target_field: writeField(check.targetField, nodes),
        comparison: check.comparison,
        normalize: writeNormalizers(check.normalize ?? []),
      };
    default:
      throw new NotTranslatable(`${check.type} has no counterpart`);
  }
}

function writeScope(scope: TurnCheck["scope"], note: Note): JsonObject {
  switch (scope.type) {
    case "first_turn":
    case "last_turn":
    case "turn_at":
      return { ...scope };
    case "any_turn":
    case "all_turns":
      if (scope.type === "all_turns")
        note("upstream takes an unreadable turn for a wrong one, here it leaves the outcome open");
      return { type: scope.type, node_id: nodesOf(scope.node) };
    default:
      throw new NotTranslatable("this scope has no counterpart");
  }
}

function nodesOf(filter: NodeFilter | undefined): JsonValue {
  return filter === undefined ? null : typeof filter === "string" ? filter : [...filter];
}

function writeField(field: string, nodes: ScenarioDefinition["nodes"]): string {
  const upstream = field === "reply" ? "raw_response" : field;
  if (Object.hasOwn(TURN_FIELDS, upstream)) return upstream;
  const [root, name = "", ...more] = field.split(".");
  const templates = Object.values(nodes).flatMap(({ question }) => question.template ?? []);
  const own = templates.flatMap((template) => pythonNames(template).get(name) ?? [])[0];
  if (root !== "parsed" || own === undefined || more.length > 0)
    throw new NotTranslatable(`${field} has no counterpart`);
  return `parsed.${own}`;
}

/** What is expected, and how it is compared; upstream's text of a reply begins with a header. */
function writeExpected(
  { expected = null, verifyWith = defaultCheck(expected) }: TurnCheck | ResultCheck,
  isTrace: boolean,
): JsonObject {
  if (isTrace && verifyWith.type === "regex_match") {
    const written = writePattern(verifyWith.pattern, verifyWith.flags, true);
    return { expected: null, verify_with: { type: "RegexMatch", ...written } };
  }
  const isWhole = isTrace && (verifyWith.type === "exact_match" || verifyWith.type === "literal_match");
  const { verify_with, expected: value } = writeComparison(
    verifyWith,
    isWhole ? `${TRACE_HEADER}${String(expected)}` : expected,
  );
  return { expected: value, verify_with };
}
