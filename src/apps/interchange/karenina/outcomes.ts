import type { Check } from "../../../core/checks/check.ts";
import { evaluateCheck } from "../../../core/checks/evaluate-check.ts";
import { NORMALIZERS_SHAPE, normalizer } from "../../../core/checks/normalize.ts";
import { validateShape } from "../../../core/schema/validate-shape.ts";
import { isRecord, type JsonObject, type JsonValue } from "../../../core/values/json.ts";
import {
  type Comparison,
  longForm,
  mapComposition,
  NEVER,
  translateComparison,
  type ValueType,
} from "./comparison.ts";
import type { ScenarioNames } from "./conditions.ts";
import {
  isTruthy,
  type Note,
  NotTranslatable,
  type Primitive,
  patternAndFlags,
  patternHere,
  toCheck,
} from "./primitives.ts";
import { TRACE_HEADER } from "./trace-header.ts";

/** The check of an outcome as a file has it: an assertion, a number, or the source of a function. */
export function translateOutcome(check: JsonValue | undefined, names: ScenarioNames, note: Note): JsonValue {
  return new OutcomeTranslator(names, note).check(check, true);
}

const SNAKE: Readonly<Record<string, string>> = {
  TurnCheck: "turn_check",
  ResultCheck: "result_check",
  CrossTurnCheck: "cross_turn_check",
  CountTurns: "count_turns",
  FirstMatchIndex: "first_match_index",
  AllOf: "all_of",
  AnyOf: "any_of",
  AtLeastN: "at_least_n",
};

const ALWAYS_TRUE: JsonObject = { type: "all_of", conditions: [] };

const COMPARISONS: ReadonlySet<JsonValue | undefined> = new Set("eq neq contains gt gte lt lte".split(" "));

class OutcomeTranslator {
  readonly #names: ScenarioNames;
  readonly #note: Note;

  constructor(names: ScenarioNames, note: Note) {
    this.#names = names;
    this.#note = note;
  }

  check(data: JsonValue | undefined, isWhole = false): JsonValue {
    if (!isRecord(data) || typeof data.type !== "string")
      throw new NotTranslatable("an outcome needs a check with a type");
    const check = data as JsonObject & { readonly type: string };
    switch (SNAKE[check.type] ?? check.type) {
      case "turn_check":
        return this.#turnCheck(check);
      case "result_check":
        return this.#resultCheck(check);
      case "cross_turn_check": {
        const translated = this.#crossTurnCheck(check);
        if (!isWhole && typeof translated === "string")
          throw new NotTranslatable("a reply that contains another one cannot be part of a composition");
        return translated;
      }
      case "count_turns":
      case "first_match_index":
        if (isWhole) return this.#measure(check);
        this.#note("a number inside a composition is false upstream");
        return NEVER;
      case "all_of":
        return { type: "all_of", conditions: this.#parts(check) };
      case "any_of":
        return { type: "any_of", conditions: this.#parts(check) };
      case "at_least_n":
        return { type: "at_least_n", n: check.n ?? null, conditions: this.#parts(check) };
      default:
        throw new NotTranslatable(`${check.type} is not a check that karenina has`);
    }
  }

  #parts({ conditions }: JsonObject): JsonValue[] {
    if (!Array.isArray(conditions)) throw new NotTranslatable("a composition needs a list of conditions");
    return conditions.map((part) => this.check(part as JsonValue));
  }

  #turnCheck(check: JsonObject): JsonObject {
    const scope = this.#scope(check.scope);
    if (scope === null) return NEVER;
    const field = String(check.field);
    const lacking = this.#nodesWithout(field, check.scope);
    if (lacking.length > 0) return this.#turnCheckWithout(lacking, check);
    const compared = this.#compare(field, this.#typeOf(field), check);
    // No turn in scope is false, also for what always holds.
    if (compared === true) return { type: "turn_check", scope, ...ANYTHING };
    if (compared === false) return NEVER;
    const isAll = scope.type === "all_turns";
    if (isAll && "conditions" in compared)
      throw new NotTranslatable(`${field} of all turns would need several comparisons at once`);
    return mapComposition(compared, (comparison) => ({
      type: "turn_check",
      scope,
      field: field === "raw_response" ? "reply" : field,
      ...outcomeForm(comparison),
    }));
  }

  /** Those of the nodes that a scope names that do not have a field. */
  #nodesWithout(field: string, scope: JsonValue | undefined): readonly string[] {
    const name = /^parsed\.(.*)$/s.exec(field)?.[1];
    const ids = isRecord(scope) ? ((scope as JsonObject).node_id ?? []) : [];
    if (name === undefined) return [];
    return (Array.isArray(ids) ? ids : [ids])
      .map(String)
      .filter((id) => this.#names.node(id) !== undefined && this.#names.field(id, name).type === "none");
  }

  /** A field is null upstream at nodes that do not have it; here no check may look for it there. */
  #turnCheckWithout(lacking: readonly string[], check: JsonObject): JsonObject {
    const { scope, field } = check as { readonly scope: JsonObject; readonly field: JsonValue };
    const { node_id } = scope;
    const ids = (Array.isArray(node_id) ? node_id : [node_id]).map(String);
    const others = ids.filter((id) => !lacking.includes(id));
    const holds = this.#compare(String(field), { type: "none" }, check) === true;
    const anyLacking = {
      type: "turn_check",
      scope: this.#scope({ type: "any_turn", node_id: [...lacking] }),
      ...ANYTHING,
    };
    if (others.length === 0) return holds ? { ...anyLacking, scope: this.#scope(scope) } : NEVER;
    if (holds) throw new NotTranslatable(`${String(field)} is null at some of the nodes ${ids.join(", ")}`);
    const elsewhere = this.#turnCheck({ ...check, scope: { ...scope, node_id: others } });
    if (!/^all/i.test(String(scope.type))) return elsewhere;
    return { type: "all_of", conditions: [elsewhere, { type: "not", condition: anyLacking }] };
  }

  #typeOf(field: string): ValueType {
    if (field === "verify_result") return { type: "bool" };
    if (field === "node_id" || field === "raw_response" || field === "question_text") return { type: "str" };
    if (!field.startsWith("parsed.")) return { type: "none" };
    const name = field.slice("parsed.".length);
    if (name === "id" || name === "correct")
      throw new NotTranslatable(`${field} of upstream has no counterpart`);
    return this.#names.fieldAnywhere(name);
  }

