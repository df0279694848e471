import type { PlainValue } from "../checks/shorthand.ts";
import { type Composed, isComposition, leavesOf } from "../logic/composition.ts";
import {
  isMeasure,
  type Measure,
  type NodeFilter,
  nodeFilter,
  type Outcome,
  type OutcomeCheck,
  type OutcomeLeaf,
  type TurnCheck,
} from "../outcomes/outcome-check.ts";
import {
  compileResultField,
  compileTurnField,
  RESULT_FIELD_ROOTS,
  TURN_FIELD_ROOTS,
} from "../outcomes/outcome-fields.ts";
import { outcomesOfRate, type RateDeclaration } from "../outcomes/rate.ts";
import type { IssuePath, ReportIssue } from "../schema/issue.ts";
import { nearestOf } from "../schema/nearest-name.ts";
import { isRecord, type UnknownRecord } from "../values/json.ts";
import type { ScenarioDraft } from "./scenario-draft.ts";
import { PathValidator } from "./validate-paths.ts";
import { validateValue } from "./validate-values.ts";

/** Validates the names of outcomes and the nodes and fields they refer to. */
export function validateOutcomes(draft: ScenarioDraft, report: ReportIssue, warn: ReportIssue): void {
  const validator = new OutcomeValidator(draft, report, warn);
  const names = new Set<string>();
  for (const { index, outcome } of draft.outcomes) {
    if (names.has(outcome.name)) {
      report({ code: "duplicate_outcome", path: ["outcomes", index, "name"], outcome: outcome.name });
    }
    names.add(outcome.name);
    validator.validate(outcome.check, ["outcomes", index, "check"]);
  }
  validateApplication(draft, report);
}

/** Validates that the outcomes that others depend on are there, and that none depends on itself. */
function validateApplication({ outcomes }: ScenarioDraft, report: ReportIssue): void {
  const needed = new Map(outcomes.map(({ outcome }) => [outcome.name, namesIn(outcome.when)]));
  const reaches = (from: string, name: string, seen: Set<string>): boolean =>
    (needed.get(from) ?? []).some((next) => {
      if (next === name) return true;
      if (seen.has(next)) return false;
      seen.add(next);
      return reaches(next, name, seen);
    });
  for (const { index, outcome } of outcomes) {
    const path = ["outcomes", index, "when"];
    for (const name of namesIn(outcome.when)) {
      if (needed.has(name)) continue;
      const { nearest } = nearestOf(name, needed.keys());
      const meant = nearest === undefined ? "" : ` Did you mean ${JSON.stringify(nearest)}?`;
      report({
        code: "invalid_parameter",
        path,
        message: `There is no outcome ${JSON.stringify(name)}.${meant}`,
      });
    }
    if (reaches(outcome.name, outcome.name, new Set()))
      report({
        code: "invalid_parameter",
        path,
        message: "Whether it applies depends on the outcome itself.",
      });
  }
}

/** What a rate may be averaged over, besides `variant.<factor>`. */
const AVERAGED = /^(?:row\..+|metadata\..+|row|variant|tag|scenario|arm)$/;

/** Validates that the outcomes and factors that rates name are there, and that no rate has the name of an outcome. */
export function validateRates(
  rates: UnknownRecord,
  { outcomes, factors }: Pick<ScenarioDraft, "outcomes"> & { readonly factors: readonly string[] },
  report: ReportIssue,
): void {
  const names = new Set(outcomes.map(({ outcome }) => outcome.name));
  for (const [rate, declaration] of Object.entries(rates)) {
    if (!isRecord(declaration)) continue;
    if (names.has(rate)) {
      const message = `There is an outcome ${JSON.stringify(rate)} already: give the rate another name.`;
      report({ code: "invalid_parameter", path: ["rates", rate], message });
    }
    const { average } = declaration as RateDeclaration;
    const groups = factors.map((factor) => `variant.${factor}`);
    if (
      typeof average?.macro === "string" &&
      !AVERAGED.test(average.macro) &&
      !groups.includes(average.macro)
    )
      report({
        code: "invalid_parameter",
        path: ["rates", rate, "average", "macro"],
        message: `There are no groups ${JSON.stringify(average.macro)}: use ${["row.<column>", ...groups, "metadata.<key>", "tag", "scenario", "arm"].join(", ")}.`,
      });
    for (const [place, name] of outcomesOfRate(declaration as RateDeclaration)) {
      if (typeof name !== "string" || names.has(name)) continue;
      const { nearest } = nearestOf(name, names);
      const meant = nearest === undefined ? "" : ` Did you mean ${JSON.stringify(nearest)}?`;
      const message = `There is no outcome ${JSON.stringify(name)}.${meant}`;
      report({ code: "invalid_parameter", path: ["rates", rate, ...place], message });
    }
  }
}

function namesIn(when: Outcome["when"]): readonly string[] {
  return when === undefined ? [] : leavesOf(when);
}

const TURN_KINDS: Readonly<Record<string, "boolean" | "number">> = {
  verify_result: "boolean",
  refused: "boolean",
  score: "number",
};

class OutcomeValidator {
  readonly #draft: ScenarioDraft;
  readonly #report: ReportIssue;
  readonly #warn: ReportIssue;
  readonly #paths: PathValidator;

