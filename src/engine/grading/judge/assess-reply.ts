import type { Truth } from "../../../core/logic/kleene.ts";
import type { Question } from "../../../core/scenario/definition.ts";
import type { ScenarioState } from "../../../core/state/state.ts";
import { isJudgedTrait } from "../../../core/templates/rubric.ts";
import type { Template } from "../../../core/templates/template.ts";
import { freezeDeep } from "../../../core/values/frozen-copy.ts";
import { extractFields } from "../reading/extract-value.ts";
import { evaluateCodeTraits, type TraitResult, traitValue } from "../verify/trait-value.ts";
import { type FieldVerdict, verifyParsed } from "../verify/verify-parsed.ts";
import type { JudgeInput } from "./judge-request.ts";
import {
  type JudgeCall,
  type JudgeModel,
  type JudgeTurnOptions,
  type JudgeUsage,
  joinJudgements,
  judgeTurn,
  type TurnJudgement,
  totalUsage,
} from "./judge-turn.ts";
import { combinePanel, type PanelJudgement, type PanelVote } from "./panel.ts";

/** A reply, and everything that its assessment uses; `traits` are all traits of the turn, also those of the run. */
export interface ReplyToAssess
  extends ReplyToConclude,
    JudgeTurnOptions,
    Pick<JudgeInput, "earlierTurns" | "detectRefusal" | "marker"> {
  /** What reads fields that have a rule (default `rules-then-judge` with a judge, else `rules`). */
  readonly reading?: Reading;
}

/**
 * What reads fields that have an `extract` rule: the rule; the rule, and the judge where it finds nothing or several answers; or only
 * the judge.
 */
export type Reading = "rules" | "rules-then-judge" | "judge";

/** What is known of a reply once it has been read and verified. */
export interface ReplyAssessment extends ReplyConclusion {
  readonly calls: readonly JudgeCall[];
  readonly usage: JudgeUsage | null;
  /** What each judge of a panel said, and how far they agree. */
  readonly panel?: { readonly votes: readonly PanelVote[]; readonly agreement: PanelJudgement["agreement"] };
}

/**
 * From a free reply to a verdict: rules read what they can, a judge reads what they leave unread and what has no rule, code compares. Without a judge, fields and
 * traits that need one are null; several judges are a panel, which decides by majority and median. An error that a judge's
 * model throws is passed on: it says nothing about the reply.
 */
export async function assessReply(
  judge: JudgeModel | readonly JudgeModel[] | null,
  reply: ReplyToAssess,
): Promise<ReplyAssessment> {
  const input = judge === null ? reply : leftToJudge(reply);
  const judgement = await judgeReply(judge, input);
  const { calls, usage } = judgement;
  return {
    ...concludeReply(input, judgement),
    calls,
    usage,
    ...("panel" in judgement ? { panel: judgement.panel } : {}),
  };
}

/** The same reply, without the rules of the fields that the judge reads. */
function leftToJudge(input: ReplyToAssess): ReplyToAssess {
  const { question, reply, finish, reading = "rules-then-judge" } = input;
  const { template } = question;
  if (template === undefined || reading === "rules") return input;
  const names = reading === "judge" ? undefined : unreadByRules(question, reply, finish);
  if (names?.length === 0) return input;
  return { ...input, question: { ...question, template: withoutRules(template, names) } };
}

/** The fields whose rules find nothing in a reply, or several answers. */
export function unreadByRules(
  { template, question }: Question,
  reply: string,
  finish: string | undefined,
): readonly string[] {
  const read = template === undefined ? {} : extractFields(template, reply, { finish, question });
  return Object.entries(read).flatMap(([name, { status }]) => (status === "found" ? [] : [name]));
}

/** A template whose fields, or some of them, have no rule: the judge reads them. */
export function withoutRules(template: Template, names?: readonly string[]): Template {
  const fields = Object.entries(template.fields).map(([name, field]) => {
    if (names !== undefined && !names.includes(name)) return [name, field];
    const { extract: _, ...rest } = field;
    return [name, Object.freeze(rest)];
  });
  return Object.freeze({ ...template, fields: Object.freeze(Object.fromEntries(fields)) });
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
  // The combined answers have the same form as those of one judge.
  return {
    ...NOT_JUDGED,
    ...(combined as Pick<TurnJudgement, "parsed" | "rubric" | "refused" | "status">),
    calls,
    usage: totalUsage(calls),
    panel: { votes, agreement },
  };
}

