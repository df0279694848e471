import { SELF_JUDGE } from "../../core/defaults.ts";
import { Rng } from "../../core/rng.ts";
import type { ScenarioNode } from "../../core/scenario/definition.ts";
import { itemsOf } from "../../core/values/growing-list.ts";
import { type EarlierTurn, type JudgeRequest, plannedRequest } from "../grading/judge/judge-request.ts";
import {
  type JudgeModel,
  type JudgementPart,
  judgePart,
  type TurnJudgement,
  unansweredPart,
} from "../grading/judge/judge-turn.ts";
import { combinePanel } from "../grading/judge/panel.ts";
import { failureOf, type RunFailure } from "../journal/failure.ts";
import type { JudgeAnswered } from "../journal/judge-health.ts";
import type { Cell, TurnJudgementEvent } from "../journal/run-event.ts";
import { addSpending, NOTHING_SPENT, type Spending } from "../journal/spending.ts";
import type { Message } from "../models/message.ts";
import type { AnyModel } from "./calls/call-cache.ts";
import { overrideKey } from "./resolve-models.ts";
import type { ConversationContext, ConversationPlan, Judge, RunContext } from "./run-context.ts";
import type { ConversationState, JudgeEffect } from "./step/conversation-state.ts";

/** The result of a request to the judge; if it fails, its fields are unreadable. */
export type Judged = Pick<TurnJudgementEvent, "judgement" | "failure" | "votes" | "judges" | "spending">;

/** Asks the judge, or each member of a panel, to read a reply. A call that fails is part of the result. */
export async function judgeReply(driver: ConversationContext, effect: JudgeEffect): Promise<Judged> {
  const { task } = effect.plan;
  const named = judgesAt(driver, effect);
  const [only] = named;
  if (only !== undefined && named.length === 1) {
    const { answered, ...vote } = await askJudge(driver, effect, { ...only, member: 0 });
    return { ...vote, judges: [answered] };
  }
  const votes = await Promise.all(
    named.map((judge, member) => askJudge(driver, effect, { ...judge, member })),
  );
  const judges = votes.map(({ answered }) => answered);
  const spending = votes.reduce((sum, vote) => addSpending(sum, vote.spending), NOTHING_SPENT);
  const failed = votes.find(({ failure }) => failure !== undefined);
  const said = votes.filter(({ failure }) => failure === undefined).map(({ judgement }) => judgement);
  const failure = failed?.failure === undefined ? {} : { failure: failed.failure };
  if (said.length === 0)
    return {
      judgement: unansweredPart(task, "no judge of the panel could be asked"),
      ...failure,
      judges,
      spending,
    };
  return { judgement: combined(said, effect), ...failure, votes: said, judges, spending };
}

interface Vote {
  readonly judgement: JudgementPart;
  readonly failure?: RunFailure;
  readonly answered: JudgeAnswered;
  readonly spending: Spending;
}

interface NamedJudge {
  readonly model: AnyModel;
  /** As reports name it. */
  readonly name: string;
}

interface Member extends NamedJudge {
  /** Position in the panel, from 0. */
  readonly member: number;
}

async function askJudge(
  driver: ConversationContext,
  effect: JudgeEffect,
  { model, name, member }: Member,
): Promise<Vote> {
  const { run, signal } = driver;
  const { conversation, cell } = driver.plan;
  const { scenario, replicate } = cell;
  const { turn, node, part } = effect;
  let spending: Spending = NOTHING_SPENT;
  let calls = 0;
  let asksAgain = false;
  const judge: JudgeModel = async ({ instructions, messages, schema }) => {
    const { text, object, usage } = await run.caller.call({
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
      skipsCache: judgeAt(run, driver.plan, effect.reads.node)?.cache === false,
      ignoresStored: asksAgain,
      session: driver.session,
      onSpent: (spent) => {
        spending = addSpending(spending, spent);
      },
    });
    return {
      text,
      ...(object === undefined ? {} : { object }),
      ...(usage === undefined ? {} : { usage }),
    };
  };
  const request = judgeRequestOf(run, driver.state, effect);
  const ask = (): Promise<TurnJudgement> => judgePart(judge, request, effect);
  try {
    let read = await ask();
    if (read.status === "unreadable" && run.retriesUnreadable && spending.calls === 0) {
      asksAgain = true;
      read = await ask();
    }
    const { calls: made, usage: _, ...judgement } = read;
    return { judgement, answered: answeredBy(name, read, spending.calls === 0 && made.length > 0), spending };
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

function answeredBy(judge: string, read: TurnJudgement, isStored: boolean): JudgeAnswered {
  const { status, calls, unread } = read;
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

/** The combined judgement of a panel for this request. */
function combined(votes: readonly JudgementPart[], { plan, reads }: JudgeEffect): JudgementPart {
  const { template } = reads.node.question;
  const { parsed, rubric, refused, status } = combinePanel(votes, { template, traits: reads.traits });
  const { task } = plan;
  return {
    status,
    parsed: picked(parsed, task.fields),
    quotes: Object.assign({}, ...votes.map(({ quotes }) => quotes)),
    notes: {},
    // The combined answers have the form of one judge's.
    rubric: picked(rubric, task.traits) as JudgementPart["rubric"],
    refused: task.refusal ? refused : null,
  };
}

function picked(
  values: Readonly<Record<string, unknown>>,
  parts: readonly { readonly name: string }[],
): Record<string, unknown> {
  return Object.fromEntries(parts.map(({ name }) => [name, values[name] ?? null]));
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
