import type { Check } from "../checks/check.ts";
import { type Composed, isComposition } from "../logic/composition.ts";
import type { JsonValue } from "../values/json.ts";
import type { Condition, ExplicitStateCheck } from "./condition.ts";

/** A condition in a few words, for drawings and for the reason why an edge was not taken: `parsed.n ≥ 3`. */
export function describeCondition(condition: Condition): string {
  return describeComposed(
    condition,
    (leaf) => (leaf.type === "state_check" ? describeStateCheck(leaf) : describeCode(leaf.code)),
    (leaf) => {
      const equality = leaf.type === "state_check" ? equalityOf(leaf) : null;
      return equality === null || leaf.type !== "state_check" ? null : `${leaf.field} ≠ ${equality}`;
    },
  );
}

/** A composition in words. `negated` gives a leaf that must not hold a form of its own. */
export function describeComposed<Leaf extends { readonly type: string }>(
  part: Composed<Leaf>,
  describeLeaf: (leaf: Leaf) => string,
  negated: (leaf: Leaf) => string | null = () => null,
): string {
  const described = (one: Composed<Leaf>): string => describeComposed(one, describeLeaf, negated);
  const joined = (parts: readonly Composed<Leaf>[], joint: string, ifEmpty: string): string => {
    const needsBrackets = (one: Composed<Leaf>): boolean =>
      isComposition(one) &&
      (one.type === "all_of" || one.type === "any_of") &&
      one.conditions.length > 1 &&
      parts.length > 1;
    const texts = parts.map((one) => (needsBrackets(one) ? `(${described(one)})` : described(one)));
    return texts.length === 0 ? ifEmpty : texts.join(joint);
  };
  if (!isComposition(part)) return describeLeaf(part);
  switch (part.type) {
    case "not": {
      const { condition } = part;
      return (isComposition(condition) ? null : negated(condition)) ?? `not (${described(condition)})`;
    }
    case "all_of":
      return joined(part.conditions, " and ", "always");
    case "any_of":
      return joined(part.conditions, " or ", "never");
    case "at_least_n":
      return `at least ${part.n} of (${part.conditions.map(described).join(", ")})`;
  }
}

/** A comparison in words. */
export function describeStateCheck(check: Omit<ExplicitStateCheck, "type">): string {
  const equality = equalityOf(check);
  if (equality !== null) return `${check.field} = ${equality}`;
  const { field, verifyWith } = check;
  const expected = shown(check.expected ?? null);
  switch (verifyWith.type) {
    case "numeric_minimum":
      return `${field} ${verifyWith.exclusive ? ">" : "≥"} ${expected}`;
    case "numeric_maximum":
      return `${field} ${verifyWith.exclusive ? "<" : "≤"} ${expected}`;
    case "numeric_range": {
      const { min, max } = verifyWith;
      if (max === undefined) return `${field} ≥ ${shown(min)}`;
      return min === undefined ? `${field} ≤ ${shown(max)}` : `${field} from ${shown(min)} to ${shown(max)}`;
    }
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
function equalityOf(check: Omit<ExplicitStateCheck, "type">): string | null {
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

/** The beginning of some code. */
export function describeCode(code: string | ((...values: never) => unknown)): string {
  const source = (typeof code === "string" ? code : code.toString()).replace(/\s+/g, " ").trim();
  return source.length <= 60 ? source : `${source.slice(0, 57)}…`;
}

function shown(value: JsonValue | undefined): string {
  return JSON.stringify(value ?? null);
}
