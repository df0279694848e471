import { memoize } from "../../../core/lazy.ts";
import type { ScenarioDefinition, ScenarioNode } from "../../../core/scenario/definition.ts";
import { FoldedState } from "../../../core/state/advance-state.ts";
import type { ScenarioState } from "../../../core/state/state.ts";
import type { ConversationStart } from "../../../engine/journal/run-event.ts";
import { NOTHING_SPENT } from "../../../engine/journal/spending.ts";
import type { TurnLabels } from "../../../engine/journal/turn.ts";
import { subjectAt } from "../../../engine/run/ask-subject.ts";
import { simulatorAt, userRequest } from "../../../engine/run/ask-user.ts";
import type { ConversationPlan } from "../../../engine/run/run-context.ts";
import {
  type AskEffect,
  armsOf,
  type ConversationState,
  type SimulateEffect,
} from "../../../engine/run/step/conversation-state.ts";
import { givenHistory } from "../../../engine/run/step/given-history.ts";
import { type Step, step } from "../../../engine/run/step/step.ts";
import { type LiveRead, liveState } from "../rehearsal/live-state.ts";
import { Oracle, type PreparedCode, prepareCode } from "../rehearsal/prepare-code.ts";
import { type ReplyClass, replyClasses } from "../rehearsal/reply-classes.ts";
import { type UserChoice, userChoices } from "../rehearsal/user-choices.ts";
import { type WatchedTurn, watchedTurns } from "../rehearsal/watched-turns.ts";
import { addAmounts, addCalls, addSpread, countConversation, MILLISECONDS, TURNS } from "./amounts.ts";
import { replyChances, replyGroup } from "./assumptions.ts";
import {
  addLinear,
  type ChainResult,
  type ChainState,
  type LinearSpread,
  linearSpread,
  type PlannedTurn,
  type Position,
  type Way,
  walkChain,
} from "./chain-walk.ts";
import { estimateRequest, estimateTokens } from "./estimate-tokens.ts";
import type { Forecast } from "./forecast.ts";
import { readingCost } from "./reading-cost.ts";

/** A conversation that has not been run. */
export type PlannedConversation = Pick<ConversationPlan, "cell" | "settings">;

/** A reply that a subject may give. */
interface PossibleReply extends Pick<ReplyClass, "reply" | "labels"> {
  /** How often it was given before; undefined if that is not known. */
  readonly count?: number;
}

/**
 * The conversations of a scenario as a Markov chain over its different states. Every turn is computed by `step`, once for each state. So
 * expected amounts are exact for the assumed probabilities, however many paths there are.
 */
export class ScenarioChain {
  readonly #prepared: PreparedCode;
  readonly #definition: ScenarioDefinition;
  readonly #oracle: Oracle;
  readonly #forecast: Forecast;
  readonly #watched: ReadonlyMap<string, WatchedTurn>;
  readonly #live: ReadonlyMap<string, readonly LiveRead[]>;
  readonly #classes = new Map<string, readonly PossibleReply[]>();
  readonly #states = new Map<string, ChainState>();

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

  /** Conditions whose results could not be computed: true and false are equally likely. */
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
  from({ state, effects }: Position): Promise<ChainResult> {
    const { turnLimit } = state.settings;
    const first = this.#stateAt({ state: unlimited(state), effects });
    const turns = turnLimit - state.scenario.turn;
    return walkChain(first, {
      turns,
      zero: () => this.#forecast.slots.zero(),
      turn: (one) => this.#turn(one),
    });
  }

