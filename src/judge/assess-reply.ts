import type { Truth } from "../logic/kleene.ts";
import type { Question } from "../scenario/question.ts";
import type { ScenarioState } from "../state/state.ts";
import { evaluateCodeTraits } from "../template/evaluate-code-traits.ts";
import { extractFields } from "../template/extract-fields.ts";
import { isJudgedTrait, type Trait } from "../template/rubric.ts";
import type { TraitResult } from "../template/trait-result.ts";
import { traitValue } from "../template/trait-value.ts";
import { type FieldVerdict, verifyParsed } from "../template/verify-parsed.ts";
import type { JudgeModel, JudgeUsage } from "./judge-model.ts";
import type { JudgeInput } from "./judge-request.ts";
import { type JudgeTurnOptions, judgeTurn } from "./judge-turn.ts";
import { combinePanel, type PanelJudgement, type PanelVote } from "./panel.ts";
import { type JudgeCall, joinJudgements, type TurnJudgement, totalUsage } from "./turn-judgement.ts";

/** A reply, and everything that its assessment may look at; `traits` are all of the turn, those of the run included. */
export interface ReplyToAssess
  extends JudgeTurnOptions,
    Pick<JudgeInput, "reply" | "traits" | "earlierTurns" | "detectRefusal" | "marker"> {
  readonly question: Question;
  /** The state before the turn, for truths that depend on the past. */
  readonly state?: ScenarioState;
}

/** What is known of a reply once it has been read and verified. */
export interface ReplyAssessment {
  /** True, false, or null if it depends on something that could not be read, or nothing is verified. */
  readonly verifyResult: Truth;
  /** Weighted, from 0 to 1; null without a template. */
  readonly score: number | null;
  readonly parsed: Readonly<Record<string, unknown>>;
  readonly fields: Readonly<Record<string, FieldVerdict>>;
  readonly traits: Readonly<Record<string, TraitResult>>;
  /** The values of the traits, as routing and outcomes see them. */
  readonly rubric: Readonly<Record<string, TraitResult["value"]>>;
  readonly refused: Truth;
  /** Why fields are null, by name. */
  readonly notes: Readonly<Record<string, string>>;
  /** Unreadable if an answer of the judge could not be read; a verdict may stand all the same. */
  readonly status: "read" | "unreadable";
  readonly calls: readonly JudgeCall[];
  readonly usage: JudgeUsage | null;
  /** What each judge of a panel said, and how far they agree. */
  readonly panel?: { readonly votes: readonly PanelVote[]; readonly agreement: PanelJudgement["agreement"] };
}

/**
 * From a free reply to a verdict: rules read what they can, a judge reads the rest, code compares. Without a judge, fields and
 * traits that need one are null; several judges are a panel, which decides by majority and median. An error that a judge's
 * model throws is passed on: it says nothing about the reply.
 */
export async function assessReply(
  judge: JudgeModel | readonly JudgeModel[] | null,
  input: ReplyToAssess,
): Promise<ReplyAssessment> {
  const { question, reply, traits = [] } = input;
  const extracted = question.template === undefined ? {} : extractFields(question.template, reply);
  const judgement = await judgeReply(judge, input);
  const read = Object.entries(extracted).map(([name, { value }]) => [name, value] as const);
  const parsed = { ...judgement.parsed, ...Object.fromEntries(read) };
  const results = traitResults(traits, reply, judgement);
  const unread = Object.entries(extracted).flatMap(([name, { status }]) =>
    status === "found"
      ? []
      : [[name, status === "absent" ? "the reply does not state it" : "the reply is ambiguous"]],
  );
  const { calls, refused, status, usage } = judgement;
  return {
    ...verifyReply(input, parsed, refused),
    parsed,
    traits: results,
    rubric: Object.fromEntries(Object.entries(results).map(([name, { value }]) => [name, value])),
    refused,
    notes: { ...judgement.notes, ...Object.fromEntries(unread) },
    status,
    calls,
    usage,
    ...("panel" in judgement ? { panel: judgement.panel } : {}),
  };
}

const NOT_JUDGED: TurnJudgement = joinJudgements([]);

type ReplyJudgement = TurnJudgement & Pick<ReplyAssessment, "panel">;

async function judgeReply(
  judge: JudgeModel | readonly JudgeModel[] | null,
  input: ReplyToAssess,
): Promise<ReplyJudgement> {
  if (judge === null) return NOT_JUDGED;
  if (typeof judge === "function") return judgeAlone(judge, input);
  const votes = await Promise.all(judge.map((member) => judgeAlone(member, input)));
  const { question, traits = [] } = input;
  const { agreement, ...combined } = combinePanel(votes, { template: question.template, traits });
  const calls = votes.flatMap((vote) => vote.calls);
  // The combined answers have the form of one judge's.
  return {
    ...NOT_JUDGED,
    ...(combined as Pick<TurnJudgement, "parsed" | "rubric" | "refused" | "status">),
    calls,
    usage: totalUsage(calls),
    panel: { votes, agreement },
  };
}

function judgeAlone(judge: JudgeModel, input: ReplyToAssess): Promise<TurnJudgement> {
  const { question: asked, state: _, ...rest } = input;
  const { question, rawAnswer, template } = asked;
  return judgeTurn(
    judge,
    { ...rest, question, rawAnswer, ...(template === undefined ? {} : { template }) },
    rest,
  );
}

function traitResults(
  traits: readonly Trait[],
  reply: string,
  { rubric }: TurnJudgement,
): Record<string, TraitResult> {
  const judged = traits
    .filter(isJudgedTrait)
    .map((trait) => [trait.name, traitValue(trait, rubric[trait.name])] as const);
  return { ...Object.fromEntries(judged), ...evaluateCodeTraits(traits, reply) };
}

/** Who declines to answer has not answered rightly. */
function verifyReply(
  { question, reply, state }: ReplyToAssess,
  parsed: Readonly<Record<string, unknown>>,
  refused: Truth,
): Pick<ReplyAssessment, "verifyResult" | "score" | "fields"> {
  if (question.template === undefined) return { verifyResult: null, score: null, fields: {} };
  const { verifyResult, score, fields } = verifyParsed(
    question.template,
    parsed,
    state === undefined ? { reply } : { reply, state },
  );
  return refused === true ? { verifyResult: false, score: 0, fields } : { verifyResult, score, fields };
}
