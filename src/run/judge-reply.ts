import { Rng } from "../core/rng.ts";
import type { EarlierTurn, JudgeInput } from "../grading/judge/judge-request.ts";
import type { JudgeTaskNames } from "../grading/judge/judge-task.ts";
import {
  type JudgeModel,
  type JudgementPart,
  judgePart,
  unansweredPart,
} from "../grading/judge/judge-turn.ts";
import { combinePanel } from "../grading/judge/panel.ts";
import { failureOf, type RunFailure } from "../journal/failure.ts";
import type { TurnJudgementEvent } from "../journal/run-event.ts";
import { addSpending, NOTHING_SPENT, type Spending } from "../journal/spending.ts";
import type { Message } from "../models/message.ts";
import type { AnyModel } from "./calls/call-cache.ts";
import { overrideKey } from "./resolve-models.ts";
import type { ConversationContext } from "./run-context.ts";
import type { JudgeEffect } from "./step/conversation-state.ts";
import { itemsOf } from "./step/growing-list.ts";
import { type NodePlan, nodePlan } from "./step/node-plan.ts";

/** The result of a request to the judge; if it fails, its fields are unreadable. */
export type Judged = Pick<TurnJudgementEvent, "judgement" | "failure" | "votes" | "spending">;

/** Asks the judge, or each member of a panel, to read a reply. A call that fails is part of the result. */
export async function judgeReply(driver: ConversationContext, effect: JudgeEffect): Promise<Judged> {
  const plan = nodePlan(driver.plan.definition, effect.node, driver.plan.settings);
  const asks = plan.parts[effect.part] as JudgeTaskNames;
  const models = judgesAt(driver, plan);
  const [only] = models;
  if (only !== undefined && models.length === 1)
    return askJudge(driver, effect, { model: only, member: 0, plan });
  const votes = await Promise.all(
    models.map((model, member) => askJudge(driver, effect, { model, member, plan })),
  );
  const spending = votes.reduce((sum, vote) => addSpending(sum, vote.spending), NOTHING_SPENT);
  const failed = votes.find(({ failure }) => failure !== undefined);
  const said = votes.filter(({ failure }) => failure === undefined).map(({ judgement }) => judgement);
  const failure = failed?.failure === undefined ? {} : { failure: failed.failure };
  if (said.length === 0)
    return { judgement: unansweredPart(asks, "no judge of the panel could be asked"), ...failure, spending };
  return { judgement: combined(said, plan, asks), ...failure, votes: said, spending };
}

interface Vote {
  readonly judgement: JudgementPart;
  readonly failure?: RunFailure;
  readonly spending: Spending;
}

interface Member {
  readonly model: AnyModel;
  /** Position in the panel, from 0. */
  readonly member: number;
  readonly plan: NodePlan;
}

async function askJudge(
  driver: ConversationContext,
  effect: JudgeEffect,
  { model, member, plan }: Member,
): Promise<Vote> {
  const { run, signal } = driver;
  const { conversation, cell, settings } = driver.plan;
  const { scenario, replicate } = cell;
  const { turn, node, part } = effect;
  let spending: Spending = NOTHING_SPENT;
  let calls = 0;
  const judge: JudgeModel = async ({ instructions, messages, schema }) => {
    const answered = await run.caller.call({
      model,
      request: { instructions, messages: messages as readonly Message[], schema },
      context: {
        signal,
        purpose: "judge",
        scenario,
        conversation,
        node,
        turn,
        replicate,
        seed: run.seed,
      },
      call: `${turn}.judge.${part}.${member}.${++calls}`,
      skipsCache: run.judges.get(cell.judge)?.cache === false,
    });
    spending = addSpending(spending, answered.spending);
    const { text, object, usage } = answered.reply;
    return {
      text,
      ...(object === undefined ? {} : { object }),
      ...(usage === undefined ? {} : { usage }),
    };
  };
  try {
    const {
      calls: _,
      usage: __,
      ...judgement
    } = await judgePart(judge, judgeInput(driver, effect, plan), {
      part,
      judging: settings.judging,
    });
    return { judgement, spending };
  } catch (error) {
    const failure = failureOf(error, { stage: "judge", node, turn });
    const asks = plan.parts[part] as JudgeTaskNames;
    return {
      judgement: unansweredPart(asks, `the judge could not be asked: ${failure.message}`),
      failure,
      spending,
    };
  }
}

function judgeInput(driver: ConversationContext, effect: JudgeEffect, plan: NodePlan): JudgeInput {
  const { question, rawAnswer, template } = plan.node.question;
  const { reply, turn } = effect;
  return {
    question,
    reply,
    earlierTurns: earlierTurns(driver, turn),
    ...(template === undefined ? {} : { template }),
    traits: plan.traits,
    detectRefusal: driver.plan.settings.detectRefusal,
    rawAnswer,
    // Made from the reply, so that the same reply gives the same request; a reply cannot contain it on purpose.
    marker: new Rng(`${driver.run.seed} ${question} ${reply}`).word(),
  };
}

/** The earlier turns that the judge is shown; the state may have later ones already. */
function earlierTurns({ run, state }: ConversationContext, turn: number): readonly EarlierTurn[] {
  const spoken = state.spoken?.length ?? 0;
  const shown = Math.min(run.earlierTurns, turn - 1);
  return itemsOf(state.spoken, spoken - turn + 1 + shown)
    .slice(0, shown)
    .map(({ question, reply }) => ({ question, reply }));
}

/** The combined judgement of a panel for this request. */
function combined(
  votes: readonly JudgementPart[],
  { node, traits }: NodePlan,
  asks: JudgeTaskNames,
): JudgementPart {
  const { parsed, rubric, refused, status } = combinePanel(votes, {
    template: node.question.template,
    traits,
  });
  return {
    status,
    parsed: picked(parsed, asks.fields),
    quotes: Object.assign({}, ...votes.map(({ quotes }) => quotes)),
    notes: {},
    // The combined answers have the form of one judge's.
    rubric: picked(rubric, asks.traits) as JudgementPart["rubric"],
    refused: asks.refusal ? refused : null,
  };
}

function picked(
  values: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, values[name] ?? null]));
}

function judgesAt({ run, plan }: ConversationContext, { node }: NodePlan): readonly AnyModel[] {
  const override = node.modelOverride?.judge;
  // The run has resolved all models that nodes and cells name.
  return override === undefined
    ? (run.judges.get(plan.cell.judge)?.models ?? [])
    : [run.overrides.get(overrideKey(override)) as AnyModel];
}
