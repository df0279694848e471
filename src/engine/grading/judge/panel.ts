import { readDate } from "../../../core/checks/date-value.ts";
import type { JudgedTrait, MetricAnswers, MetricTrait } from "../../../core/templates/rubric.ts";
import type { FieldType } from "../../../core/templates/template.ts";
import { collapseWhiteSpace } from "../../../core/text/text-value.ts";
import { ownValue } from "../../../core/values/json.ts";
import { readMetricAnswers, traitValue } from "../verify/trait-value.ts";
import type { JudgeTask } from "./judge-task.ts";
import type { JudgementPart } from "./judge-turn.ts";
import type { TraitAnswer } from "./read-value.ts";

/**
 * Combines what several judges answered to the same request, field by field and trait by trait. Numbers and scores: the median.
 * Everything else: what more than half of the votes say, else null. Null is a vote for "not stated"; an unreadable judge, and an answer
 * that is missing or not allowed, is no vote.
 */
export function combinePanel(votes: readonly JudgementPart[], task: JudgeTask): JudgementPart {
  const read = votes.filter(({ status, unread }) => status === "read" || unread !== undefined);
  const parsed = task.fields.map(({ name, field }) => {
    const answers = read
      .filter(({ unread }) => !unread?.fields.includes(name))
      .map((vote) => ownValue(vote.parsed, name));
    // Only an optional field may be left out to say that it is not stated.
    const counted = field.optional ? answers.map((answer) => answer ?? null) : answers;
    return [name, combineFieldVotes(field, counted)] as const;
  });
  const rubric = task.traits.map(({ name, trait }) => {
    const answers = read
      .filter(({ unread }) => !unread?.traits.includes(name))
      .map((vote) => ownValue(vote.rubric, name));
    return [name, combineTraitVotes(trait, answers)] as const;
  });
  return {
    status: read.length === 0 ? "unreadable" : "read",
    parsed: Object.fromEntries(parsed),
    quotes: Object.assign({}, ...votes.map(({ quotes }) => quotes)),
    notes: {},
    rubric: Object.fromEntries(rubric),
    refused: task.refusal ? majority(read.map(({ refused }) => refused)) : null,
  };
}

function combineTraitVotes(trait: JudgedTrait, answers: readonly unknown[]): TraitAnswer {
  if (trait.type === "metric") return combineMetricVotes(trait, answers);
  const votes = answers.filter((answer) => answer === null || traitValue(trait, answer).value !== null);
  // What a trait allows is a truth, a number or the name of a class; a valid score is a number.
  return trait.kind === "score"
    ? median(votes as readonly (number | null)[])
    : majority(votes as readonly TraitAnswer[]);
}

/** The majority on each instruction. */
function combineMetricVotes(trait: MetricTrait, answers: readonly unknown[]): MetricAnswers | null {
  const votes = answers.flatMap((answer) => {
    const vote = answer === undefined ? undefined : readMetricAnswers(trait, answer ?? {});
    return vote === undefined || "problem" in vote ? [] : [vote];
  });
  if (votes.length === 0) return null;
  return {
    expected: trait.expected.map((_, index) =>
      majority(votes.map(({ expected }) => expected[index] ?? null)),
    ),
    unexpected: (trait.unexpected ?? []).map((_, index) =>
      majority(votes.map(({ unexpected }) => unexpected[index] ?? null)),
    ),
  };
}

/**
 * Combines what judges read for a field: the median of numbers, the majority of everything else. What does not have
 * the type of the field is not a vote.
 */
export function combineFieldVotes(field: FieldType, answers: readonly unknown[]): unknown {
  const votes = answers.filter((answer) => answer === null || hasType(field, answer));
  if (field.type === "number" || field.type === "integer") {
    // What is left has the type of the field.
    return median(votes as readonly (number | null)[], { whole: field.type === "integer" });
  }
  return majority(votes, (vote) => fieldValueKey(field, vote));
}

/** Values of a field with the same key are the same answer. */
export function fieldValueKey(field: FieldType, value: unknown): string {
  if (field.type === "array") {
    const items = Array.isArray(value) ? value.map((item) => fieldValueKey(field.items, item)) : [];
    return JSON.stringify([...new Set(items)].sort());
  }
  if (typeof value !== "string" || field.type === "enum") return JSON.stringify(value) ?? "null";
  if (field.type === "date") return dateKey(value);
  // Judges copy the same words with another case or line break.
  return JSON.stringify(collapseWhiteSpace(value.normalize("NFC")).toLowerCase());
}

/** The same day has the same key however it is written; with a time of day, the same instant. */
function dateKey(value: string): string {
  const date = readDate(value);
  if (date === undefined) return JSON.stringify(collapseWhiteSpace(value));
  return date.bare ? `day ${date.instant}` : `instant ${date.instant}`;
}

function hasType(field: FieldType, value: unknown): boolean {
  switch (field.type) {
    case "boolean":
      return typeof value === "boolean";
    case "string":
    case "date":
      return typeof value === "string";
    case "integer":
      return Number.isInteger(value);
    case "number":
      return Number.isFinite(value);
    case "enum":
      return field.values.includes(value as never);
    case "array":
      return Array.isArray(value) && value.every((item) => hasType(field.items, item));
  }
}

/**
 * The answer that more than half of the judges gave; null if there is none. A vote for null says "not stated" and counts as any other.
 * Answers with the same key are the same answer; of their spellings the most frequent is taken, then the earliest.
 */
export function majority<Value>(
  votes: readonly (Value | null)[],
  keyOf: (value: Value) => unknown = (value) => value,
): Value | null {
  const groups = Map.groupBy(votes, (vote) => (vote === null ? null : keyOf(vote)));
  for (const [key, group] of groups)
    if (group.length * 2 > votes.length) return key === null ? null : mostFrequent(group);
  return null;
}

/**
 * The median of the numbers, if more than half of the judges gave one; of an even count the mean of the middle two.
 * With `whole` it is the lower of these two instead: a count that some judge has read, not one between two.
 */
export function median(
  votes: readonly (number | null)[],
  { whole = false }: { readonly whole?: boolean } = {},
): number | null {
  const numbers = votes.filter((vote) => vote !== null).sort((left, right) => left - right);
  const middle = (numbers.length - 1) / 2;
  const lower = numbers[Math.floor(middle)];
  const upper = numbers[Math.ceil(middle)];
  if (lower === undefined || upper === undefined || numbers.length * 2 <= votes.length) return null;
  // Halved before they are added: the sum of two very large numbers would be infinite.
  return whole || lower === upper ? lower : lower / 2 + upper / 2;
}

function mostFrequent<Value>(writings: readonly (Value | null)[]): Value | null {
  const groups = Map.groupBy(writings, (writing) => JSON.stringify(writing));
  let best: readonly (Value | null)[] = [];
  for (const group of groups.values()) if (group.length > best.length) best = group;
  return best[0] ?? null;
}
