import type { ScenarioDefinition, ScenarioNode } from "../../../core/scenario/definition.ts";
import { FoldedState } from "../../../core/state/advance-state.ts";
import { NOTHING_SPENT } from "../../../engine/journal/spending.ts";
import { subjectAt } from "../../../engine/run/ask-subject.ts";
import { simulatorAt, userRequest } from "../../../engine/run/ask-user.ts";
import {
  type AskEffect,
  armsOf,
  type ConversationState,
  type SimulateEffect,
} from "../../../engine/run/step/conversation-state.ts";
import { type Step, step } from "../../../engine/run/step/step.ts";
import { Oracle, type PreparedCode, prepareCode } from "../rehearsal/prepare-code.ts";
import { type ReplyClass, replyClasses } from "../rehearsal/reply-classes.ts";
import { type UserChoice, type UserReads, userChoices, userReads } from "../rehearsal/user-choices.ts";
import { type WatchedTurn, watchedTurns } from "../rehearsal/watched-turns.ts";
import { type AmountSpread, addCalls, addSpread, MILLISECONDS, spreadOf, TURNS } from "./amounts.ts";
import { replyChances, replyGroup } from "./assumptions.ts";
import { estimateRequest, estimateTokens } from "./estimate-tokens.ts";
import type { Forecast } from "./forecast.ts";
import { readingCost } from "./reading-cost.ts";

/** Where a conversation stands, and what is ready to be done. */
export type Position = Pick<Step, "state" | "effects">;

/** A conversation that has not been finished. */
export interface Unfinished {
  readonly at: Position;
  /** By how many tokens it is longer than its messages: replies are placeholders. */
  readonly longer: number;
}

/** One turn that a conversation may make: what it takes, and where it leads. */
interface PossibleTurn extends Unfinished {
  readonly chance: number;
  readonly cost: AmountSpread;
}

/** A reply that a subject may give. */
interface PossibleReply extends Pick<ReplyClass, "reply" | "labels"> {
  /** How often it was given before; undefined if that is not known. */
  readonly count?: number;
}

/** The turns that conversations of a scenario may make, with a stub in place of the subject. All of them are computed by `step`. */
export class PossibleTurns {
  readonly definition: ScenarioDefinition;
  readonly #prepared: PreparedCode;
  readonly #oracle: Oracle;
  readonly #forecast: Forecast;
  readonly #watched: ReadonlyMap<string, WatchedTurn>;
  readonly #userReads: UserReads;
  readonly #classes = new Map<string, readonly PossibleReply[]>();

  private constructor(prepared: PreparedCode, oracle: Oracle, forecast: Forecast) {
    this.#prepared = prepared;
    this.definition = prepared.definition;
    this.#oracle = oracle;
    this.#forecast = forecast;
    this.#watched = watchedTurns(this.definition, prepared.code);
    this.#userReads = userReads(this.definition);
  }

  /** For a definition that is bound to its row and variant. */
  static async open(definition: ScenarioDefinition, forecast: Forecast): Promise<PossibleTurns> {
    const oracle = new Oracle();
    return new PossibleTurns(await prepareCode(definition, oracle), oracle, forecast);
  }

  /** Conditions whose results could not be computed: true and false are equally likely. */
  get unknown(): readonly string[] {
    return this.#prepared.undecided.map(({ place }) => place);
  }

  close(): void {
    this.#prepared.dispose();
  }

  /** The beginnings of the arms in which a conversation continues. */
  async arms({ state }: Position): Promise<readonly Position[]> {
    const { cell, settings, scenario } = state;
    const starts: Position[] = [];
    for (const { name, edge, target } of armsOf(this.definition, state))
      starts.push(
        await this.step(state, {
          type: "conversation-start",
          conversation: "plan",
          cell: { ...cell, arm: name, parent: cell.index },
          scenarioHash: "",
          settings,
          fork: { parent: "plan", turn: scenario.turn, edge, target },
        }),
      );
    return starts;
  }

