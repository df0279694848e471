import { Rng } from "../../../core/rng.ts";
import type { ScenarioDefinition, ScenarioNode } from "../../../core/scenario/definition.ts";
import { FoldedState } from "../../../core/state/advance-state.ts";
import type { ConversationStart } from "../../../engine/journal/run-event.ts";
import { NOTHING_SPENT } from "../../../engine/journal/spending.ts";
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
import { Oracle, type PreparedCode, prepareCode } from "../rehearsal/prepare-code.ts";
import { type ReplyClass, replyClasses } from "../rehearsal/reply-classes.ts";
import { type UserChoice, type UserReads, userChoices, userReads } from "../rehearsal/user-choices.ts";
import { type WatchedTurn, watchedTurns } from "../rehearsal/watched-turns.ts";
import {
  type AmountSpread,
  type Amounts,
  addAmounts,
  addAt,
  addCalls,
  addSpread,
  CONVERSATIONS,
  extend,
  KEYS,
  MILLISECONDS,
  spreadOf,
  TURNS,
} from "./amounts.ts";
import { replyChances, replyGroup } from "./assumptions.ts";
import { estimateRequest, estimateTokens } from "./estimate-tokens.ts";
import type { Forecast } from "./forecast.ts";
import { readingCost } from "./reading-cost.ts";

/** Where a conversation stands, and what is ready to be done. */
export type Position = Pick<Step, "state" | "effects">;

/** What a conversation will take from some point on, in all its arms. */
export interface SimulatedAmounts extends AmountSpread {
  /** False if it branches too often to follow every reply, so that some were drawn. */
  readonly isExact: boolean;
}

/** A conversation that is simulated beside others. */
interface Simulated {
  readonly at: Position;
  readonly weight: number;
  /** By how many tokens it is longer than its messages: replies are placeholders. */
  readonly longer: number;
}

/** One turn that a conversation may make: what it takes, and where it leads. */
interface PossibleTurn {
  readonly at: Position;
  readonly chance: number;
  readonly longer: number;
  readonly cost: AmountSpread;
}

/** A reply that a subject may give. */
interface PossibleReply extends Pick<ReplyClass, "reply" | "labels"> {
  /** How often it was given before; undefined if that is not known. */
  readonly count?: number;
}

interface Bounds {
  readonly least: Amounts;
  readonly most: Amounts;
}

/** A conversation with the least and the most that it took so far. */
interface Bounded extends Bounds, Pick<Simulated, "at" | "longer"> {}

/** How many turns are simulated at most, and how many conversations side by side. */
const MOST_TURNS = 4_000;
const MOST_CONVERSATIONS = 200;
const MOST_FOR_BOUNDS = 32;
const FEWEST_CONVERSATIONS = 8;

/**
 * Conversations of a scenario with a stub in place of the subject: every turn is made by `step`, with each reply as likely as it is
 * assumed to be. All conversations are followed; if they are too many, some are drawn with a fixed seed.
 */
export class ScenarioSimulation {
  readonly #prepared: PreparedCode;
  readonly #definition: ScenarioDefinition;
  readonly #oracle: Oracle;
  readonly #forecast: Forecast;
  readonly #watched: ReadonlyMap<string, WatchedTurn>;
  readonly #userReads: UserReads;
  readonly #classes = new Map<string, readonly PossibleReply[]>();

  private constructor(prepared: PreparedCode, oracle: Oracle, forecast: Forecast) {
    this.#prepared = prepared;
    this.#definition = prepared.definition;
    this.#oracle = oracle;
    this.#forecast = forecast;
    this.#watched = watchedTurns(this.#definition, prepared.code);
    this.#userReads = userReads(this.#definition);
  }

  /** For a definition that is bound to its row and variant. Outcomes change nothing that is asked, so it needs none. */
  static async open(definition: ScenarioDefinition, forecast: Forecast): Promise<ScenarioSimulation> {
    const oracle = new Oracle();
    const prepared = await prepareCode(definition, oracle);
    return new ScenarioSimulation(prepared, oracle, forecast);
  }

  /** Conditions whose results could not be computed: true and false are equally likely. */
  get unknown(): readonly string[] {
    return this.#prepared.undecided.map(({ place }) => place);
  }

  close(): void {
    this.#prepared.dispose();
  }

  /** What a conversation takes from its beginning. */
  async fromStart({
    cell,
    settings,
  }: Pick<ConversationPlan, "cell" | "settings">): Promise<SimulatedAmounts> {
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
    for (const key of KEYS) addAt(result[key], CONVERSATIONS, 1);
    return result;
  }

  /** What a conversation takes from where it stands; the conversation itself is not counted. */
  async from(at: Position): Promise<SimulatedAmounts> {
    const turnsLeft = Math.max(1, at.state.settings.turnLimit - at.state.scenario.turn);
    const limit = Math.max(
      FEWEST_CONVERSATIONS,
      Math.min(MOST_CONVERSATIONS, Math.floor(MOST_TURNS / turnsLeft)),
    );
    const { expected, isExact } = await this.#expected(at, limit);
    const { least, most } = await this.#bounds(at, Math.min(limit, MOST_FOR_BOUNDS));
    extend(least, expected, Math.min);
    extend(most, expected, Math.max);
    return { least, expected, most, isExact };
  }