  #compare(
    field: string,
    type: ValueType,
    { expected, verify_with }: JsonObject,
  ): ReturnType<typeof translateComparison> {
    if (!isRecord(verify_with) || typeof verify_with.type !== "string")
      throw new NotTranslatable("a check needs a comparison (verify_with)");
    const upstream = { primitive: verify_with as Primitive, expected: expected ?? null };
    if (type.type === "none") this.#note(`${field} is always null upstream, so the check was worked out`);
    const note: Note = (message) => this.#note(`${field}: ${message}`);
    if (field === "raw_response") return this.#compareTrace(upstream, note);
    if (field === "node_id") return this.#compareNode(upstream, note);
    return translateComparison(type, upstream, note);
  }

  /** Upstream's text of a reply begins with a header, ours does not. */
  #compareTrace(
    upstream: { readonly primitive: Primitive; readonly expected: JsonValue },
    note: Note,
  ): ReturnType<typeof translateComparison> {
    const { primitive, expected } = upstream;
    switch (primitive.type) {
      case "RegexMatch": {
        const flags = Array.isArray(primitive.flags) ? primitive.flags.map(String) : [];
        const own = patternHere(primitive.pattern, { flags, seesHeader: true }, note);
        return { check: { type: "regex_match", ...patternAndFlags(own) }, expected: null };
      }
      case "ContainsAny":
      case "ContainsAll":
        return containedInTrace(toCheck(primitive, note) as ContainsCheck, note);
      case "BooleanMatch":
        return expected !== null && isTruthy(expected);
      case "ExactMatch":
      case "LiteralMatch":
        break;
      case "SetContainment":
      case "OrderedMatch":
        throw new NotTranslatable(`${primitive.type} takes a text for its characters upstream`);
      default:
        // Checked as elsewhere, so that what is wrong with it is told.
        toCheck(primitive, note);
        note("upstream's text of a reply begins with a header, so it is never a number or a date");
        return false;
    }
    const header = TRACE_HEADER.trim();
    const text = String(expected);
    if (!text.trimStart().toLowerCase().startsWith(header.toLowerCase())) {
      note("upstream's text of a reply begins with a header, so the whole text is never equal to this");
      return false;
    }
    const rest = text.trimStart().slice(header.length).replace(/^\n/, "");
    return translateComparison({ type: "str" }, { primitive, expected: rest }, note);
  }

  #compareNode(
    upstream: { readonly primitive: Primitive; readonly expected: JsonValue },
    note: Note,
  ): ReturnType<typeof translateComparison> {
    const id = typeof upstream.expected === "string" ? this.#names.node(upstream.expected)?.id : undefined;
    return translateComparison({ type: "str" }, { ...upstream, expected: id ?? upstream.expected }, note);
  }

  #resultCheck(check: JsonObject): JsonObject {
    const field = String(check.field);
    const type: ValueType | undefined = { status: STR, turn_count: INT, path: PATH }[field];
    if (type === undefined) {
      if (field === "scenario_id") return this.#scenarioCheck(check);
      this.#note(`${field} is always null upstream, so the check was worked out`);
    }
    const compared = this.#compare(field, type ?? { type: "none" }, this.#withNodes(field, check));
    if (typeof compared === "boolean") return compared ? ALWAYS_TRUE : NEVER;
    return mapComposition(compared, (comparison) => ({
      type: "result_check",
      field,
      ...outcomeForm(comparison),
    }));
  }

  /** The id of a scenario upstream is its name, which is known. */
  #scenarioCheck({ expected, verify_with }: JsonObject): JsonObject {
    if (!isRecord(verify_with) || typeof verify_with.type !== "string")
      throw new NotTranslatable("a check needs a comparison (verify_with)");
    this.#note("scenario_id is the name of the scenario, so the check was worked out");
    const check = toCheck(verify_with as Primitive, this.#note);
    return evaluateCheck(check, this.#names.scenario, expected ?? null).passes ? ALWAYS_TRUE : NEVER;
  }

  /** A path has the ids of nodes here. */
  #withNodes(field: string, check: JsonObject): JsonObject {
    if (field !== "path" || !Array.isArray(check.expected)) return check;
    const expected = check.expected.map((id) => this.#names.node(String(id))?.id ?? (id as JsonValue));
    return { ...check, expected };
  }

  #crossTurnCheck(check: JsonObject): JsonValue {
    const { source_field, target_field, comparison, normalize } = check;
    const sourceTurn = this.#scope(check.source_turn);
    const targetTurn = this.#scope(check.target_turn);
    const isSeveral = [sourceTurn, targetTurn].some(
      (turn) => turn === null || turn.type === "any_turn" || turn.type === "all_turns",
    );
    if (isSeveral) {
      this.#note("a comparison of two turns over any or all turns is false upstream");
      return NEVER;
    }
    if (!COMPARISONS.has(comparison))
      throw new NotTranslatable(`the comparison ${String(comparison)} is not known`);
    const source = String(source_field);
    const target = String(target_field);
    const types = [source, target].map((field) => this.#typeOf(field).type);
    if (
      types.some((type) => type === "list" || type === "any") &&
      comparison !== "eq" &&
      comparison !== "neq"
    )
      this.#note(`${source}, ${target}: upstream compares texts, here lists and numbers keep their type`);
    const steps = Array.isArray(normalize) && normalize.length > 0 ? { normalize } : {};
    const traces = [source, target].filter((field) => field === "raw_response").length;
    if (traces === 2 && comparison === "contains") {
      if ("normalize" in steps)
        throw new NotTranslatable("a reply that contains another one, normalised, has no counterpart");
      return startsWith(sourceTurn as JsonObject, targetTurn as JsonObject);
    }
    if (traces === 1) {
      if (comparison === "eq" || (comparison === "contains" && source === "raw_response")) {
        this.#note(
          "upstream's text of a reply begins with a header, so no other text is equal to it or contains it",
        );
        return NEVER;
      }
      if (comparison !== "contains")
        throw new NotTranslatable(`upstream compares a reply with its header by ${String(comparison)}`);
      this.#note(`upstream looks for ${source} in the header of a reply, too`);
    }
    const name = (field: string): string => (field === "raw_response" ? "reply" : field);
    return {
      type: "cross_turn_check",
      sourceTurn: sourceTurn as JsonObject,
      sourceField: name(source),
      targetTurn: targetTurn as JsonObject,
      targetField: name(target),
      comparison: comparison as JsonValue,
      ...steps,
    };
  }

  #measure(check: JsonObject & { readonly type: string }): JsonValue {
    const type = SNAKE[check.type] ?? check.type;
    const node = this.#filter(check.node_id);
    if (node === null) return type === "count_turns" ? "() => 0" : "() => -1";
    return {
      type,
      ...node,
      ...(typeof check.verify_result === "boolean" ? { verifyResult: check.verify_result } : {}),
    };
  }

  /** A scope here; null if no turn can be in it. */
  #scope(data: JsonValue | undefined): (JsonObject & { readonly type: string }) | null {
    const { type, index, node_id } = isRecord(data) ? (data as JsonObject) : {};
    // Older files have the names of the classes.
    const name = String(type)
      .replace(/(?<=[a-z])[A-Z]/g, "_$&")
      .toLowerCase();
    switch (name) {
      case "first_turn":
      case "last_turn":
        return { type: name };
      case "turn_at":
        return { type: name, index: index ?? 0 };
      case "any_turn":
      case "all_turns": {
        const node = this.#filter(node_id);
        return node === null ? null : { type: name, ...node };
      }
      default:
        throw new NotTranslatable(`the scope ${String(type)} is not known`);
    }
  }

  /** Which nodes are meant: nothing for all, null if none of them exists. */
  #filter(ids: JsonValue | undefined): { readonly node?: JsonValue } | null {
    if (ids === undefined || ids === null) return {};
    const named = Array.isArray(ids) ? ids.map(String) : [String(ids)];
    const existing = this.#names.existing(named);
    if (existing.length < named.length)
      this.#note(`of the nodes ${named.join(", ")}, those that do not exist were left out`);
    if (existing.length === 0) return null;
    return { node: Array.isArray(ids) ? existing : (existing[0] as string) };
  }
}

