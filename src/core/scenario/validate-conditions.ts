import type { Check } from "../checks/check.ts";
import { evaluateCheck, usesTruth } from "../checks/evaluate-check.ts";
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
import { fieldNamed, type TemplateField, type TemplateFields } from "../templates/template.ts";
import { numberValue } from "../text/text-value.ts";
import { deepEqual } from "../values/json.ts";
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

/** What must be known to tell that a condition can never hold. */
interface Knowledge {
  readonly source: string;
  readonly fields: (node: string) => TemplateFields | null | undefined;
}

/** Why a condition can never hold, or null if it might. Finds plain mistakes, not every contradiction. */
function whyNeverHolds(condition: Condition, knowledge: Knowledge): string | null {
  switch (condition.type) {
    case "state_check":
      return whyCheckNeverPasses(condition, knowledge);
    case "function":
    case "not":
      return null;
    case "all_of":
      return (
        condition.conditions.map((part) => whyNeverHolds(part, knowledge)).find((why) => why !== null) ??
        whyContradictory(condition.conditions)
      );
    case "any_of":
    case "at_least_n": {
      const possible = condition.conditions.filter((part) => whyNeverHolds(part, knowledge) === null).length;
      const needed = condition.type === "any_of" ? 1 : condition.n;
      return possible < needed ? `${needed} of its parts must hold, but only ${possible} can` : null;
    }
  }
}

function whyCheckNeverPasses(check: ExplicitStateCheck, { source, fields }: Knowledge): string | null {
  const path = parseStatePath(check.field);
  if ("problem" in path) return null;
  switch (path.root) {
    case "turn":
      return whyCountNeverPasses(check, 1);
    case "node_visits":
      // The turn that was just finished is a visit of its node.
      return path.node === null ? null : whyCountNeverPasses(check, path.node === source ? 1 : 0);
    case "current_node": {
      const { evaluable, passes } = evaluateCheck(check.verifyWith, source, check.expected);
      return evaluable && passes ? null : `current_node is always ${JSON.stringify(source)} here`;
    }
    case "parsed":
      return whyFieldNeverPasses(check, path.keys, fields(source));
    case "node_results":
      return path.part === "parsed" && path.node !== null
        ? whyFieldNeverPasses(check, path.keys, fields(path.node))
        : null;
    default:
      return null;
  }
}

/** Counts are whole numbers from `least` and up. */
function whyCountNeverPasses(
  { field, verifyWith, expected }: ExplicitStateCheck,
  least: number,
): string | null {
  const bound = numberValue(expected);
  const tooLow = `${field} is never below ${least}`;
  switch (verifyWith.type) {
    case "numeric_exact":
      if (bound === undefined) return null;
      return bound < least ? tooLow : Number.isInteger(bound) ? null : `${field} is always a whole number`;
    case "numeric_maximum":
      if (bound === undefined) return null;
      return bound < least || (verifyWith.exclusive && bound === least) ? tooLow : null;
    case "is_null":
    case "boolean_match":
    case "set_containment":
      return `${field} is always a number`;
    default:
      return null;
  }
}

const READS: Partial<Record<Check["type"], readonly TemplateField["type"][]>> = {
  boolean_match: ["boolean"],
  numeric_exact: ["integer", "number", "string", "enum"],
  numeric_minimum: ["integer", "number", "string", "enum"],
  numeric_maximum: ["integer", "number", "string", "enum"],
  exact_match: ["string", "date", "enum", "integer", "number", "boolean"],
  contains_any: ["string", "date", "enum", "integer", "number", "array"],
  set_containment: ["array"],
};

function whyFieldNeverPasses(
  check: ExplicitStateCheck,
  keys: readonly string[],
  fields: TemplateFields | null | undefined,
): string | null {
  const name = fields ? fieldNamed(fields, keys) : undefined;
  const field = name === undefined ? undefined : fields?.[name];
  if (field === undefined) return null;
  const { verifyWith, expected = null } = check;
  if (name !== keys.join(".")) {
    if (field.type === "array" || evaluateCheck(verifyWith, null, expected).passes) return null;
    return `${check.field} is always null, because a value of type ${field.type} has no parts`;
  }
  if (expected !== null && READS[verifyWith.type]?.includes(field.type) === false) {
    return `${check.field} is of type ${field.type}, which ${verifyWith.type} cannot compare`;
  }
  if (field.type !== "enum" || verifyWith.type === "is_null" || (expected === null && usesTruth(verifyWith)))
    return null;
  const reachable = field.values.some((value) => evaluateCheck(verifyWith, value, expected).passes);
  return reachable
    ? null
    : `${check.field} is always one of ${field.values.map((value) => JSON.stringify(value)).join(", ")}`;
}

const EQUALITIES: ReadonlySet<Check["type"]> = new Set([
  "boolean_match",
  "numeric_exact",
  "literal_match",
  "is_null",
]);

/** The same path cannot be equal to two different values. */
function whyContradictory(parts: readonly Condition[]): string | null {
  const checks = parts.filter(
    (part) => part.type === "state_check" && EQUALITIES.has(part.verifyWith.type),
  ) as ExplicitStateCheck[];
  const first = new Map<string, ExplicitStateCheck>();
  for (const check of checks) {
    const other = first.get(check.field);
    if (other === undefined) first.set(check.field, check);
    else if (!deepEqual(other.expected ?? null, check.expected ?? null)) {
      return `${describeCondition(other)} and ${describeCondition(check)} exclude each other`;
    }
  }
  return null;
}