  constructor(draft: ScenarioDraft, report: ReportIssue, warn: ReportIssue) {
    this.#draft = draft;
    this.#report = report;
    this.#warn = warn;
    this.#paths = new PathValidator(draft, report, warn);
  }

  validate(check: OutcomeCheck, path: IssuePath): void {
    if (Object.prototype.toString.call(check) === "[object AsyncFunction]")
      this.#report({
        code: "invalid_parameter",
        path,
        message: "The function of an outcome is async, but must return its result at once.",
      });
    if (typeof check === "function" || typeof check === "string") return;
    if (isMeasure(check)) this.#measure(check, path);
    else this.#assertion(check, path);
  }

  #assertion(check: Composed<OutcomeLeaf>, path: IssuePath): void {
    if (!isComposition(check)) return this.#leaf(check, path);
    if (check.type === "not") return this.#assertion(check.condition, [...path, "condition"]);
    for (const [index, part] of check.conditions.entries())
      this.#assertion(part, [...path, "conditions", index]);
  }

  #leaf(leaf: OutcomeLeaf, path: IssuePath): void {
    switch (leaf.type) {
      case "turn_check":
        this.#value(leaf, [...path, "expected"]);
        return this.#field(leaf.field, nodeFilter(leaf.scope), {
          field: [...path, "field"],
          filter: [...path, "scope", "node"],
        });
      case "result_check":
        if (compileResultField(leaf.field) !== null) return;
        return this.#unknown(leaf.field, RESULT_FIELD_ROOTS, [...path, "field"]);
      case "cross_turn_check":
        this.#field(leaf.sourceField, nodeFilter(leaf.sourceTurn), {
          field: [...path, "sourceField"],
          filter: [...path, "sourceTurn", "node"],
        });
        this.#field(leaf.targetField, nodeFilter(leaf.targetTurn), {
          field: [...path, "targetField"],
          filter: [...path, "targetTurn", "node"],
        });
        return;
      case "measure_check":
        this.#measure(leaf.measure, [...path, "measure"]);
        if (typeof leaf.expected !== "number") this.#measure(leaf.expected, [...path, "expected"]);
    }
  }

  /** A verdict is true or false: the text "yes" is neither. A score is a number. */
  #value({ field, expected, verifyWith }: TurnCheck, path: IssuePath): void {
    const kind = TURN_KINDS[field];
    if (kind === undefined || expected === undefined || expected === null || typeof expected === kind) return;
    if (
      verifyWith !== undefined &&
      !["exact_match", "numeric_exact", "boolean_match"].includes(verifyWith.type)
    )
      return;
    validateValue(expected as PlainValue, kind, { path, report: this.#report });
  }

  #measure(measure: Measure, path: IssuePath): void {
    // Turns can be counted whether or not they have a verdict.
    const counts = measure.type === "count_turns" || measure.type === "first_match_index";
    const verdict = counts && measure.verifyResult === undefined ? "node_id" : "verify_result";
    const field = "field" in measure ? measure.field : verdict;
    this.#field(field, measure.node, { field: path, filter: [...path, "node"] });
    for (const name of Object.keys(("where" in measure && measure.where) || {}))
      this.#field(name, measure.node, { field: [...path, "where", name] });
  }

  #field(
    field: string,
    filter: NodeFilter | undefined,
    places: { field: IssuePath; filter?: IssuePath },
  ): void {
    const named = filter === undefined ? [] : typeof filter === "string" ? [filter] : filter;
    const known = named.filter((node) =>
      this.#paths.validateNode(node, "filter", places.filter ?? places.field),
    );
    if (compileTurnField(field) === null) return this.#unknown(field, TURN_FIELD_ROOTS, places.field);
    const [root, ...keys] = field.split(".");
    if (root === "rubric" && keys.length > 0) this.#paths.validateTrait(keys.join("."), places.field);
    if (root === "verify_result" || root === "score")
      for (const node of known) this.#paths.validateVerdict(node, field, places.field);
    if (root !== "parsed" || keys.length === 0) return;
    if (filter === undefined) return this.#fieldAnywhere(field, keys, places.field);
    for (const node of known) this.#paths.validateField(node, keys, { statePath: field, path: places.field });
  }

  /** Without a node filter, one template with the field is enough. */
  #fieldAnywhere(statePath: string, keys: readonly string[], path: IssuePath): void {
    const { nodes, numbers } = this.#draft;
    if (nodes.includes(null)) return;
    const names = new Set(nodes.flatMap((node) => Object.keys(node?.question.template?.fields ?? {})));
    if (names.size === 0) return this.#warn({ code: "no_template", path, node: numbers.idOf(0), statePath });
    if (names.has(keys.join(".")) || names.has(keys[0] ?? "")) return;
    const { nearest } = nearestOf(keys.join("."), names);
    const suggestion = nearest === undefined ? {} : { nearest: `parsed.${nearest}` };
    this.#report({
      code: "unknown_path",
      path,
      statePath,
      message: `no template has this field${nearest === undefined ? `; the fields are ${[...names].join(", ")}` : ""}`,
      ...suggestion,
    });
  }

  #unknown(field: string, roots: readonly string[], path: IssuePath): void {
    this.#paths.unknownPath(field, roots, { path, message: `it must start with ${roots.join(", ")}` });
  }
}
