import type { ScenarioDefinition, ScenarioNode } from "../../../core/scenario/definition.ts";
import type { JudgeTask } from "../../../engine/grading/judge/judge-task.ts";
import { NOTHING_SPENT } from "../../../engine/journal/spending.ts";
import { subjectAt } from "../../../engine/run/ask-subject.ts";
import { simulatorAt, userRequest } from "../../../engine/run/ask-user.ts";
import { judgeAt, judgeRequestOf, shownTurns } from "../../../engine/run/judge-reply.ts";
import type {
  AskEffect,
  ConversationState,
  SimulateEffect,
} from "../../../engine/run/step/conversation-state.ts";
import { nodePlan } from "../../../engine/run/step/node-plan.ts";
import { step } from "../../../engine/run/step/step.ts";
import { type AmountSpread, type Amounts, addAmounts, addCalls, MILLISECONDS, TURNS } from "./amounts.ts";
import { estimateRequest, estimateTokens } from "./estimate-tokens.ts";
import type { Forecast } from "./forecast.ts";

/** A question that is about to be asked. */
interface AskedTurn {
  readonly state: ConversationState;
  readonly ask: AskEffect;
  /** By how many tokens the conversation is longer than its messages: replies are placeholders. */
  readonly longer: number;
}

/** What the message of a simulated user takes. One that breaks the contract is asked for once more. */
export function userCost(simulate: SimulateEffect, longer: number, forecast: Forecast): AmountSpread {
  const { slots, run, assumptions } = forecast;
  const slot = slots.of("simulator", simulatorAt({ run }, simulate));
  const input = estimateRequest(userRequest(simulate.contract, simulate.messages)) + longer;
  const call = forecast.call(slot, { input, output: assumptions.message });
  const latency = forecast.latency(slot, assumptions.message);
  return slots.spread(({ least, expected, most }) => {
    for (const [amounts, calls] of [
      [least, 1],
      [expected, 1],
      [most, 2],
    ] as const) {
      addCalls(amounts, slot, { ...call, calls });
      amounts[MILLISECONDS] = calls * latency;
    }
  });
}

/** What asking a question and reading the reply take, and how long the reply will be. */
export function askedCost(
  definition: ScenarioDefinition,
  turn: AskedTurn,
  forecast: Forecast,
): { readonly cost: AmountSpread; readonly replyTokens: number } {
  const { slots, run, toolSteps } = forecast;
  const { state, ask, longer } = turn;
  const { cell } = state;
  const node = definition.nodes[ask.node] as ScenarioNode;
  const { model } = subjectAt({ run, plan: { cell } }, node);
  const slot = slots.of("subject", model);
  const replyTokens = forecast.replyTokens(cell, ask.node, { question: node.question, model });
  const { instructions = "", messages } = ask;
  const input = estimateRequest({ instructions, messages }) + longer;
  const call = forecast.call(slot, { input, output: replyTokens });
  const latency = forecast.latency(slot, replyTokens);
  const steps = forecast.callsPerTurn(cell, ask.node);
  const cost = slots.spread(({ least, expected, most }) => {
    for (const [amounts, calls] of [
      [least, 1],
      [expected, steps],
      [most, toolSteps],
    ] as const) {
      addCalls(amounts, slot, { ...call, calls });
      amounts[TURNS] = 1;
      amounts[MILLISECONDS] = calls * latency;
    }
  });
  addReading(cost, { ...turn, definition, node, replyTokens }, forecast);
  return { cost, replyTokens };
}

interface ReadTurn extends AskedTurn {
  readonly definition: ScenarioDefinition;
  readonly node: ScenarioNode;
  readonly replyTokens: number;
}

/**
 * Adds what reading the reply takes: the real requests to the judge, made by `step`, and the vectors of texts. At least, rules read all
 * they can; at most, they read nothing, and every answer of the judge must be repaired.
 */
