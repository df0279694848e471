import { typeName } from "../values/json.ts";
import { type CheckResult, notEvaluable } from "./check-result.ts";

const SHOWN_CHARACTERS = 40;

/** Says that one side of a comparison is not what the check needs: `The value is null, but a number is needed.` */
export function incomparable(side: "value" | "expected value", found: unknown, needed: string): CheckResult {
  return notEvaluable(`The ${side} is ${describeValue(found)}, but ${needed} is needed.`);
}

/** A value in a few words, for reasons: `"maybe"`, `the number 3`, `an array`. */
export function describeValue(value: unknown): string {
  if (typeof value === "string") {
    return JSON.stringify(
      value.length <= SHOWN_CHARACTERS ? value : `${value.slice(0, SHOWN_CHARACTERS - 1)}…`,
    );
  }
  if (typeof value === "number") return `the number ${value}`;
  if (typeof value === "boolean") return String(value);
  if (value === null || value === undefined) return "null";
  const name = typeName(value);
  return name === "array" || name === "object" ? `an ${name}` : `a ${name}`;
}
