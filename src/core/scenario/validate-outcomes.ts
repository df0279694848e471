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
import type { Issue, IssuePath, ReportIssue } from "../schema/issue.ts";
import { nameHint, nearestOf } from "../schema/nearest-name.ts";
import { isRecord, type UnknownRecord } from "../values/json.ts";
import type { ScenarioDraft } from "./scenario-draft.ts";
import { PathValidator } from "./validate-paths.ts";
import { validateValue } from "./validate-values.ts";

/** Validates the names of outcomes and the nodes and fields they refer to. */
export function validateOutcomes(draft: ScenarioDraft, report: ReportIssue, warn: ReportIssue): void {
  const validator = new OutcomeValidator(draft, report, warn);
  const names = new Set<string>();
  for (const { index, outcome } of draft.outcomes) {
    const { name, check } = outcome;
    if (names.has(name))
      report({ code: "duplicate_outcome", path: ["outcomes", index, "name"], outcome: name });
    names.add(name);
    validator.validate(check, ["outcomes", index, "check"]);
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
    for (const name of namesIn(outcome.when))
      if (!needed.has(name)) report(unknownOutcome(name, needed.keys(), path));
    const message = "Whether it applies depends on the outcome itself.";
    if (reaches(outcome.name, outcome.name, new Set())) report({ code: "invalid_parameter", path, message });
  }
}

function unknownOutcome(name: string, names: Iterable<string>, path: IssuePath): Issue {
  return {
    code: "invalid_parameter",
    path,
    message: `There is no outcome ${JSON.stringify(name)}. ${nameHint(name, names)}`,
  };
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
  const groups = factors.map((factor) => `variant.${factor}`);
  for (const [rate, declaration] of Object.entries(rates)) {
    if (!isRecord(declaration)) continue;
    const wrong = (at: readonly string[], message: string): void =>
      report({ code: "invalid_parameter", path: ["rates", rate, ...at], message });
    if (names.has(rate))
      wrong([], `There is an outcome ${JSON.stringify(rate)} already: give the rate another name.`);
    const macro = (declaration as RateDeclaration).average?.macro;
    if (typeof macro === "string" && !AVERAGED.test(macro) && !groups.includes(macro)) {
      const known = ["row.<column>", ...groups, "metadata.<key>", "tag", "scenario", "arm"];
      wrong(["average", "macro"], `There are no groups ${JSON.stringify(macro)}: use ${known.join(", ")}.`);
    }
    for (const [place, name] of outcomesOfRate(declaration as RateDeclaration))
      if (typeof name === "string" && !names.has(name))
        report(unknownOutcome(name, names, ["rates", rate, ...place]));
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
    if (Object.prototype.toString.call(check) === "[object AsyncFunction]") {
      const message = "The function of an outcome is async, but must return its result at once.";
      this.#report({ code: "invalid_parameter", path, message });
    }
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
    const at = (...keys: readonly string[]): IssuePath => [...path, ...keys];
    switch (leaf.type) {
      case "turn_check":
        this.#value(leaf, at("expected"));
        this.#field(leaf.field, at("field"), { nodes: nodeFilter(leaf.scope), at: at("scope", "node") });
        return;
      case "result_check":
        if (compileResultField(leaf.field) === null)
          this.#unknown(leaf.field, RESULT_FIELD_ROOTS, at("field"));
        return;
      case "cross_turn_check":
        for (const side of ["source", "target"] as const) {
          const [turn, field] = [`${side}Turn`, `${side}Field`] as const;
          this.#field(leaf[field], at(field), { nodes: nodeFilter(leaf[turn]), at: at(turn, "node") });
        }
        return;
      case "measure_check":
        this.#measure(leaf.measure, at("measure"));
        if (typeof leaf.expected !== "number") this.#measure(leaf.expected, at("expected"));
    }
  }

  /** A verdict is true or false: the text "yes" is neither. A score is a number. */
  #value({ field, expected, verifyWith }: TurnCheck, path: IssuePath): void {
    const kind = TURN_KINDS[field];
    if (kind === undefined || expected === undefined || expected === null || typeof expected === kind) return;
    const compares = ["exact_match", "numeric_exact", "boolean_match"];
    if (verifyWith === undefined || compares.includes(verifyWith.type))
      validateValue(expected as PlainValue, kind, { path, report: this.#report });
  }

  #measure(measure: Measure, path: IssuePath): void {
    // Turns can be counted whether or not they have a verdict.
    const counts = measure.type === "count_turns" || measure.type === "first_match_index";
    const verdict = counts && measure.verifyResult === undefined ? "node_id" : "verify_result";
    const filter = { nodes: measure.node, at: [...path, "node"] };
    this.#field("field" in measure ? measure.field : verdict, path, filter);
    for (const name of Object.keys(("where" in measure && measure.where) || {})) {
      const at = [...path, "where", name];
      this.#field(name, at, { nodes: measure.node, at });
    }
  }

  /** Validates a field of turns at some nodes, or at any. */
  #field(
    field: string,
    path: IssuePath,
    filter: { readonly nodes: NodeFilter | undefined; readonly at: IssuePath },
  ): void {
    const named = [filter.nodes ?? []].flat();
    const known = named.filter((node) => this.#paths.validateNode(node, "filter", filter.at));
    if (compileTurnField(field) === null) return this.#unknown(field, TURN_FIELD_ROOTS, path);
    const [root, ...keys] = field.split(".");
    if (root === "rubric" && keys.length > 0) this.#paths.validateTrait(keys.join("."), path);
    if (root === "verify_result" || root === "score")
      for (const node of known) this.#paths.validateVerdict(node, field, path);
    if (root !== "parsed" || keys.length === 0) return;
    if (filter.nodes === undefined) return this.#fieldAnywhere(field, keys, path);
    for (const node of known) this.#paths.validateField(node, keys, { statePath: field, path });
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