  /** The state of the chain that a conversation is in, and by how many tokens it is longer; null if the conversation is over. */
  #stateAt({ state, effects }: Position): Way["to"] {
    const arms = armsOf(this.#definition, state);
    if (arms.length > 0)
      return {
        arms: async () => {
          const { cell, settings, scenario } = state;
          const starts: Way["to"][] = [];
          for (const { name, edge, target } of arms) {
            const start = await this.#step(state, {
              type: "conversation-start",
              conversation: "plan",
              cell: { ...cell, arm: name, parent: cell.index },
              scenarioHash: "",
              settings,
              fork: { parent: "plan", turn: scenario.turn, edge, target },
            });
            starts.push(this.#stateAt(start));
          }
          return starts;
        },
      };
    const request = this.#requestTokens(effects);
    if (state.status !== null || request === undefined) return null;
    const { cell, scenario } = state;
    const node = state.open.at(-1)?.node ?? state.next?.node ?? "";
    const reads = (this.#live.get(node) ?? []).map((read) => read(scenario));
    const visit = this.#forecast.knownVisit(cell, { node, visit: nextVisit(scenario, node) });
    const key = JSON.stringify([node, cell.subject, cell.judge, cell.arm ?? "", visit, reads]);
    const at = memoize(
      this.#states,
      key,
      (): ChainState => ({ number: this.#states.size, state, effects, request }),
    );
    return { at, longer: request - at.request };
  }

  /** How long the next request is; undefined if there is none. */
  #requestTokens(effects: Position["effects"]): number | undefined {
    for (const effect of effects) {
      if (effect.type === "ask") return askTokens(effect);
      if (effect.type === "simulate") return estimateRequest(userRequest(effect.contract, effect.messages));
    }
    return undefined;
  }

  async #turn({ state, effects, request }: ChainState): Promise<PlannedTurn> {
    const { slots, assumptions } = this.#forecast;
    const simulate = effects.find((effect): effect is SimulateEffect => effect.type === "simulate");
    const turn: PlannedTurn = { expected: linearSpread(slots).expected, ways: [] };
    if (simulate === undefined) {
      await this.#addTurn(turn, { state, effects }, { chance: 1, longer: 0, before: linearSpread(slots) });
      return turn;
    }
    const model = simulatorAt({ run: this.#forecast.run }, simulate);
    const slot = slots.of("simulator", model);
    const { message } = assumptions;
    const before = linearSpread(slots);
    const call = this.#forecast.call(slot, { input: request, output: message });
    const { input } = this.#forecast.call(slot, { input: 1, output: 0 });
    // A message that breaks the contract is asked for once more.
    for (const [key, calls] of [
      ["least", 1],
      ["expected", 1],
      ["most", 2],
    ] as const) {
      addCalls(before[key].fixed, slot, { ...call, calls });
      before[key].fixed[MILLISECONDS] = calls * this.#forecast.latency(slot, message);
      before[key].perToken[slot.at + 1] = calls * input;
    }
    for (const [choice, chance] of this.#choices(simulate)) {
      const asked = await this.#step(state, {
        type: "turn-user",
        conversation: "plan",
        turn: simulate.turn,
        ...choice,
        spending: NOTHING_SPENT,
      });
      const longer = message - estimateTokens(choice.text);
      await this.#addTurn(turn, asked, { chance, longer, before });
    }
    return turn;
  }

  #choices({ contract }: SimulateEffect): readonly (readonly [UserChoice, number])[] {
    const { done } = this.#forecast.assumptions;
    const { choices } = userChoices(contract, this.#definition);
    const isDone = choices.some((choice) => choice.done);
    return choices.map((choice) => {
      const same = choices.filter((other) => other.done === choice.done).length;
      return [choice, (isDone ? (choice.done ? done : 1 - done) : 1) / same];
    });
  }

