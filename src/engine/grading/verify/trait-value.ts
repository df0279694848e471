import { linearRegexOf } from "../../../core/checks/linear-regex.ts";
import { errorMessage } from "../../../core/error-message.ts";
import {
  type FunctionTrait,
  type JudgedTrait,
  type LiteralTrait,
  METRIC_NAMES,
  type MetricAnswers,
  type MetricName,
  type MetricTrait,
  type RegexTrait,
  type ScoreTrait,
  scoreRange,
  type Trait,
} from "../../../core/templates/rubric.ts";
import { isRecord, typeName } from "../../../core/values/json.ts";

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

/** How often what was found agrees with what was expected. */
export interface MetricCounts {
  /** Expected and found. */
  readonly tp: number;
  /** Expected and missing. */
  readonly fn: number;
  /** Unexpected and found. */
  readonly fp: number;
  /** Unexpected and missing. */
  readonly tn: number;
  /** Instructions of either kind that the judge could not decide. */
  readonly unknown: { readonly expected: number; readonly unexpected: number };
}

/** Every metric; null where it is undefined or depends on what is not known. */
export type MetricValues = Readonly<Record<MetricName, number | null>>;

/** A metric, or null and why. */
interface MetricValue {
  readonly value: number | null;
  readonly reason?: string;
}

type KnownCounts = Pick<MetricCounts, "tp" | "fn" | "fp" | "tn">;

/** Numerator and denominator of each metric. */
const RATIOS: Readonly<Record<MetricName, (counts: KnownCounts) => readonly [number, number]>> = {
  precision: ({ tp, fp }) => [tp, tp + fp],
  recall: ({ tp, fn }) => [tp, tp + fn],
  // The harmonic mean of precision and recall, but 0, not undefined, for a reply that has nothing of what is listed.
  f1: ({ tp, fn, fp }) => [2 * tp, 2 * tp + fp + fn],
  specificity: ({ fp, tn }) => [tn, tn + fp],
  accuracy: ({ tp, fn, fp, tn }) => [tp + tn, tp + fn + fp + tn],
};

/** Counts the answers of a judge. */
export function metricCounts({ expected, unexpected = [] }: MetricAnswers): MetricCounts {
  const [tp, fn, unknownExpected] = tally(expected);
  const [fp, tn, unknownUnexpected] = tally(unexpected);
  return { tp, fn, fp, tn, unknown: { expected: unknownExpected, unexpected: unknownUnexpected } };
}

/**
 * A metric of the counts. An empty denominator is undefined: null, never 0. With unknown answers the metric is null
 * unless it is the same for all possible answers.
 */
export function metricValue(metric: MetricName, counts: MetricCounts): MetricValue {
  const ratio = RATIOS[metric];
  // Each metric rises or falls steadily in either unknown, so the corners bound everything in between.
  const [first, ...others] = corners(counts).map((corner) => {
    const [numerator, denominator] = ratio(corner);
    return denominator === 0 ? null : numerator / denominator;
  });
  const open = counts.unknown.expected + counts.unknown.unexpected;
  if (others.some((other) => other !== first)) {
    return {
      value: null,
      reason: `${metric} depends on ${instructions(open)} that the judge could not decide`,
    };
  }
  if (first === undefined || first === null) {
    return { value: null, reason: `${metric} is undefined: its denominator is empty` };
  }
  return { value: first };
}

/** All five metrics of the counts. */
export function metricValues(counts: MetricCounts): MetricValues {
  const values = METRIC_NAMES.map((metric) => [metric, metricValue(metric, counts).value] as const);
  // The names are those of the record.
  return Object.fromEntries(values) as MetricValues;
}

/** The counts if all unknown answers of a kind are the same, in every combination. */
function corners({ tp, fn, fp, tn, unknown }: MetricCounts): readonly KnownCounts[] {
  const expected = splits(tp, fn, unknown.expected);
  const unexpected = splits(fp, tn, unknown.unexpected);
  return expected.flatMap(([tp, fn]) => unexpected.map(([fp, tn]) => ({ tp, fn, fp, tn })));
}

function splits(found: number, missing: number, unknown: number): readonly (readonly [number, number])[] {
  if (unknown === 0) return [[found, missing]];
  return [
    [found + unknown, missing],
    [found, missing + unknown],
  ];
}

/** How many are found, missing and unknown. */
function tally(answers: readonly (boolean | null)[]): readonly [number, number, number] {
  let found = 0;
  let missing = 0;
  for (const answer of answers) {
    if (answer === true) found++;
    if (answer === false) missing++;
  }
  return [found, missing, answers.length - found - missing];
}

function instructions(count: number): string {
  return count === 1 ? "an instruction" : `${count} instructions`;
}