  /** Follows every reply by its probability. */
  async #expected(at: Position, limit: number): Promise<Pick<SimulatedAmounts, "expected" | "isExact">> {
    const rng = new Rng("plan");
    const expected = this.#forecast.slots.zero();
    let isExact = true;
    let open: readonly Simulated[] = await this.#continued({ at, weight: 1, longer: 0 }, expected);
    while (open.length > 0) {
      isExact &&= open.length <= limit;
      const next: Simulated[] = [];
      for (const one of drawn(open, limit, rng))
        for (const { at: to, chance, longer, cost } of await this.#turns(one)) {
          if (chance === 0) continue;
          const weight = one.weight * chance;
          addAmounts(expected, cost.expected, weight);
          next.push(...(await this.#continued({ at: to, weight, longer }, expected)));
        }
      open = next;
    }
    // Sums of many small shares are whole again.
    return { expected: expected.map((amount) => Math.round(amount * 1e6) / 1e6), isExact };
  }

  /**
   * The least and the most that conversations take. Every reply is followed, however unlikely; of those that ask the same question for
   * the same time after as many turns, one.
   */
  async #bounds(at: Position, limit: number, longer = 0): Promise<Bounds> {
    const { slots } = this.#forecast;
    const found: Bounds[] = [];
    let open: readonly Bounded[] = [{ at, longer, least: slots.zero(), most: slots.zero() }];
    while (open.length > 0) {
      const next = new Map<string, Bounded>();
      for (const one of open.filter((other) => !asks(other.at))) found.push(await this.#ended(one, limit));
      const asking = open.filter((one) => asks(one.at));
      for (const one of spaced(asking, limit))
        for (const { at: to, longer: said, cost } of await this.#turns(one)) {
          const [least, most] = [Float64Array.from(one.least), Float64Array.from(one.most)];
          addAmounts(least, cost.least);
          addAmounts(most, cost.most);
          const node = to.state.open.at(-1)?.node ?? to.state.next?.node ?? "";
          const key = asks(to)
            ? `${node} ${visitsOf(to.state, node)}`
            : `over ${to.state.ending?.fork ?? ""}`;
          const known = next.get(key);
          if (known === undefined) next.set(key, { at: to, longer: said, least, most });
          else {
            extend(known.least, least, Math.min);
            extend(known.most, most, Math.max);
          }
        }
      open = [...next.values()];
    }
    // Every conversation ends.
    const [first, ...others] = found as [Bounds, ...Bounds[]];
    for (const { least, most } of others) {
      extend(first.least, least, Math.min);
      extend(first.most, most, Math.max);
    }
    return first;
  }

  /** A conversation that is over, with the arms in which it continues. */
  async #ended(one: Bounded, limit: number): Promise<Bounds> {
    for (const arm of await this.#arms(one.at)) {
      const bounds = await this.#bounds(arm, limit, one.longer);
      for (const key of ["least", "most"] as const) {
        addAmounts(one[key], bounds[key]);
        addAt(one[key], CONVERSATIONS, 1);
      }
    }
    return one;
  }

  /** The conversation itself if it goes on, or the arms in which it does; these are counted. */
  async #continued(one: Simulated, sum: Amounts): Promise<readonly Simulated[]> {
    if (asks(one.at)) return [one];
    const continued: Simulated[] = [];
    for (const at of await this.#arms(one.at)) {
      addAt(sum, CONVERSATIONS, one.weight);
      continued.push(...(await this.#continued({ ...one, at }, sum)));
    }
    return continued;
  }

  /** The beginnings of the arms in which a conversation continues. */
  async #arms({ state }: Position): Promise<readonly Position[]> {
    const { cell, settings, scenario } = state;
    const starts: Position[] = [];
    for (const { name, edge, target } of armsOf(this.#definition, state))
      starts.push(
        await this.#step(state, {
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
  async #turns({ at, longer }: Pick<Simulated, "at" | "longer">): Promise<readonly PossibleTurn[]> {
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
      const asked = await this.#step(at.state, {
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
    const node = this.#definition.nodes[ask.node] as ScenarioNode;
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
    addSpread(cost, readingCost(this.#definition, { state, ask, replyTokens }, this.#forecast));
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
        this.#step(state, {
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
  #classesAt(state: ConversationState, { node }: AskEffect): readonly PossibleReply[] {
    let classes = this.#classes.get(node);
    const watched = this.#watched.get(node) as WatchedTurn;
    if (classes === undefined) {
      classes = replyClasses(this.#definition, node, { watched, code: this.#prepared.code }).replies;
      if (classes.length === 0) classes = [{ reply: "", labels: {} }];
      this.#classes.set(node, classes);
    }
    const visit = visitsOf(state, node) + 1;
    const before = this.#forecast.repliesBefore(state.cell, { node, visit }, watched);
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

function asks({ state, effects }: Position): boolean {
  return state.status === null && effects.some(({ type }) => type === "ask" || type === "simulate");
}

/** Reads the count alone: a list of all visits would take time. */
function visitsOf({ scenario }: ConversationState, node: string): number {
  return FoldedState.visit(scenario, node)?.count ?? 0;
}

/** At most so many items of a list, at even distances, with the first and the last. */
function spaced<Item>(items: readonly Item[], limit: number): readonly Item[] {
  if (items.length <= limit) return items;
  return Array.from(
    { length: limit },
    (_, index) => items[Math.floor((index * (items.length - 1)) / (limit - 1))] as Item,
  );
}

/** At most so many conversations, drawn by their weights at even distances; they share the weight of all. */
function drawn(open: readonly Simulated[], limit: number, rng: Rng): readonly Simulated[] {
  if (open.length <= limit) return open;
  const stride = open.reduce((sum, { weight }) => sum + weight, 0) / limit;
  const kept: Simulated[] = [];
  let next = stride * rng.next();
  let reached = 0;
  for (const one of open) {
    reached += one.weight;
    let times = 0;
    for (; next < reached; next += stride) times++;
    if (times > 0) kept.push({ ...one, weight: times * stride });
  }
  return kept;
}
