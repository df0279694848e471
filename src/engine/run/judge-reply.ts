import { SELF_JUDGE } from "../../core/defaults.ts";
import { Rng } from "../../core/rng.ts";
import type { ScenarioNode } from "../../core/scenario/definition.ts";
import { itemsOf } from "../../core/values/growing-list.ts";
import { type EarlierTurn, type JudgeRequest, plannedRequest } from "../grading/judge/judge-request.ts";
import { type JudgeModel, judgePart, unansweredPart } from "../grading/judge/judge-turn.ts";
import { combinePanel } from "../grading/judge/panel.ts";
import { failureOf } from "../journal/failure.ts";
import type { JudgeAnswered } from "../journal/judge-health.ts";
import type { Cell, TurnJudgementEvent } from "../journal/run-event.ts";
import { addSpending, NOTHING_SPENT, type Spending } from "../journal/spending.ts";
import type { Message } from "../models/message.ts";
import { callContext } from "./ask-subject.ts";
import type { AnyModel } from "./calls/call-cache.ts";
import { overrideKey } from "./resolve-models.ts";
import type { ConversationContext, ConversationPlan, Judge, RunContext } from "./run-context.ts";
import type { ConversationState, JudgeEffect } from "./step/conversation-state.ts";

/** The result of a request to the judge; if it fails, its fields are unreadable. */
export type Judged = Pick<TurnJudgementEvent, "judgement" | "failure" | "votes" | "judges" | "spending">;

/** Asks the judge, or each member of a panel, to read a reply. A call that fails is part of the result. */
export async function judgeReply(driver: ConversationContext, effect: JudgeEffect): Promise<Judged> {
  const { task } = effect.plan;
  const votes = await Promise.all(
    judgesAt(driver, effect).map((judge, member) => askJudge(driver, effect, { ...judge, member })),
  );
  const failure = votes.find((vote) => vote.failure !== undefined)?.failure;
  const known = {
    ...(failure === undefined ? {} : { failure }),
    judges: votes.map(({ answered }) => answered),
    spending: votes.map((vote) => vote.spending).reduce(addSpending, NOTHING_SPENT),
  };
  const [only] = votes;
  if (only !== undefined && votes.length === 1) return { judgement: only.judgement, ...known };
  const said = votes.flatMap((vote) => (vote.failure === undefined ? [vote.judgement] : []));
  if (said.length === 0)
    return { judgement: unansweredPart(task, "no judge of the panel could be asked"), ...known };
  return { judgement: combinePanel(said, task), votes: said, ...known };
}

interface Vote extends Pick<Judged, "judgement" | "failure" | "spending"> {
  readonly answered: JudgeAnswered;
}

interface NamedJudge {
  readonly model: AnyModel;
  /** As reports name it. */
  readonly name: string;
}

async function askJudge(
  driver: ConversationContext,
  effect: JudgeEffect,
  { model, name, member }: NamedJudge & { readonly member: number },
): Promise<Vote> {
  const { run, plan, signal } = driver;
  const { turn, node, part } = effect;
  let spending: Spending = NOTHING_SPENT;
  let calls = 0;
  let asksAgain = false;
  const judge: JudgeModel = async ({ instructions, messages, schema }) => {
    const { text, object } = await run.caller.call({
      model,
      request: { instructions, messages: messages as readonly Message[], schema },
      context: callContext(driver, effect, { purpose: "judge", signal }),
      call: `${turn}.judge.${part}.${member}.${++calls}`,
      skipsCache: judgeAt(run, plan, effect.reads.node)?.cache === false,
      ignoresStored: asksAgain,
      session: driver.session,
      onSpent: (spent) => {
        spending = addSpending(spending, spent);
      },
    });
    return { text, ...(object === undefined ? {} : { object }) };
  };
  const request = judgeRequestOf(run, driver.state, effect);
  try {
    let read = await judgePart(judge, request, effect);
    if (read.judgement.status === "unreadable" && run.retriesUnreadable && spending.calls === 0) {
      asksAgain = true;
      read = await judgePart(judge, request, effect);
    }
    const { judgement } = read;
    return { judgement, answered: answeredBy(name, read, spending.calls === 0), spending };
  } catch (error) {
    const failure = failureOf(error, { stage: "judge", node, turn });
    return {
      judgement: unansweredPart(effect.plan.task, `the judge could not be asked: ${failure.message}`),
      failure,
      answered: { judge: name, result: "failed", reason: failure.message, category: failure.category },
      spending,
    };
  }
}