type ContainsCheck = Extract<Check, { readonly type: "contains_any" | "contains_all" }>;

/** Texts that upstream finds in the header before each reply are always contained. */
function containedInTrace(check: ContainsCheck, note: Note): ReturnType<typeof translateComparison> {
  const { substrings, normalize = [] } = check;
  if (
    !Array.isArray(substrings) ||
    substrings.some((text) => typeof text !== "string") ||
    !validateShape(NORMALIZERS_SHAPE, normalize, [], () => {})
  )
    throw new NotTranslatable("it needs a list of texts, and normalisers in a list");
  const steps = normalizer(normalize);
  const end = "\u{10FFFD}";
  const header = steps(`${TRACE_HEADER}${end}`).replace(end, "");
  const texts = substrings.map((text) => steps(text));
  const others = substrings.filter((_, index) => !header.includes(texts[index] as string));
  const crossing = texts.find((text) =>
    [...text].some((_, length) => length > 0 && header.endsWith(text.slice(0, length))),
  );
  if (crossing !== undefined)
    throw new NotTranslatable(
      `${JSON.stringify(crossing)} may begin in the header of upstream's text of a reply`,
    );
  if (others.length === substrings.length) return { check, expected: null };
  note("texts that stand in the header of upstream's text of a reply are always found there");
  if (check.type === "contains_any" || others.length === 0) return true;
  return { check: { ...check, substrings: others }, expected: null };
}

const STR: ValueType = { type: "str" };
const INT: ValueType = { type: "int" };
const PATH: ValueType = { type: "list", items: { type: "str" } };

/** A comparison that holds for every turn. */
const ANYTHING: JsonObject = { field: "node_id", verifyWith: { type: "regex_match", pattern: "" } };

/** The parts of a check, without a comparison that follows from what is expected. */
function outcomeForm(comparison: Comparison): JsonObject {
  const { check, expected } = comparison;
  const isDefault =
    Object.keys(check).length === 1 &&
    ((check.type === "boolean_match" && typeof expected === "boolean") ||
      (check.type === "exact_match" && typeof expected === "string") ||
      (check.type === "numeric_exact" && typeof expected === "number"));
  return isDefault ? { expected } : longForm(comparison);
}

/** With the header before both, a text that contains another one begins with it. */
function startsWith(source: JsonObject, target: JsonObject): string {
  const turn = ({ type, index }: JsonObject): string =>
    `turns.at(${type === "first_turn" ? 0 : type === "last_turn" ? -1 : Number(index)})`;
  return `({ turns }) => ${turn(source)} !== undefined && ${turn(target)} !== undefined && ${turn(target)}.reply.startsWith(${turn(source)}.reply)`;
}
