import {
  isJudgedTrait,
  type JudgedTrait,
  type MetricAnswers,
  type MetricTrait,
  type Trait,
} from "../../core/templates/rubric.ts";
import { judgedFields, type Template } from "../../core/templates/template.ts";
import { ownValue, type UnknownRecord } from "../../core/values/json.ts";
import { readMetricAnswers, traitValue } from "../verify/trait-value.ts";
import { combineFieldVotes } from "./panel-field.ts";
import { majority, median, type PanelAgreement, type PanelAnswer } from "./panel-vote.ts";

/** What one judge of a panel answered about a turn, as it was read: traits are not turned into values yet. */
export interface PanelVote {
  readonly parsed: UnknownRecord;
  readonly rubric: UnknownRecord;
  readonly refused: boolean | null;
  readonly status: "read" | "unreadable";
}

/** What the judges of a panel answer together, in the form of one judge, and how far they agree. */
export interface PanelJudgement extends PanelVote {
  /** Apart from each other, because a field and a trait may have the same name. */
  readonly agreement: {
    readonly parsed: Readonly<Record<string, PanelAgreement>>;
    readonly rubric: Readonly<Record<string, PanelAgreement>>;
    readonly refused: PanelAgreement;
  };
}

/** What the judges were asked. */
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
  const read = judgements.filter(({ status }) => status === "read");
  const fields = Object.entries(template === undefined ? {} : judgedFields(template));
  const parsed = fields.map(([name, field]) => {
    const answers = read.map((judge) => ownValue(judge.parsed, name));
    // Only an optional field may be left out to say that it is not stated.
    const votes = field.optional ? answers.map((answer) => answer ?? null) : answers;
    return [name, combineFieldVotes(field, votes)] as const;
  });
  const rubric = traits.filter(isJudgedTrait).map((trait) => {
    const answers = read.map((judge) => ownValue(judge.rubric, trait.name));
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
  // Of a score, what the trait allows is a number.
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
