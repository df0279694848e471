import {
  type JudgedTrait,
  type LiteralTrait,
  type MetricAnswers,
  type MetricTrait,
  type ScoreTrait,
  scoreRange,
} from "../../core/templates/rubric.ts";
import { isRecord, typeName } from "../../core/values/json.ts";
import { metricCounts, metricValue, metricValues } from "./metric-value.ts";
import { type TraitResult, undecided } from "./trait-result.ts";

/**
 * The value of a trait from what a judge answered to it: a boolean, a number, the name of a class, or the first metric.
 * An answer that the trait does not allow is null with a reason, never bent into one that it does.
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

/** Halves are in order: the judge is asked for whole numbers, but a panel's median may lie between two of them. */
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

/** A list of another length is refused: nobody could say which answer belongs to which instruction. */
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
