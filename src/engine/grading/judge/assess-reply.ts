import {
  concludeReply,
  type Reading,
  type ReplyConclusion,
  type ReplyToConclude,
  unreadByRules,
  withoutRules,
} from "../verify/conclude-reply.ts";
import { type JudgeInput, type Judging, judgePlans, plannedRequest } from "./judge-request.ts";
import { type JudgeCall, type JudgeModel, joinParts, judgePart } from "./judge-turn.ts";
import { combinePanel } from "./panel.ts";

/** A reply, and everything that its assessment uses. */
export interface ReplyToAssess extends ReplyToConclude, Pick<JudgeInput, "earlierTurns" | "marker"> {
  /** What reads fields that have a rule (default `rules-then-judge` with a judge, else `rules`). */
  readonly reading?: Reading;
  readonly judging?: Judging;
  /** True to ask whether the reply declines to answer. */
  readonly detectRefusal?: boolean;
  readonly signal?: AbortSignal;
}

/** What is known of a reply once it has been read and verified. */
export interface ReplyAssessment extends ReplyConclusion {
  readonly calls: readonly JudgeCall[];
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
  const judges = typeof judge === "function" ? [judge] : (judge ?? []);
  const input = judge === null ? reply : leftToJudge(reply);
  const { question, traits = [], detectRefusal: refusal = false, judging = "together" } = input;
  const { template, rawAnswer } = question;
  const plans = judge === null ? [] : judgePlans({ template, traits, refusal }, judging);
  const parts = await Promise.all(
    plans.map(async (plan) => {
      const request = plannedRequest(plan, { ...input, question: question.question, rawAnswer });
      const votes = await Promise.all(judges.map((member) => judgePart(member, request, input)));
      const judgements = votes.map(({ judgement }) => judgement);
      const [only] = judgements;
      return {
        judgement: only !== undefined && votes.length === 1 ? only : combinePanel(judgements, plan.task),
        calls: votes.flatMap(({ calls }) => calls),
      };
    }),
  );
  const judgement = joinParts(parts.map((part) => part.judgement));
  return { ...concludeReply(input, judgement), calls: parts.flatMap(({ calls }) => calls) };
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
