import { concludeReply, type ReplyConclusion, type ReplyToConclude } from "./conclude-reply.ts";
import type { JudgeModel, JudgeUsage } from "./judge-model.ts";
import type { JudgeInput } from "./judge-request.ts";
import { type JudgeTurnOptions, judgeTurn } from "./judge-turn.ts";
import { combinePanel, type PanelJudgement, type PanelVote } from "./panel.ts";
import { type JudgeCall, joinJudgements, type TurnJudgement, totalUsage } from "./turn-judgement.ts";

/** A reply, and everything that its assessment may look at; `traits` are all of the turn, those of the run included. */
export interface ReplyToAssess
  extends ReplyToConclude,
    JudgeTurnOptions,
    Pick<JudgeInput, "earlierTurns" | "detectRefusal" | "marker"> {}

/** What is known of a reply once it has been read and verified. */
export interface ReplyAssessment extends ReplyConclusion {
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
  const judgement = await judgeReply(judge, input);
  const { calls, usage } = judgement;
  return {
    ...concludeReply(input, judgement),
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
