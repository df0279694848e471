import { readDate } from "../../../core/checks/date-value.ts";
import {
  isJudgedTrait,
  type JudgedTrait,
  type MetricAnswers,
  type MetricTrait,
  type Trait,
} from "../../../core/templates/rubric.ts";
import { type FieldType, judgedFields, type Template } from "../../../core/templates/template.ts";
import { collapseWhiteSpace } from "../../../core/text/text-value.ts";
import { ownValue, type UnknownRecord } from "../../../core/values/json.ts";
import { readMetricAnswers, traitValue } from "../verify/trait-value.ts";

/** What one judge of a panel answered about a turn, as it was read: traits are not turned into values yet. */
export interface PanelVote {
  readonly parsed: UnknownRecord;
  readonly rubric: UnknownRecord;
  readonly refused: boolean | null;
  readonly status: "read" | "unreadable";
  /** The names that could not be read of an answer that could be read in part. */
  readonly unread?: { readonly fields: readonly string[]; readonly traits: readonly string[] };
}

/** What the judges of a panel answer together, in the form of one judge, and how far they agree. */
export interface PanelJudgement extends PanelVote {
  /** In separate records, because a field and a trait may have the same name. */
  readonly agreement: {
    readonly parsed: Readonly<Record<string, PanelAgreement>>;
    readonly rubric: Readonly<Record<string, PanelAgreement>>;
    readonly refused: PanelAgreement;
  };
}

/** The template and the traits that the judges were asked about. */
export interface PanelQuestion {
  readonly template?: Template | undefined;
  readonly traits?: readonly Trait[];
}

/**
 * Combines the answers of several judges field by field and trait by trait. Numbers and scores: the median. Everything
 * else: what more than half of the votes say, else null with the reason. Null is a vote for "not stated"; an unreadable
 * judge, and an answer that is missing or not allowed, is no vote.
 */
export function combinePanel(
  judgements: readonly PanelVote[],
  { template, traits = [] }: PanelQuestion,
): PanelJudgement {
  const read = judgements.filter(({ status, unread }) => status === "read" || unread !== undefined);
  const fields = Object.entries(template === undefined ? {} : judgedFields(template));
  const parsed = fields.map(([name, field]) => {
    const answers = read
      .filter(({ unread }) => !unread?.fields.includes(name))
      .map((judge) => ownValue(judge.parsed, name));
    // Only an optional field may be left out to say that it is not stated.
    const votes = field.optional ? answers.map((answer) => answer ?? null) : answers;
    return [name, combineFieldVotes(field, votes)] as const;
  });
  const rubric = traits.filter(isJudgedTrait).map((trait) => {
    const answers = read
      .filter(({ unread }) => !unread?.traits.includes(trait.name))
      .map((judge) => ownValue(judge.rubric, trait.name));
    return [trait.name, combineTraitVotes(trait, answers)] as const;
  });
  const refused = majority(read.map((judge) => judge.refused));
  return {
    parsed: eachOf(parsed, ({ value }) => value),
    rubric: eachOf(rubric, ({ value }) => value),
    refused: refused.value,
    status: read.length === 0 ? "unreadable" : "read",
    agreement: {
      parsed: eachOf(parsed, ({ agreement }) => agreement),
      rubric: eachOf(rubric, ({ agreement }) => agreement),
      refused: refused.agreement,
    },
  };
}

function combineTraitVotes(trait: JudgedTrait, answers: readonly unknown[]): PanelAnswer {
  if (trait.type === "metric") return combineMetricVotes(trait, answers);
  const votes = answers.filter((answer) => answer === null || traitValue(trait, answer).value !== null);
  // A valid score is a number.
  return trait.kind === "score" ? median(votes as readonly (number | null)[]) : majority(votes);
}

/** The majority on each instruction; the share is that over all instructions together. */
function combineMetricVotes(trait: MetricTrait, answers: readonly unknown[]): PanelAnswer<MetricAnswers> {
  const votes = answers.flatMap((answer) => {
    const vote = answer === undefined ? undefined : readMetricAnswers(trait, answer ?? {});
    return vote === undefined || "problem" in vote ? [] : [vote];
  });
  if (votes.length === 0) return { value: null, agreement: majority([]).agreement };
  const expected = trait.expected.map((_, index) =>
    majority(votes.map((vote) => answerAt(vote.expected, index))),
  );
  const unexpected = (trait.unexpected ?? []).map((_, index) =>
    majority(votes.map((vote) => answerAt(vote.unexpected, index))),
  );
  const shares = [...expected, ...unexpected].map(({ agreement }) => agreement.share ?? 0);
  const share = shares.length === 0 ? null : shares.reduce((sum, part) => sum + part, 0) / shares.length;
  return {
    value: { expected: expected.map(({ value }) => value), unexpected: unexpected.map(({ value }) => value) },
    agreement: { share, votes: votes.length },
  };
}

