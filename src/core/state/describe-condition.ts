import type { Check } from "../checks/check.ts";
import type { JsonValue } from "../values/json.ts";
import type { Condition, ExplicitStateCheck } from "./condition.ts";

/** A condition in a few words, for drawings and for the reason why an edge was not taken: `parsed.n ≥ 3`. */
export function describeCondition(condition: Condition): string {
  switch (condition.type) {
    case "state_check":
      return describeStateCheck(condition);
    case "function":
      return describeCode(condition.code);
    case "not":
      return describeNegation(condition.condition);
    case "all_of":
      return describeParts(condition.conditions, " and ", "always");
    case "any_of":
      return describeParts(condition.conditions, " or ", "never");
    case "at_least_n":
      return `at least ${condition.n} of (${condition.conditions.map(describeCondition).join(", ")})`;
  }
}

function describeParts(parts: readonly Condition[], joint: string, ifEmpty: string): string {
  if (parts.length === 0) return ifEmpty;
  const needsBrackets = (part: Condition): boolean =>
    (part.type === "all_of" || part.type === "any_of") && part.conditions.length > 1 && parts.length > 1;
  return parts
    .map((part) => (needsBrackets(part) ? `(${describeCondition(part)})` : describeCondition(part)))
    .join(joint);
}

function describeNegation(condition: Condition): string {
  if (condition.type === "state_check") {
    const equality = equalityOf(condition);
    if (equality !== null) return `${condition.field} ≠ ${equality}`;
  }
  return `not (${describeCondition(condition)})`;
}

function describeStateCheck(check: ExplicitStateCheck): string {
  const equality = equalityOf(check);
  if (equality !== null) return `${check.field} = ${equality}`;
  const { field, verifyWith } = check;
  const expected = shown(check.expected ?? null);
  switch (verifyWith.type) {
    case "numeric_minimum":
      return `${field} ${verifyWith.exclusive ? ">" : "≥"} ${expected}`;
    case "numeric_maximum":
      return `${field} ${verifyWith.exclusive ? "<" : "≤"} ${expected}`;
    case "one_of":
      return `${field} in ${shown(verifyWith.values)}`;
    case "contains_any":
      return `${field} contains ${verifyWith.substrings.map(shown).join(" or ")}`;
    case "contains_all":
      return `${field} contains ${verifyWith.substrings.map(shown).join(" and ")}`;
    case "set_containment":
      return `${field} ${SET_WORDS[verifyWith.mode ?? "exact"]} ${expected}`;
    default:
      return `${field} ${describeCheck(verifyWith)}${check.expected === undefined ? "" : ` ${expected}`}`;
  }
}

const SET_WORDS = {
  exact: "has exactly",
  subset: "is within",
  superset: "contains",
  overlap: "overlaps",
} as const;

/** The value in `field = value`, if that is what the check says. */
function equalityOf(check: ExplicitStateCheck): string | null {
  switch (check.verifyWith.type) {
    case "boolean_match":
    case "exact_match":
    case "numeric_exact":
    case "literal_match":
      return shown(check.expected ?? null);
    case "is_null":
      return "null";
    default:
      return null;
  }
}

/** A check without what it looks at: `trace_contains(substring: "sorry")`. */
export function describeCheck(check: Check): string {
  return `${check.type}${describeParameters(check)}`;
}

function describeParameters(check: Check): string {
  const { type: _, ...parameters } = check;
  const text = Object.entries(parameters).map(([name, value]) => `${name}: ${shown(value)}`);
  return text.length === 0 ? "" : `(${text.join(", ")})`;
}

function describeCode(code: string | ((...values: never) => unknown)): string {
  const source = (typeof code === "string" ? code : code.toString()).replace(/\s+/g, " ").trim();
  return source.length <= 60 ? source : `${source.slice(0, 57)}…`;
}

function shown(value: JsonValue | undefined): string {
  return JSON.stringify(value ?? null);
}
