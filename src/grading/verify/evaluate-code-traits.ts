import { linearRegexOf } from "../../core/checks/linear-regex.ts";
import type { FunctionTrait, RegexTrait, Trait } from "../../core/templates/rubric.ts";
import { errorMessage } from "../../core/values/error-message.ts";
import { typeName } from "../../core/values/json.ts";
import { type TraitResult, undecided } from "./trait-result.ts";

/** The results of the traits that code decides, by name; those that need a judge are left out. Never throws. */
export function evaluateCodeTraits(traits: readonly Trait[], reply: string): Record<string, TraitResult> {
  const results: (readonly [string, TraitResult])[] = [];
  for (const trait of traits) {
    if (trait.type === "regex") results.push([trait.name, evaluateRegex(trait, reply)]);
    if (trait.type === "function") results.push([trait.name, evaluateFunction(trait, reply)]);
  }
  // Unlike assignment, this makes a key of any name, `__proto__` too.
  return Object.fromEntries(results);
}

function evaluateRegex(trait: RegexTrait, reply: string): TraitResult {
  const regex = linearRegexOf(trait);
  if ("problem" in regex) return undecided(`the ${regex.part} cannot be used: ${regex.problem}`);
  return { value: regex.find(reply) };
}

function evaluateFunction({ evaluate }: FunctionTrait, reply: string): TraitResult {
  if (typeof evaluate === "string") return undecided("a source string runs only within a run");
  try {
    return resultOf(evaluate(reply));
  } catch (error) {
    return undecided(`the function threw: ${errorMessage(error)}`);
  }
}

/** The type of the function is a promise of its author; what comes back may be anything. */
function resultOf(value: unknown): TraitResult {
  switch (typeof value) {
    case "boolean":
    case "string":
      return { value };
    case "number":
      return Number.isFinite(value) ? { value } : undecided(`the function returned ${value}`);
    default:
      if (value === null) return undecided("the function returned null: it cannot tell");
      if (isPromise(value))
        return undecided("the function returned a promise; a trait must be decided at once");
      return undecided(
        `the function returned ${described(value)} instead of a boolean, number, text or null`,
      );
  }
}

/** A promise that nobody waits for must not end the process when it is rejected, from whatever realm it comes. */
function isPromise(value: unknown): boolean {
  const then = typeof value === "object" && value !== null && "then" in value ? value.then : undefined;
  if (typeof then !== "function") return false;
  Promise.resolve(value).catch(() => {});
  return true;
}

function described(value: unknown): string {
  const type = typeName(value);
  if (type === "undefined") return "nothing";
  return `${/^[aeiou]/.test(type) ? "an" : "a"} ${type}`;
}