function answerAt(answers: readonly (boolean | null)[], index: number): boolean | null {
  return answers[index] ?? null;
}

function eachOf<Answer, Part>(
  entries: readonly (readonly [string, Answer])[],
  part: (answer: Answer) => Part,
): Readonly<Record<string, Part>> {
  return Object.fromEntries(entries.map(([name, answer]) => [name, part(answer)]));
}

/**
 * Combines what judges read for a field: the median of numbers, the majority of everything else. What does not have
 * the type of the field is not a vote.
 */
export function combineFieldVotes(field: FieldType, answers: readonly unknown[]): PanelAnswer {
  const votes = answers.filter((answer) => answer === null || hasType(field, answer));
  if (field.type === "number" || field.type === "integer") {
    // What is left has the type of the field.
    return median(votes as readonly (number | null)[], { whole: field.type === "integer" });
  }
  return majority(votes, (vote) => fieldValueKey(field, vote));
}

/** Values of a field with the same key are the same answer; also what to give to `krippendorffAlpha` as ratings. */
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

/** How far the judges of a panel agree on one answer. */
interface PanelAgreement {
  /** The share of votes that equal the combined answer; null without votes. */
  readonly share: number | null;
  readonly votes: number;
  /** In words, why the combined answer is null. */
  readonly reason?: string;
}

/** The combined answer of a panel. */
interface PanelAnswer<Value = unknown> {
  readonly value: Value | null;
  readonly agreement: PanelAgreement;
}

/**
 * The answer that more than half of the judges gave; null, with the reason, if there is none. A vote for null says
 * "not stated" and counts as any other. Answers with the same key are the same answer; of their spellings the most
 * frequent is taken, then the earliest.
 */
export function majority<Value>(
  votes: readonly (Value | null)[],
  keyOf: (value: Value) => unknown = (value) => value,
): PanelAnswer<Value> {
  const groups = Map.groupBy(votes, (vote) => (vote === null ? null : keyOf(vote)));
  for (const [key, group] of groups) {
    if (group.length * 2 <= votes.length) continue;
    const share = group.length / votes.length;
    if (key === null) return { value: null, agreement: notStated(votes, share) };
    return { value: mostFrequent(group), agreement: { share, votes: votes.length } };
  }
  return { value: null, agreement: undecided(votes) };
}

/**
 * The median of the numbers, if more than half of the judges gave one; of an even count the mean of the middle two.
 * With `whole` it is the lower of these two instead: a count that some judge has read, not one between two.
 */
export function median(
  votes: readonly (number | null)[],
  { whole = false }: { readonly whole?: boolean } = {},
): PanelAnswer<number> {
  const numbers = votes.filter((vote) => vote !== null).sort((left, right) => left - right);
  const missing = votes.length - numbers.length;
  if (missing * 2 > votes.length) {
    return { value: null, agreement: notStated(votes, missing / votes.length) };
  }
  const middle = (numbers.length - 1) / 2;
  const lower = numbers[Math.floor(middle)];
  const upper = numbers[Math.ceil(middle)];
  if (lower === undefined || upper === undefined || missing * 2 === votes.length) {
    return { value: null, agreement: undecided(votes) };
  }
  // Halved before they are added: the sum of two very large numbers would be infinite.
  const value = whole || lower === upper ? lower : lower / 2 + upper / 2;
  const agreeing = numbers.filter((number) => number === value).length;
  return { value, agreement: { share: agreeing / votes.length, votes: votes.length } };
}

function notStated(votes: readonly unknown[], share: number): PanelAgreement {
  return {
    share,
    votes: votes.length,
    reason: `${Math.round(share * votes.length)} of ${votes.length} judges found no answer`,
  };
}

function undecided(votes: readonly unknown[]): PanelAgreement {
  if (votes.length === 0)
    return { share: null, votes: 0, reason: "no judge gave an answer that can be read" };
  const share = votes.filter((vote) => vote === null).length / votes.length;
  return { share, votes: votes.length, reason: `no answer has more than half of ${votes.length} votes` };
}

function mostFrequent<Value>(writings: readonly (Value | null)[]): Value | null {
  const groups = Map.groupBy(writings, (writing) => JSON.stringify(writing));
  let best: readonly (Value | null)[] = [];
  for (const group of groups.values()) if (group.length > best.length) best = group;
  return best[0] ?? null;
}
