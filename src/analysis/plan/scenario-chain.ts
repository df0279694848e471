import type { ScenarioDefinition, ScenarioNode } from "../../core/scenario/definition.ts";
import type { ConversationStart } from "../../journal/run-event.ts";
import { NOTHING_SPENT } from "../../journal/spending.ts";
import type { TurnLabels } from "../../journal/turn.ts";
import type { Message } from "../../models/message.ts";
import { subjectAt } from "../../run/ask-subject.ts";
import { simulatorAt, userRequest } from "../../run/ask-user.ts";
import type { ConversationPlan } from "../../run/run-context.ts";
import {
  type AskEffect,
  armsOf,
  type ConversationState,
  type Effect,
} from "../../run/step/conversation-state.ts";
import { givenHistory } from "../../run/step/given-history.ts";
import { type Step, step } from "../../run/step/step.ts";
import { type LiveRead, liveState } from "../rehearsal/live-state.ts";
import { Oracle } from "../rehearsal/oracle.ts";
import { type PreparedCode, prepareCode } from "../rehearsal/prepare-code.ts";
import { type ReplyClass, replyClasses } from "../rehearsal/reply-classes.ts";
import { userChoices } from "../rehearsal/user-choices.ts";
import { type WatchedTurn, watchedTurns } from "../rehearsal/watched-turns.ts";
import {
  type AmountSpread,
  type Amounts,
  addAmounts,
  addCalls,
  addSpread,
  CONVERSATIONS,
  MILLISECONDS,
  sumOf,
  TURNS,
} from "./amounts.ts";
import { replyChances, replyGroup } from "./assumptions.ts";
import { estimateRequest, estimateTokens } from "./estimate-tokens.ts";
import type { Forecast } from "./forecast.ts";
import { readingCost } from "./reading-cost.ts";
import {
  type ChainResult,
  type Entry,
  merge,
  type Position,
  WalkTotal,
  withOwnBounds,
} from "./walk-total.ts";

/** A conversation that has not been held. */
export type PlannedConversation = Pick<ConversationPlan, "cell" | "settings">;

/** A reply that a subject may give. */
interface PossibleReply extends Pick<ReplyClass, "reply" | "labels"> {
  /** How often it was given before; undefined if that is not known. */
  readonly count?: number;
}

/**
 * The conversations of a scenario as a Markov chain over the states that something tells apart: turn by turn, with the chance of each
 * state and the mean of what was said. Every turn is made by `step`. So expected amounts are exact for the assumed chances, however
 * many paths there are.
 */
export class ScenarioChain {
  readonly #prepared: PreparedCode;
  readonly #definition: ScenarioDefinition;
  readonly #oracle: Oracle;
  readonly #forecast: Forecast;
  readonly #watched: ReadonlyMap<string, WatchedTurn>;
  readonly #live: ReadonlyMap<string, readonly LiveRead[]>;
  readonly #classes = new Map<string, readonly PossibleReply[]>();

  private constructor(prepared: PreparedCode, oracle: Oracle, forecast: Forecast) {
    this.#prepared = prepared;
    this.#definition = prepared.definition;
    this.#oracle = oracle;
    this.#forecast = forecast;
    this.#watched = watchedTurns(this.#definition, prepared.code);
    this.#live = liveState(this.#definition, prepared.code);
  }

  /** For a definition that is bound to its row and variant. Outcomes change nothing that is asked, so it needs none. */
  static async open(definition: ScenarioDefinition, forecast: Forecast): Promise<ScenarioChain> {
    const oracle = new Oracle();
    const prepared = await prepareCode(definition, oracle);
    return new ScenarioChain(prepared, oracle, forecast);
  }

  /** Conditions whose answers could not be computed: both ways are equally likely. */
  get unknown(): readonly string[] {
    return this.#prepared.undecided.map(({ place }) => place);
  }

  close(): void {
    this.#prepared.dispose();
  }

