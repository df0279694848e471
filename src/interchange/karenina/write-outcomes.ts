import { defaultCheck } from "../../core/checks/shorthand.ts";
import { type Composed, isComposition } from "../../core/logic/composition.ts";
import { isMeasure } from "../../core/outcomes/measure.ts";
import type {
  CrossTurnCheck,
  Measure,
  NodeFilter,
  OutcomeLeaf,
  ResultCheck,
  TurnCheck,
} from "../../core/outcomes/outcome-check.ts";
import type { ScenarioDefinition } from "../../core/scenario/definition.ts";
import type { JsonObject, JsonValue } from "../../core/values/json.ts";
import { type Note, NotTranslatable } from "./primitives.ts";
import { pythonNames } from "./python-text.ts";
import { pythonPattern } from "./regex-to-python.ts";
import { TRACE_HEADER } from "./trace-header.ts";
import { type WrittenComparison, writeComparison, written } from "./write-checks.ts";

const CLASSES = { all_of: "AllOf", any_of: "AnyOf", at_least_n: "AtLeastN" } as const;
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
        type: CLASSES[check.type],
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
