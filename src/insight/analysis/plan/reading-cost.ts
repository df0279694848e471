import type { ScenarioDefinition, ScenarioNode } from "../../../core/scenario/definition.ts";
import type { JudgeTask } from "../../../engine/grading/judge/judge-task.ts";
import { NOTHING_SPENT } from "../../../engine/journal/spending.ts";
import { judgeAt, judgeRequestOf, shownTurns } from "../../../engine/run/judge-reply.ts";
import type {
  AskEffect,
  ConversationState,
  JudgeEffect,
} from "../../../engine/run/step/conversation-state.ts";
import { nodePlan } from "../../../engine/run/step/node-plan.ts";
import { step } from "../../../engine/run/step/step.ts";
import { type AmountSpread, type Amounts, addAmounts, addCalls, MILLISECONDS } from "./amounts.ts";
import { estimateRequest, estimateTokens } from "./estimate-tokens.ts";
import type { Forecast } from "./forecast.ts";

/** A question that is about to be asked, and how long its reply will be. */
interface AskedTurn {
  readonly state: ConversationState;
  readonly ask: AskEffect;
  readonly replyTokens: number;
}

/** No rule can read it, so that `step` asks the judge everything. */
const UNREADABLE_REPLY = "…";

/**
 * What reading the reply of a turn takes: the real requests to the judge, made by `step`, and the vectors of texts. At least, rules
 * read all they can; at most, they read nothing, and every answer of the judge must be repaired.
 */
export function readingCost(
  definition: ScenarioDefinition,
  turn: AskedTurn,
  forecast: Forecast,
): AmountSpread {
  const { slots } = forecast;
  const { state, ask } = turn;
  const { settings, cell } = state;
  const sum = { least: slots.zero(), expected: slots.zero(), most: slots.zero() };
  const { reading, ...byRules } = settings;
  const all = judgeCost(definition, turn, forecast);
  const certain =
    reading === "rules-then-judge"
      ? judgeCost(definition, { ...turn, state: { ...state, settings: byRules } }, forecast)
      : all;
  const unread = reading === "rules-then-judge" ? forecast.unread(cell, ask.node) : 1;
  addAmounts(sum.least, certain.once);
  addAmounts(sum.expected, certain.expected, 1 - unread);
  addAmounts(sum.expected, all.expected, unread);
  addAmounts(sum.most, all.once, 2);
  const meanings = meaningCost(definition, turn, forecast);
  for (const amounts of [sum.least, sum.expected, sum.most]) addAmounts(amounts, meanings);
  return sum;
}

interface JudgeCost {
  /** If every answer can be read at once. */
  readonly once: Amounts;
  readonly expected: Amounts;
}

function judgeCost(
  definition: ScenarioDefinition,
  { state, ask, replyTokens }: AskedTurn,
  forecast: Forecast,
): JudgeCost {
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
  const node = definition.nodes[ask.node] as ScenarioNode;
  const models = judgeAt(run, { cell: state.cell }, node)?.models ?? [];
  const effects = after.effects.filter(
    (effect): effect is JudgeEffect => effect.type === "judge" && effect.turn === ask.turn,
  );
  const unread = after.state.open.find(({ turn }) => turn === ask.turn)?.unreadByRules;
  const { waits } = nodePlan(definition, ask.node, state.settings, unread);
  let slowest = 0;
  for (const effect of effects) {
    const { instructions, messages, schema, task } = judgeRequestOf(run, after.state, effect);
    // The judge is shown this reply and some before it; the replies here are placeholders without their length.
    const shown = 1 + shownTurns(run, after.state, effect).length;
    const input = estimateRequest({ instructions, messages, schema }) + shown * replyTokens;
    const output = answerTokens(task);
    for (const model of models) {
      const slot = slots.of("judge", model);
      const call = forecast.call(slot, { input, output });
      addCalls(cost.once, slot, call);
      addCalls(cost.expected, slot, { ...call, calls: call.calls * forecast.repairs(slot) });
      if (waits === "everything" || waits.includes(effect.part))
        slowest = Math.max(slowest, forecast.latency(slot, output));
    }
  }
  for (const amounts of [cost.once, cost.expected]) amounts[MILLISECONDS] = slowest;
  return cost;
}

/** The names that the answer repeats, and a value for each. */
function answerTokens({ fields, traits, refusal }: JudgeTask): number {
  const names = [...[...fields, ...traits].map(({ name }) => name), ...(refusal ? ["refused"] : [])];
  return ANSWER_FRAME + names.reduce((sum, name) => sum + estimateTokens(name) + VALUE, 0);
}

const ANSWER_FRAME = 8;
const VALUE = 6;

/** The vector of what was read, for each field that is compared by meaning. The truth's own vector is asked for once in a run. */
function meaningCost(definition: ScenarioDefinition, { state, ask }: AskedTurn, forecast: Forecast): Amounts {
  const amounts = forecast.slots.zero();
  const { embedder } = forecast.run;
  const { comparesMeaning } = nodePlan(definition, ask.node, state.settings);
  if (embedder === null || !comparesMeaning) return amounts;
  const { template } = (definition.nodes[ask.node] as ScenarioNode).question;
  const slot = forecast.slots.of("embedder", embedder);
  for (const { check, truth } of Object.values(template?.fields ?? {})) {
    if (check?.type !== "semantic_match") continue;
    const input = estimateTokens(String(truth));
    addCalls(amounts, slot, { ...forecast.call(slot, { input, output: 0 }) });
    forecast.noteTruth(String(truth));
  }
  return amounts;
}