  /** What a conversation takes from its beginning. */
  async fromStart({ cell, settings }: PlannedConversation): Promise<ChainResult> {
    const history = givenHistory(this.#definition);
    const start: ConversationStart = {
      type: "conversation-start",
      conversation: "plan",
      cell,
      scenarioHash: "",
      settings,
      ...("problem" in history || history.length === 0 ? {} : { history }),
    };
    const result = await this.from(await this.#step(null, start));
    for (const amounts of [result.least, result.expected, result.most]) countConversation(amounts);
    return result;
  }

  /** What a conversation takes from where it stands; the conversation itself is not counted. */
  from(position: Position): Promise<ChainResult> {
    return this.#walk(position, { spoken: 0, offset: 0 });
  }

  async #walk(first: Position, size: Pick<Entry, "spoken" | "offset">): Promise<ChainResult> {
    const { slots } = this.#forecast;
    const total = new WalkTotal(slots.zero());
    let layer = new Map<string, Entry>();
    this.#enter(layer, { ...first, mass: 1, ...size, least: slots.zero(), most: slots.zero() }, total);
    while (layer.size > 0) {
      const next = new Map<string, Entry>();
      for (const entry of layer.values()) await this.#expand(entry, next, total);
      layer = total.limited(next);
    }
    return total.result();
  }

  /** Conversations that nothing tells apart become one entry; those that are over count. */
  #enter(layer: Map<string, Entry>, entry: Entry, total: WalkTotal): void {
    const { state } = entry;
    if (state.status !== null || !entry.effects.some(isQuestion)) {
      total.end(entry);
      return;
    }
    const node = state.open.at(-1)?.node ?? state.next?.node ?? "";
    const reads = (this.#live.get(node) ?? []).map((read) => read(state.scenario));
    const key = JSON.stringify([node, state.cell.arm ?? "", reads]);
    const known = layer.get(key);
    if (known === undefined) layer.set(key, entry);
    else merge(known, entry);
  }

  async #expand(entry: Entry, next: Map<string, Entry>, total: WalkTotal): Promise<void> {
    const simulate = entry.effects.find((effect) => effect.type === "simulate");
    if (simulate === undefined) return this.#turn(entry, next, total);
    const { slots, assumptions } = this.#forecast;
    const model = simulatorAt({ run: this.#forecast.run }, simulate);
    const slot = slots.of("simulator", model);
    const input = estimateRequest(userRequest(simulate.contract, simulate.messages)) + entry.offset;
    const cost = slots.zero();
    addCalls(cost, slot, this.#forecast.call(slot, { input, output: assumptions.message }));
    cost[MILLISECONDS] = this.#forecast.latency(slot, assumptions.message);
    total.expect(cost, entry.mass);
    const { choices } = userChoices(simulate.contract, this.#definition);
    const isDone = choices.some(({ done }) => done);
    for (const choice of choices) {
      const same = choices.filter(({ done }) => done === choice.done).length;
      const chance = (isDone ? (choice.done ? assumptions.done : 1 - assumptions.done) : 1) / same;
      const { state, effects } = await this.#step(entry.state, {
        type: "turn-user",
        conversation: "plan",
        turn: simulate.turn,
        ...choice,
        spending: NOTHING_SPENT,
      });
      // A message that breaks the contract is asked for once more.
      const most = sumOf(sumOf(entry.most, cost), cost);
      const said = assumptions.message - estimateTokens(choice.text);
      const asked = {
        state,
        effects,
        mass: entry.mass * chance,
        spoken: entry.spoken,
        offset: entry.offset + said,
        least: sumOf(entry.least, cost),
        most,
      };
      if (effects.some(isQuestion)) await this.#turn(asked, next, total);
      else total.end(asked);
    }
  }

  /** One turn: what it takes, and where each reply leads. */
  async #turn(entry: Entry, next: Map<string, Entry>, total: WalkTotal): Promise<void> {
    const ask = entry.effects.find((effect) => effect.type === "ask");
    if (ask === undefined) return total.end(entry);
    const { cost, replyTokens } = this.#costOf(entry, ask);
    total.expect(cost.expected, entry.mass);
    const least = sumOf(entry.least, cost.least);
    const most = sumOf(entry.most, cost.most);
    for (const { result, chance, reply } of await this.#replies(entry, ask)) {
      const { state, effects } = result;
      const spoken = entry.spoken + estimateTokens(ask.added.map(textOf).join("")) + estimateTokens(reply);
      const after: Entry = {
        state,
        effects,
        mass: entry.mass * chance,
        spoken,
        offset: entry.offset + replyTokens - estimateTokens(reply),
        least,
        most,
      };
      if (armsOf(this.#definition, state).length > 0) await this.#fork(after, total);
      else this.#enter(next, withOwnBounds(after), total);
    }
  }

  #costOf(entry: Entry, ask: AskEffect): { readonly cost: AmountSpread; readonly replyTokens: number } {
    const { slots, run, toolSteps } = this.#forecast;
    const node = this.#definition.nodes[ask.node] as ScenarioNode;
    const { cell } = entry.state;
    const { model } = subjectAt({ run, plan: { cell } }, node);
    const slot = slots.of("subject", model);
    const replyTokens = this.#forecast.replyTokens(cell, ask.node);
    const { instructions, messages } = ask;
    const request = instructions === undefined ? { messages } : { instructions, messages };
    const input = estimateRequest(request) + entry.offset;
    const call = this.#forecast.call(slot, { input, output: replyTokens });
    const steps = this.#forecast.callsPerTurn(cell, ask.node);
    const cost: AmountSpread = { least: slots.zero(), expected: slots.zero(), most: slots.zero() };
    addCalls(cost.least, slot, call);
    addCalls(cost.expected, slot, { ...call, calls: call.calls * steps });
    addCalls(cost.most, slot, { ...call, calls: call.calls * toolSteps });
    for (const amounts of [cost.least, cost.expected, cost.most]) {
      amounts[TURNS] = 1;
      amounts[MILLISECONDS] = this.#forecast.latency(slot, replyTokens);
    }
    addSpread(cost, readingCost(this.#definition, { state: entry.state, ask, replyTokens }, this.#forecast));
    return { cost, replyTokens };
  }

  /** The replies that are told apart, where each leads, and how likely it is. */
  async #replies(
    { state }: Entry,
    ask: AskEffect,
  ): Promise<readonly { readonly result: Step; readonly chance: number; readonly reply: string }[]> {
    const found: {
      readonly result: Step;
      readonly weight: number | undefined;
      readonly reply: string;
      readonly ways: number;
    }[] = [];
    for (const { reply, labels, count } of this.#classesAt(state, ask)) {
      const results = await this.#oracle.each(() => this.#step(state, replyEvent(ask, reply, labels)));
      for (const { result } of results) found.push({ result, weight: count, reply, ways: results.length });
    }
    const { assumptions } = this.#forecast;
    const isVerified = this.#definition.nodes[ask.node]?.question.template !== undefined;
    const sum = found.reduce((total, { weight = 0, ways }) => total + weight / ways, 0);
    if (sum > 0)
      return found.map(({ result, weight = 0, reply, ways }) => ({
        result,
        reply,
        chance: weight / ways / sum,
      }));
    const groups = found.map(({ result }) => {
      const { verifyResult = null, notVerified } = result.state.turns?.last ?? {};
      return replyGroup(verifyResult, { isVerified, notVerified: notVerified === true });
    });
    const chances = replyChances(groups, ask.node, assumptions);
    return found.map(({ result, reply }, index) => ({ result, reply, chance: chances[index] ?? 0 }));
  }

  /** What was said at a node before, and what else may be said: the least and the most depend on that, too. */
  #classesAt({ cell, scenario }: ConversationState, { node }: AskEffect): readonly PossibleReply[] {
    let classes = this.#classes.get(node);
    const watched = this.#watched.get(node) as WatchedTurn;
    if (classes === undefined) {
      classes = replyClasses(this.#definition, node, { watched, code: this.#prepared.code }).replies;
      if (classes.length === 0) classes = [{ reply: "", labels: {} }];
      this.#classes.set(node, classes);
    }
    const visit = (scenario.nodeVisits[node] ?? 0) + 1;
    const before = this.#forecast.repliesBefore(cell, { node, visit }, watched);
    return before.length === 0
      ? classes
      : [...before, ...classes.map(({ reply, labels }) => ({ reply, labels, count: 0 }))];
  }

  /** The arms of a fork: all of them follow. */
  async #fork(entry: Entry, total: WalkTotal): Promise<void> {
    const { state, spoken, offset, mass } = entry;
    const least = Float64Array.from(entry.least);
    const most = Float64Array.from(entry.most);
    for (const { name, edge, target } of armsOf(this.#definition, state)) {
      const { cell, settings } = state;
      const arm = await this.#step(state, {
        type: "conversation-start",
        conversation: "plan",
        cell: { ...cell, arm: name, parent: cell.index },
        scenarioHash: "",
        settings,
        fork: { parent: "plan", turn: state.scenario.turn, edge, target },
      });
      const walked = await this.#walk(arm, { spoken, offset });
      for (const amounts of [walked.least, walked.expected, walked.most]) countConversation(amounts);
      total.expect(walked.expected, mass);
      addAmounts(least, walked.least);
      addAmounts(most, walked.most);
      total.isExact &&= walked.isExact;
    }
    total.end({ least, most });
  }

  async #step(state: ConversationState | null, event: Parameters<typeof step>[2]): Promise<Step> {
    return this.#prepared.evaluate(() => {
      this.#oracle.start();
      return step(this.#definition, state, event);
    });
  }
}

function isQuestion({ type }: Effect): boolean {
  return type === "ask" || type === "simulate";
}

function textOf(message: Message): string {
  return "content" in message ? message.content : "";
}

function countConversation(amounts: Amounts): void {
  amounts[CONVERSATIONS] = (amounts[CONVERSATIONS] ?? 0) + 1;
}

function replyEvent({ turn }: AskEffect, reply: string, labels: TurnLabels): Parameters<typeof step>[2] {
  return {
    type: "turn-reply",
    conversation: "plan",
    turn,
    reply,
    messages: [{ role: "assistant", content: reply }],
    finish: "stop",
    labels,
    spending: NOTHING_SPENT,
  };
}
