import type { Check } from "../checks/check.ts";
import type { ShorthandValue } from "../checks/shorthand.ts";
import { containsText } from "../liquid/fill-texts.ts";
import { type Composed, isComposition } from "../logic/composition.ts";
import type { IssuePath, ReportIssue } from "../schema/issue.ts";
import {
  type Condition,
  type ExplicitStateCheck,
  isStateCheck,
  isWhenList,
  type When,
  type WhenLeaf,
} from "../state/condition.ts";
import { describeCondition } from "../state/describe-condition.ts";
import { parseStatePath } from "../state/state-path.ts";
import { alwaysAt, canHold, type TestPlace } from "./condition-logic.ts";
import type { ScenarioDraft } from "./scenario-draft.ts";
import { PathValidator } from "./validate-paths.ts";
import { fieldKind, type ValueKind, validateValue } from "./validate-values.ts";

/** Validates the nodes and fields that the conditions of edges refer to. */
export function validateConditions(draft: ScenarioDraft, report: ReportIssue, warn: ReportIssue): void {
  const paths = new PathValidator(draft, report, warn);
  for (const { index, condition, edge, arm = 0 } of draft.edges) {
    if (condition === null || edge.when === undefined || arm > 0) continue;
    const path = ["edges", index, "when"];
    const { source } = edge;
    let isTyped = true;
    for (const { field, at, value } of fieldsOf(edge.when, path)) {
      paths.validateStatePath(field, source, at);
      const kind = value === undefined ? undefined : kindAt(field, source, paths);
      if (value === undefined || kind === undefined) continue;
      validateValue(value, kind, {
        path: at,
        report: (issue) => {
          isTyped = false;
          report(issue);
        },
      });
    }
    // What is compared with is known when it is rendered.
    if (!isTyped || containsText(edge.when)) continue;
    const message = whyNeverHolds(condition, { source, fields: (node) => paths.fieldsOf(node) });
    if (message !== null) warn({ code: "never_holds", path, message });
  }
}

/** The type of what a path has, where every value is of one type. */
function kindAt(statePath: string, source: string, paths: PathValidator): ValueKind | undefined {
  const parsed = parseStatePath(statePath);
  if ("problem" in parsed) return undefined;
  const isPast = parsed.root === "node_results";
  const fieldOf = (node: string, keys: readonly string[]): ValueKind | undefined => {
    const fields = paths.fieldsOf(node) ?? {};
    const field = Object.hasOwn(fields, keys.join(".")) ? fields[keys.join(".")] : undefined;
    return field === undefined ? undefined : fieldKind(field);
  };
  switch (isPast ? parsed.part : parsed.root) {
    case "verify_result":
    case "refused":
      return "boolean";
    case "turn":
      return "number";
    case "node_visits":
      return "node" in parsed && parsed.node !== null ? "number" : undefined;
    case "current_node":
      return "text";
    case "parsed":
      return "keys" in parsed ? fieldOf(isPast ? (parsed.node ?? "") : source, parsed.keys) : undefined;
    default:
      return undefined;
  }
}

interface FieldPlace {
  readonly field: string;
  readonly at: IssuePath;
  /** What the field is compared with, in short form. */
  readonly value?: ShorthandValue;
}

/** The paths of the state that a condition names, each with the place where it does. */
function fieldsOf(when: When, path: IssuePath): FieldPlace[] {
  if (!isWhenList(when)) return when === null ? [] : fieldsOfPart(when, path);
  return when.flatMap((part, index) => fieldsOfPart(part, [...path, index]));
}

function fieldsOfPart(part: Composed<WhenLeaf>, path: IssuePath): FieldPlace[] {
  if (typeof part === "function" || typeof part === "string") return [];
  if (isComposition(part)) {
    if (part.type === "not") return fieldsOfPart(part.condition, [...path, "condition"]);
    return part.conditions.flatMap((inner, index) => fieldsOfPart(inner, [...path, "conditions", index]));
  }
  if (isStateCheck(part)) return [{ field: part.field, at: [...path, "field"] }];
  return Object.entries(part).map(([field, value]) => ({ field, at: [...path, field], value }));
}

/** Why a condition can never hold, or null if it might. Finds plain mistakes; `contradicting_condition` of the lint finds the others. */
function whyNeverHolds(condition: Condition, place: TestPlace): string | null {
  switch (condition.type) {
    case "state_check":
      return whyCheckNeverPasses(condition, place);
    case "function":
    case "not":
      return null;
    case "all_of":
      return (
        condition.conditions.map((part) => whyNeverHolds(part, place)).find((why) => why !== null) ??
        whyContradictory(condition.conditions, place)
      );
    case "any_of":
    case "at_least_n": {
      const possible = condition.conditions.filter((part) => whyNeverHolds(part, place) === null).length;
      const needed = condition.type === "any_of" ? 1 : condition.n;
      return possible < needed ? `${needed} of its parts must hold, but only ${possible} can` : null;
    }
  }
}

function whyCheckNeverPasses(check: ExplicitStateCheck, place: TestPlace): string | null {
  const always = alwaysAt(check.field, place);
  return always === null || canHold({ all: [check] }, place) ? null : `${check.field} is always ${always}`;
}

const EQUALITIES: ReadonlySet<Check["type"]> = new Set([
  "boolean_match",
  "numeric_exact",
  "literal_match",
  "is_null",
]);

/** The same path cannot be equal to two different values. */
function whyContradictory(parts: readonly Condition[], place: TestPlace): string | null {
  const first = new Map<string, ExplicitStateCheck>();
  for (const check of parts) {
    if (check.type !== "state_check" || !EQUALITIES.has(check.verifyWith.type)) continue;
    const other = first.get(check.field);
    if (other === undefined) first.set(check.field, check);
    else if (!canHold({ all: [other, check] }, place))
      return `${describeCondition(other)} and ${describeCondition(check)} exclude each other`;
  }
  return null;
}