  /** Adds one question to a planned turn: what it takes, and where each reply leads. */
  async #addTurn(
    turn: PlannedTurn,
    { state, effects }: Position,
    {
      chance,
      longer,
      before,
    }: { readonly chance: number; readonly longer: number; readonly before: LinearSpread },
  ): Promise<void> {
    const ask = effects.find((effect) => effect.type === "ask");
    if (ask === undefined) {
      addLinear(turn.expected, before.expected, chance);
      turn.ways.push({ chance, longer, least: before.least, most: before.most, to: null });
      return;
    }
    const { cost, replyTokens } = this.#costOf(state, ask);
    for (const key of ["least", "expected", "most"] as const) {
      addAmounts(cost[key].fixed, cost[key].perToken, longer);
      addLinear(cost[key], before[key], 1);
    }
    addLinear(turn.expected, cost.expected, chance);
    for (const reply of await this.#replies(state, ask)) {
      const to = this.#stateAt(reply.result);
      turn.ways.push({
        chance: chance * reply.chance,
        longer: longer + replyTokens - estimateTokens(reply.reply),
        least: cost.least,
        most: cost.most,
        to,
      });
    }
  }

  /** What asking and reading take; what depends on the length of the conversation is separate. */
  #costOf(
    state: ConversationState,
    ask: AskEffect,
  ): { readonly cost: LinearSpread; readonly replyTokens: number } {
    const { slots, run, toolSteps } = this.#forecast;
    const node = this.#definition.nodes[ask.node] as ScenarioNode;
    const { cell } = state;
    const { model } = subjectAt({ run, plan: { cell } }, node);
    const slot = slots.of("subject", model);
    const replyTokens = this.#forecast.replyTokens(cell, ask.node, { question: node.question, model });
    const call = this.#forecast.call(slot, { input: askTokens(ask), output: replyTokens });
    const { input } = this.#forecast.call(slot, { input: 1, output: 0 });
    const cost = linearSpread(slots);
    const steps = this.#forecast.callsPerTurn(cell, ask.node);
    const latency = this.#forecast.latency(slot, replyTokens);
    for (const [key, calls] of [
      ["least", 1],
      ["expected", steps],
      ["most", toolSteps],
    ] as const) {
      const { fixed, perToken } = cost[key];
      addCalls(fixed, slot, { ...call, calls: call.calls * calls });
      perToken[slot.at + 1] = call.calls * calls * input;
      fixed[TURNS] = 1;
      fixed[MILLISECONDS] = calls * latency;
    }
    const reading = readingCost(this.#definition, { state, ask, replyTokens }, this.#forecast);
    addSpread({ least: cost.least.fixed, expected: cost.expected.fixed, most: cost.most.fixed }, reading);
    return { cost, replyTokens };
  }

  /** The replies that are distinguished, where each leads, and how likely it is. */
  async #replies(
    state: ConversationState,
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
    const chances = replyChances(groups, ask.node, this.#forecast.shares(state.cell));
    return found.map(({ result, reply }, index) => ({ result, reply, chance: chances[index] ?? 0 }));
  }

  /** Replies of earlier runs at a node, and all other possible ones: the least and the most depend on those, too. */
  #classesAt({ cell, scenario }: ConversationState, { node }: AskEffect): readonly PossibleReply[] {
    let classes = this.#classes.get(node);
    const watched = this.#watched.get(node) as WatchedTurn;
    if (classes === undefined) {
      classes = replyClasses(this.#definition, node, { watched, code: this.#prepared.code }).replies;
      if (classes.length === 0) classes = [{ reply: "", labels: {} }];
      this.#classes.set(node, classes);
    }
    const visit = nextVisit(scenario, node);
    const before = this.#forecast.repliesBefore(cell, { node, visit }, watched);
    return before.length === 0
      ? classes
      : [...before, ...classes.map(({ reply, labels }) => ({ reply, labels, count: 0 }))];
  }

  async #step(state: ConversationState | null, event: Parameters<typeof step>[2]): Promise<Step> {
    return this.#prepared.evaluate(() => {
      this.#oracle.start();
      return step(this.#definition, state, event);
    });
  }
}

/** The limit is applied by the walk, so that the same state at different turns is found once. */
function unlimited(state: ConversationState): ConversationState {
  return { ...state, settings: { ...state.settings, turnLimit: Number.MAX_SAFE_INTEGER } };
}

/** Reads the count alone: a list of all visits would take time. */
function nextVisit(state: ScenarioState, node: string): number {
  return (FoldedState.visit(state, node)?.count ?? 0) + 1;
}

function askTokens({ instructions, messages }: AskEffect): number {
  return estimateRequest(instructions === undefined ? { messages } : { instructions, messages });
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