/** As long as a line that people read. */
const LONGEST_REASON = 200;

function answeredBy(
  judge: string,
  { judgement, calls }: Awaited<ReturnType<typeof judgePart>>,
  isStored: boolean,
): JudgeAnswered {
  const { status, unread } = judgement;
  if (status === "read") return { judge, result: calls.length > 1 ? "repaired" : "read" };
  // The first of a list.
  const reason = (calls.at(-1)?.error ?? "").replace(/^- /, "").split("\n", 1)[0] ?? "";
  return {
    judge,
    result: "unreadable",
    reason: reason.slice(0, LONGEST_REASON),
    ...(isStored ? { stored: true } : {}),
    ...(unread === undefined ? {} : { partly: true }),
  };
}

/** What a judge is asked about a reply, in a run with this seed that shows so many earlier turns. */
export function judgeRequestOf(
  run: Pick<RunContext, "seed" | "earlierTurns">,
  state: ConversationState,
  effect: JudgeEffect,
): JudgeRequest {
  const { plan, reads, reply, finish } = effect;
  const { question, rawAnswer } = reads.node.question;
  return plannedRequest(plan, {
    question,
    reply,
    finish,
    earlierTurns: shownTurns(run, state, effect),
    rawAnswer,
    // Made from the reply, so that the same reply gives the same request; a reply cannot contain it on purpose.
    marker: new Rng(`${run.seed} ${question} ${reply}`).word(),
  });
}

/** The earlier turns that the judge is shown; the state may have later ones already. */
export function shownTurns(
  { earlierTurns }: Pick<RunContext, "earlierTurns">,
  { cell, spoken }: Pick<ConversationState, "cell" | "spoken">,
  { reads, turn }: Pick<JudgeEffect, "reads" | "turn">,
): readonly EarlierTurn[] {
  // A subject's own model must not meet the conversation again in which it may have given way.
  if (cell.judge === SELF_JUDGE && reads.node.modelOverride?.judge === undefined) return [];
  const shown = Math.min(earlierTurns, turn - 1);
  return itemsOf(spoken, (spoken?.length ?? 0) - turn + 1 + shown)
    .slice(0, shown)
    .map(({ question, reply }) => ({ question, reply }));
}

function judgesAt({ run, plan }: ConversationContext, { reads }: JudgeEffect): readonly NamedJudge[] {
  const judge = judgeAt(run, plan, reads.node);
  const models = judge?.models ?? [];
  return models.map((model) => ({ model, name: models.length === 1 ? (judge?.name ?? "") : model.name }));
}

/** The judge of a turn. The run has resolved all models that nodes and cells name. */
export function judgeAt(
  models: Pick<RunContext, "subjects" | "judges" | "overrides">,
  { cell }: Pick<ConversationPlan, "cell">,
  { modelOverride }: ScenarioNode,
): Judge | undefined {
  const override = modelOverride?.judge;
  return override === undefined ? judgeOf(models, cell) : models.overrides.judges.get(overrideKey(override));
}

/** The judge of a conversation, for nodes that name no other. */
export function judgeOf(
  { subjects, judges }: Pick<RunContext, "subjects" | "judges">,
  { subject, judge }: Pick<Cell, "subject" | "judge">,
): Judge | undefined {
  return judge === SELF_JUDGE ? subjects.get(subject)?.judge : judges.get(judge);
}