  /** The turns that may come next. */
  async after({ at, longer }: Unfinished): Promise<readonly PossibleTurn[]> {
    const { slots, assumptions } = this.#forecast;
    const nothing = spreadOf(slots);
    const simulate = at.effects.find((effect): effect is SimulateEffect => effect.type === "simulate");
    if (simulate === undefined) return this.#askedTurns(at, { chance: 1, longer, before: nothing });
    const slot = slots.of("simulator", simulatorAt({ run: this.#forecast.run }, simulate));
    const { message } = assumptions;
    const input = estimateRequest(userRequest(simulate.contract, simulate.messages)) + longer;
    const call = this.#forecast.call(slot, { input, output: message });
    // A message that breaks the contract is asked for once more.
    for (const [key, calls] of Object.entries({ least: 1, expected: 1, most: 2 } as const)) {
      const amounts = nothing[key as keyof AmountSpread];
      addCalls(amounts, slot, { ...call, calls });
      amounts[MILLISECONDS] = calls * this.#forecast.latency(slot, message);
    }
    const turns: PossibleTurn[] = [];
    for (const [choice, chance] of this.#choices(simulate)) {
      const asked = await this.step(at.state, {
        type: "turn-user",
        conversation: "plan",
        turn: simulate.turn,
        ...choice,
        spending: NOTHING_SPENT,
      });
      const said = longer + message - estimateTokens(choice.text);
      turns.push(...(await this.#askedTurns(asked, { chance, longer: said, before: nothing })));
    }
    return turns;
  }

  #choices({ contract }: SimulateEffect): readonly (readonly [UserChoice, number])[] {
    const { done } = this.#forecast.assumptions;
    const { choices } = userChoices(contract, this.#userReads);
    const isDone = choices.some((choice) => choice.done);
    return choices.map((choice) => {
      const same = choices.filter((other) => other.done === choice.done).length;
      return [choice, (isDone ? (choice.done ? done : 1 - done) : 1) / same];
    });
  }

  /** The turns that come of a question: one for each reply. */
  async #askedTurns(
    { state, effects }: Position,
    {
      chance,
      longer,
      before,
    }: { readonly chance: number; readonly longer: number; readonly before: AmountSpread },
  ): Promise<readonly PossibleTurn[]> {
    const ask = effects.find((effect) => effect.type === "ask");
    if (ask === undefined) return [{ at: { state, effects }, chance, longer, cost: before }];
    const { cost, replyTokens } = this.#costOf(state, ask, longer);
    addSpread(cost, before);
    const replies = await this.#replies(state, ask);
    return replies.map(({ result, reply, chance: share }) => ({
      at: result,
      chance: chance * share,
      longer: longer + replyTokens - estimateTokens(reply),
      cost,
    }));
  }

  /** What asking and reading take. */
  #costOf(
    state: ConversationState,
    ask: AskEffect,
    longer: number,
  ): { readonly cost: AmountSpread; readonly replyTokens: number } {
    const { slots, run, toolSteps } = this.#forecast;
    const node = this.definition.nodes[ask.node] as ScenarioNode;
    const { cell } = state;
    const { model } = subjectAt({ run, plan: { cell } }, node);
    const slot = slots.of("subject", model);
    const replyTokens = this.#forecast.replyTokens(cell, ask.node, { question: node.question, model });
    const { instructions, messages } = ask;
    const asked = estimateRequest(instructions === undefined ? { messages } : { instructions, messages });
    const call = this.#forecast.call(slot, { input: asked + longer, output: replyTokens });
    const cost = spreadOf(slots);
    const steps = this.#forecast.callsPerTurn(cell, ask.node);
    const latency = this.#forecast.latency(slot, replyTokens);
    for (const [key, calls] of Object.entries({ least: 1, expected: steps, most: toolSteps })) {
      const amounts = cost[key as keyof AmountSpread];
      addCalls(amounts, slot, { ...call, calls: call.calls * calls });
      amounts[TURNS] = 1;
      amounts[MILLISECONDS] = calls * latency;
    }
    addSpread(cost, readingCost(this.definition, { state, ask, replyTokens }, this.#forecast));
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
      const results = await this.#oracle.each(() =>
        this.step(state, {
          type: "turn-reply",
          conversation: "plan",
          turn: ask.turn,
          reply,
          messages: [{ role: "assistant", content: reply }],
          finish: "stop",
          labels,
          spending: NOTHING_SPENT,
        }),
      );
      for (const { result } of results) found.push({ result, weight: count, reply, ways: results.length });
    }
    const isVerified = this.definition.nodes[ask.node]?.question.template !== undefined;
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
  #classesAt(state: ConversationState, { node }: AskEffect): readonly PossibleReply[] {
    let classes = this.#classes.get(node);
    const watched = this.#watched.get(node) as WatchedTurn;
    if (classes === undefined) {
      classes = replyClasses(this.definition, node, { watched, code: this.#prepared.code }).replies;
      if (classes.length === 0) classes = [{ reply: "", labels: {} }];
      this.#classes.set(node, classes);
    }
    const visit = visitsOf(state, node) + 1;
    const before = this.#forecast.repliesBefore(state.cell, { node, visit }, watched);
    return before.length === 0
      ? classes
      : [...before, ...classes.map(({ reply, labels }) => ({ reply, labels, count: 0 }))];
  }

  /** Applies an event; code of the scenario runs. */
  async step(state: ConversationState | null, event: Parameters<typeof step>[2]): Promise<Step> {
    return this.#prepared.evaluate(() => {
      this.#oracle.start();
      return step(this.definition, state, event);
    });
  }
}

/** True if something is still asked in a conversation. */
export function asks({ state, effects }: Position): boolean {
  return state.status === null && effects.some(({ type }) => type === "ask" || type === "simulate");
}

/** How often a node was visited. Reads the count alone: a list of all visits would take time. */
export function visitsOf({ scenario }: ConversationState, node: string): number {
  return FoldedState.visit(scenario, node)?.count ?? 0;
}