function addReading(cost: AmountSpread, turn: ReadTurn, forecast: Forecast): void {
  const { state, ask } = turn;
  const { reading, ...byRules } = state.settings;
  const readsFirst = reading === "rules-then-judge";
  const all = judgeCost(turn, forecast);
  const certain = readsFirst ? judgeCost({ ...turn, state: { ...state, settings: byRules } }, forecast) : all;
  const unread = readsFirst ? forecast.unread(state.cell, ask.node) : 1;
  addAmounts(cost.least, certain.once);
  addAmounts(cost.expected, certain.expected, 1 - unread);
  addAmounts(cost.expected, all.expected, unread);
  addAmounts(cost.most, all.once, 2);
  const meanings = meaningCost(turn, forecast);
  for (const amounts of [cost.least, cost.expected, cost.most]) addAmounts(amounts, meanings);
}

interface JudgeCost {
  /** If every answer can be read at once. */
  readonly once: Amounts;
  readonly expected: Amounts;
}

/** No rule can read it, so that `step` asks the judge everything. */
const UNREADABLE_REPLY = "…";

function judgeCost({ definition, node, state, ask, replyTokens }: ReadTurn, forecast: Forecast): JudgeCost {
  const { slots, run } = forecast;
  const cost = { once: slots.zero(), expected: slots.zero() };
  const after = step(definition, state, {
    type: "turn-reply",
    conversation: state.conversation,
    turn: ask.turn,
    reply: UNREADABLE_REPLY,
    messages: [{ role: "assistant", content: UNREADABLE_REPLY }],
    finish: "stop",
    spending: NOTHING_SPENT,
  });
  const models = judgeAt(run, { cell: state.cell }, node)?.models ?? [];
  const unread = after.state.open.find(({ turn }) => turn === ask.turn)?.unreadByRules;
  const { waits } = nodePlan(definition, ask.node, state.settings, unread);
  let slowest = 0;
  for (const effect of after.effects) {
    if (effect.type !== "judge" || effect.turn !== ask.turn) continue;
    const { instructions, messages, schema, task } = judgeRequestOf(run, after.state, effect);
    // The judge is shown this reply and some before it; the replies here are placeholders without their length.
    const shown = 1 + shownTurns(run, after.state, effect).length;
    const input = estimateRequest({ instructions, messages, schema }) + shown * replyTokens;
    const output = answerTokens(task);
    const isAwaited = waits === "everything" || waits.includes(effect.part);
    for (const model of models) {
      const slot = slots.of("judge", model);
      const call = forecast.call(slot, { input, output });
      addCalls(cost.once, slot, call);
      addCalls(cost.expected, slot, { ...call, calls: forecast.repairs(slot) });
      if (isAwaited) slowest = Math.max(slowest, forecast.latency(slot, output));
    }
  }
  for (const amounts of [cost.once, cost.expected]) amounts[MILLISECONDS] = slowest;
  return cost;
}

const ANSWER_FRAME = 8;
const VALUE = 6;

/** The names that the answer repeats, and a value for each. */
function answerTokens({ fields, traits, refusal }: JudgeTask): number {
  const names = [...[...fields, ...traits].map(({ name }) => name), ...(refusal ? ["refused"] : [])];
  return ANSWER_FRAME + names.reduce((sum, name) => sum + estimateTokens(name) + VALUE, 0);
}

/** The vector of what was read, for each field that is compared by meaning. The truth's own vector is asked for once in a run. */
function meaningCost({ definition, node, state, ask }: ReadTurn, forecast: Forecast): Amounts {
  const { slots, run } = forecast;
  const amounts = slots.zero();
  const { comparesMeaning } = nodePlan(definition, ask.node, state.settings);
  if (run.embedder === null || !comparesMeaning) return amounts;
  const slot = slots.of("embedder", run.embedder);
  for (const { check, truth } of Object.values(node.question.template?.fields ?? {})) {
    if (check?.type !== "semantic_match") continue;
    addCalls(amounts, slot, forecast.call(slot, { input: estimateTokens(String(truth)), output: 0 }));
    forecast.truths.add(String(truth));
  }
  return amounts;
}
