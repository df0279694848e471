import { linearRegexOf } from "../../../core/checks/linear-regex.ts";
import { errorMessage } from "../../../core/error-message.ts";
import {
  type FunctionTrait,
  type JudgedTrait,
  type LiteralTrait,
  type MetricAnswers,
  type MetricTrait,
  type RegexTrait,
  type ScoreTrait,
  scoreRange,
  type Trait,
} from "../../../core/templates/rubric.ts";
import { isRecord, typeName } from "../../../core/values/json.ts";
import {
  type MetricCounts,
  type MetricValues,
  metricCounts,
  metricValue,
  metricValues,
} from "./metric-value.ts";

/** What is known of a trait after a turn: the value that routing and outcomes see. */
export interface TraitResult {
  /** Null if it could not be decided, which is neither good nor bad. */
  readonly value: boolean | number | string | null;
  /** In words, why the value is null. */
  readonly reason?: string;
  /** What a metric was computed from. */
  readonly details?: MetricDetails;
}

/** All metrics of a trait, and the answers they come from. */
export interface MetricDetails {
  readonly metrics: MetricValues;
  readonly counts: MetricCounts;
}

/** A trait that could not be decided, and why. */
function undecided(reason: string): TraitResult {
  return { value: null, reason };
}

/**
 * The value of a trait from what a judge answered to it: a boolean, a number, the name of a class, or the first metric.
 * An answer that the trait does not allow is null with a reason, never changed into one that it does.
 */
export function traitValue(trait: JudgedTrait, judged: unknown): TraitResult {
  if (judged === null || judged === undefined) return undecided("the judge could not decide");
  if (trait.type === "metric") return metricResult(trait, judged);
  switch (trait.kind) {
    case "boolean":
      return typeof judged === "boolean" ? { value: judged } : wrongAnswer("true or false", judged);
    case "score":
      return scoreResult(trait, judged);
    case "literal":
      return literalResult(trait, judged);
  }
}

/** Halves are allowed: the judge is asked for whole numbers, but a panel's median may lie between two of them. */
function scoreResult(trait: ScoreTrait, judged: unknown): TraitResult {
  const { min, max } = scoreRange(trait);
  const isInRange = typeof judged === "number" && judged >= min && judged <= max;
  return isInRange ? { value: judged } : wrongAnswer(`a number from ${min} to ${max}`, judged);
}

function literalResult({ classes }: LiteralTrait, judged: unknown): TraitResult {
  const isClass = typeof judged === "string" && Object.hasOwn(classes, judged);
  return isClass ? { value: judged } : wrongAnswer("the name of a class", judged);
}

function metricResult(trait: MetricTrait, judged: unknown): TraitResult {
  const answers = readMetricAnswers(trait, judged);
  if ("problem" in answers) return undecided(answers.problem);
  const counts = metricCounts(answers);
  const details = { metrics: metricValues(counts), counts };
  return { ...metricValue(trait.metrics?.[0] ?? "f1", counts), details };
}

/** The answers to every instruction of a metric trait, or what is wrong with them. */
export function readMetricAnswers(
  trait: MetricTrait,
  judged: unknown,
): Required<MetricAnswers> | { readonly problem: string } {
  if (!isRecord(judged)) return { problem: `expected answers to the instructions, got ${shown(judged)}` };
  const expected = readAnswers(judged.expected, trait.expected.length);
  const unexpected = readAnswers(judged.unexpected, trait.unexpected?.length ?? 0);
  if (expected === undefined || unexpected === undefined) {
    return { problem: "expected true, false or null for each instruction, and nothing else" };
  }
  return { expected, unexpected };
}

/** A list of another length is refused: it is unknown which answer belongs to which instruction. */
function readAnswers(answers: unknown, length: number): readonly (boolean | null)[] | undefined {
  if (answers === undefined || answers === null) return new Array<null>(length).fill(null);
  if (!Array.isArray(answers) || answers.length !== length) return undefined;
  return answers.every((answer) => answer === null || typeof answer === "boolean") ? answers : undefined;
}

function wrongAnswer(expected: string, judged: unknown): TraitResult {
  return undecided(`expected ${expected}, got ${shown(judged)}`);
}

function shown(judged: unknown): string {
  if (typeof judged === "string")
    return JSON.stringify(judged.length > 60 ? `${judged.slice(0, 59)}…` : judged);
  return typeof judged === "number" || typeof judged === "boolean" ? String(judged) : typeName(judged);
}

/** The results of the traits that code decides, by name; those that need a judge are left out. Never throws. */
export function evaluateCodeTraits(
  traits: readonly Trait[],
  reply: string,
  turn?: number,
): Record<string, TraitResult> {
  const results: (readonly [string, TraitResult])[] = [];
  for (const trait of traits) {
    if (trait.type === "regex") results.push([trait.name, evaluateRegex(trait, reply)]);
    if (trait.type === "function") results.push([trait.name, evaluateFunction(trait, reply, turn)]);
  }
  // Unlike assignment, this works for any name, also `__proto__`.
  return Object.fromEntries(results);
}

function evaluateRegex(trait: RegexTrait, reply: string): TraitResult {
  const regex = linearRegexOf(trait);
  if ("problem" in regex) return undecided(`the ${regex.part} cannot be used: ${regex.problem}`);
  return { value: regex.find(reply) !== (trait.invert === true) };
}

function evaluateFunction({ evaluate }: FunctionTrait, reply: string, turn: number | undefined): TraitResult {
  if (typeof evaluate === "string") return undecided("a source string runs only within a run");
  try {
    return resultOf(evaluate(reply, turn === undefined ? {} : { turn }));
  } catch (error) {
    return undecided(`the function threw: ${errorMessage(error)}`);
  }
}

/** The declared type of an author's function proves nothing: it may return anything. */
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

/** A promise that is not awaited must not end the process when it is rejected; it may come from another realm. */
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