function judgeAlone(judge: JudgeModel, input: ReplyToAssess): Promise<TurnJudgement> {
  const { question: definition, state: _, ...rest } = input;
  const { question, rawAnswer, template } = definition;
  return judgeTurn(
    judge,
    { ...rest, question, rawAnswer, ...(template === undefined ? {} : { template }) },
    rest,
  );
}

/** A reply, and what code needs to reach a verdict. */
export interface ReplyToConclude extends Pick<JudgeInput, "reply" | "finish" | "traits"> {
  readonly question: Question;
  /** The state before the turn, for truths that depend on the past. */
  readonly state?: ScenarioState;
  /** From 1. */
  readonly turn?: number;
}

/** What code concludes about a reply from what rules and judges have read. */
export interface ReplyConclusion {
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
  /** True if the template does not verify such a reply: it is neither right nor wrong. */
  readonly notVerified?: true;
  /** Why fields are null, by name. */
  readonly notes: Readonly<Record<string, string>>;
  /** Unreadable if an answer of the judge could not be read; there may be a verdict nevertheless. */
  readonly status: "read" | "unreadable";
}

/** What code needs of a judgement. */
type JudgedParts = Pick<TurnJudgement, "parsed" | "rubric" | "refused" | "notes" | "status" | "similarities">;

/** Rules read what they can, the judgement gives the rest, and code compares both with the truth. Never throws. */
export function concludeReply(input: ReplyToConclude, judgement: JudgedParts): ReplyConclusion {
  const { question, reply } = input;
  const options = { finish: input.finish, question: question.question };
  const extracted =
    question.template === undefined ? [] : Object.entries(extractFields(question.template, reply, options));
  const parsed: Record<string, unknown> = { ...judgement.parsed };
  const notes: Record<string, string> = { ...judgement.notes };
  for (const [name, { value, status, cut }] of extracted) {
    parsed[name] = value;
    if (status === "found") continue;
    notes[name] = cut ? "the reply was cut off" : status === "absent" ? NOT_STATED : "the reply is ambiguous";
  }
  const results = traitResults(input, judgement);
  const rubric: Record<string, TraitResult["value"]> = {};
  for (const name in results) rubric[name] = results[name]?.value ?? null;
  const { refused, status } = judgement;
  // Frozen, because functions of authors get parts of it.
  return freezeDeep({
    ...verifyReply(input, freezeDeep(parsed), { ...judgement, notes }),
    parsed,
    traits: results,
    rubric,
    refused,
    notes,
    status,
  });
}

function traitResults(
  { traits = [], reply, turn }: ReplyToConclude,
  { rubric }: JudgedParts,
): Record<string, TraitResult> {
  if (traits.length === 0) return {};
  const judged = traits
    .filter(isJudgedTrait)
    .map((trait) => [trait.name, traitValue(trait, rubric[trait.name])] as const);
  return { ...Object.fromEntries(judged), ...evaluateCodeTraits(traits, reply, turn) };
}

const NOT_STATED = "the reply does not state it";

/** A refusal is never a right answer. */
function verifyReply(
  { question, reply, state, turn }: ReplyToConclude,
  parsed: Readonly<Record<string, unknown>>,
  { refused, notes, similarities }: Pick<JudgedParts, "refused" | "notes" | "similarities">,
): Pick<ReplyConclusion, "verifyResult" | "score" | "fields" | "notVerified"> {
  if (question.template === undefined) return { verifyResult: null, score: null, fields: {} };
  const isUnread = (name: string): boolean => (notes[name] ?? NOT_STATED) !== NOT_STATED;
  const context = { reply, isUnread, refused, turn, ...(similarities === undefined ? {} : { similarities }) };
  const { verifyResult, score, fields, ...gated } = verifyParsed(
    question.template,
    parsed,
    state === undefined ? context : { ...context, state },
  );
  if (gated.notVerified === true) return { verifyResult, score, fields, notVerified: true };
  return refused === true ? { verifyResult: false, score: 0, fields } : { verifyResult, score, fields };
}
