import { Rng } from "../../../core/rng.ts";
import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { FoldedState } from "../../../core/state/advance-state.ts";
import { NOTHING_SPENT } from "../../../engine/journal/spending.ts";
import type { ConversationPlan } from "../../../engine/run/run-context.ts";
import { givenHistory } from "../../../engine/run/step/agent-view.ts";
import {
  type AskEffect,
  armsOf,
  type ConversationState,
  type SimulateEffect,
} from "../../../engine/run/step/conversation-state.ts";
import { type Step, step } from "../../../engine/run/step/step.ts";
import { Oracle, type PreparedCode, prepareCode } from "../rehearsal/prepare-code.ts";
import { type ReplyClass, replyClasses } from "../rehearsal/reply-classes.ts";
import { userChoices, userReads } from "../rehearsal/user-choices.ts";
import { type WatchedTurn, watchedTurns } from "../rehearsal/watched-turns.ts";
import {
  type AmountSpread,
  type Amounts,
  addAmounts,
  addAt,
  addSpread,
  CONVERSATIONS,
  extend,
  sumOf,
} from "./amounts.ts";
import { replyChances, replyGroup } from "./assumptions.ts";
import { estimateTokens } from "./estimate-tokens.ts";
import type { Forecast } from "./forecast.ts";
import { askedCost, userCost } from "./turn-cost.ts";

/** Where a conversation stands, and what is ready to be done. */
export type Position = Pick<Step, "state" | "effects">;

/** What a conversation will take from some point on, in all its arms. */
export interface SimulatedAmounts extends AmountSpread {
  /** False if it branches too often to follow every reply, so that some were drawn. */
  readonly isExact: boolean;
}

type Bounds = Pick<AmountSpread, "least" | "most">;

/** A conversation that goes on, beside others. */
interface Open extends Bounds {
  readonly at: Position;
  /** By how many tokens it is longer than its messages: replies are placeholders. */
  readonly longer: number;
  /** How likely it is; 0 of those that only bounds depend on. */
  readonly weight: number;
}

/** One turn that a conversation may make: what it takes, and where it leads. */
interface PossibleTurn extends Pick<Open, "at" | "longer"> {
  readonly chance: number;
  readonly cost: AmountSpread;
}

/** A reply that a subject may give. */
interface PossibleReply extends Pick<ReplyClass, "reply" | "labels"> {
  /** How often it was given before; undefined if that is not known. */
  readonly count?: number;
}

/** How many turns are simulated at most, and how many conversations side by side. */
const MOST_TURNS = 4_000;
const MOST_CONVERSATIONS = 200;
const FEWEST_CONVERSATIONS = 8;
const MOST_FOR_BOUNDS = 32;

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
  readonly #classes: ReadonlyMap<string, readonly PossibleReply[]>;

  private constructor(prepared: PreparedCode, oracle: Oracle, forecast: Forecast) {
    const { definition, code } = prepared;
    this.#prepared = prepared;
    this.#definition = definition;
    this.#oracle = oracle;
    this.#forecast = forecast;
    this.#watched = watchedTurns(definition, code);
    this.#classes = new Map(
      [...this.#watched].map(([id, watched]) => {
        const { replies } = replyClasses(definition, id, { watched, code });
        return [id, replies.length === 0 ? [{ reply: "", labels: {} }] : replies];
      }),
    );
  }

  /** For a definition that is bound to its row and variant. Outcomes change nothing that is asked, so it needs none. */
  static async open(definition: ScenarioDefinition, forecast: Forecast): Promise<ScenarioSimulation> {
    const oracle = new Oracle();
    return new ScenarioSimulation(await prepareCode(definition, oracle), oracle, forecast);
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
    const start = await this.#step(null, {
      type: "conversation-start",
      conversation: "plan",
      cell,
      scenarioHash: "",
      settings,
      ...("problem" in history || history.length === 0 ? {} : { history }),
    });
    const { least, expected, most, isExact } = await this.from(start);
    for (const amounts of [least, expected, most]) addAt(amounts, CONVERSATIONS, 1);
    return { least, expected, most, isExact };
  }

  /** What a conversation takes from where it stands; the conversation itself is not counted. */
  async from(at: Position): Promise<SimulatedAmounts> {
    const { slots } = this.#forecast;
    const rng = new Rng("plan");
    const turnsLeft = Math.max(1, at.state.settings.turnLimit - at.state.scenario.turn);
    const limit = Math.min(
      MOST_CONVERSATIONS,
      Math.max(FEWEST_CONVERSATIONS, Math.floor(MOST_TURNS / turnsLeft)),
    );
    const mostForBounds = Math.min(limit, MOST_FOR_BOUNDS);
    const expected = slots.zero();
    const ends = new ArmBounds();
    let isExact = true;
    let made: readonly Open[] = [{ at, longer: 0, weight: 1, least: slots.zero(), most: slots.zero() }];
    while (made.length > 0) {
      const open: Open[] = [];
      for (const one of made) open.push(...(await this.#continued(one, { expected, ends })));
      const likely = open.filter(({ weight }) => weight > 0);
      isExact &&= likely.length <= limit;
      const next: Open[] = [];
      for (const one of withBounds(drawn(likely, limit, rng), open, mostForBounds))
        for (const { chance, cost, ...turn } of await this.#turnsAfter(one)) {
          addAmounts(expected, cost.expected, one.weight * chance);
          const [least, most] = [sumOf(one.least, cost.least), sumOf(one.most, cost.most)];
          next.push({ ...turn, weight: one.weight * chance, least, most });
        }
      made = next;
    }
    const { least, most } = ends.of(at.state.cell.arm ?? "");
    // Sums of many small shares are whole again.
    const rounded = expected.map((amount) => Math.round(amount * 1e6) / 1e6);
    extend(least, rounded, Math.min);
    extend(most, rounded, Math.max);
    return { least, expected: rounded, most, isExact };
  }

  /** The conversation itself if it goes on, or the arms in which it does; these are counted. */
  async #continued(
    one: Open,
    sums: { readonly expected: Amounts; readonly ends: ArmBounds },
  ): Promise<readonly Open[]> {
    const { state, effects } = one.at;
    if (state.status === null && effects.some(({ type }) => type === "ask" || type === "simulate"))
      return [one];
    const { slots } = this.#forecast;
    const { cell, settings, scenario } = state;
    const arms = armsOf(this.#definition, state);
    sums.ends.add(
      cell.arm ?? "",
      one,
      arms.map(({ name }) => name),
    );
    const continued: Open[] = [];
    for (const { name, edge, target } of arms) {
      const at = await this.#step(state, {
        type: "conversation-start",
        conversation: "plan",
        cell: { ...cell, arm: name, parent: cell.index },
        scenarioHash: "",
        settings,
        fork: { parent: "plan", turn: scenario.turn, edge, target },
      });
      addAt(sums.expected, CONVERSATIONS, one.weight);
      const [least, most] = [slots.zero(), slots.zero()];
      for (const amounts of [least, most]) addAt(amounts, CONVERSATIONS, 1);
      continued.push(...(await this.#continued({ ...one, at, least, most }, sums)));
    }
    return continued;
  }

  /** The turns that may come next. */
  async #turnsAfter({ at, longer }: Open): Promise<readonly PossibleTurn[]> {
    const simulate = at.effects.find((effect): effect is SimulateEffect => effect.type === "simulate");
    if (simulate === undefined) return this.#askedTurns(at, longer, undefined);
    const before = userCost(simulate, longer, this.#forecast);
    const { message, done } = this.#forecast.assumptions;
    const { choices } = userChoices(simulate.contract, userReads(this.#definition));
    const canBeDone = choices.some((choice) => choice.done);
    const turns: PossibleTurn[] = [];
    for (const choice of choices) {
      const same = choices.filter((other) => other.done === choice.done).length;
      const chance = (canBeDone ? (choice.done ? done : 1 - done) : 1) / same;
      const asked = await this.#step(at.state, {
        type: "turn-user",
        conversation: "plan",
        turn: simulate.turn,
        ...choice,
        spending: NOTHING_SPENT,
      });
      const said = longer + message - estimateTokens(choice.text);
      for (const turn of await this.#askedTurns(asked, said, before))
        turns.push({ ...turn, chance: chance * turn.chance });
    }
    return turns;
  }

  /** The turns that come of a question: one for each reply. `before` is what writing the question took. */
  async #askedTurns(
    at: Position,
    longer: number,
    before: AmountSpread | undefined,
  ): Promise<readonly PossibleTurn[]> {
    const { state, effects } = at;
    const ask = effects.find((effect) => effect.type === "ask");
    if (ask === undefined) return [{ at, chance: 1, longer, cost: before ?? this.#forecast.slots.spread() }];
    const { cost, replyTokens } = askedCost(this.#definition, { state, ask, longer }, this.#forecast);
    if (before !== undefined) addSpread(cost, before);
    const replies = await this.#replies(state, ask);
    return replies.map(({ reply, ...turn }) => ({
      ...turn,
      longer: longer + replyTokens - estimateTokens(reply),
      cost,
    }));
  }

  /** The replies that are distinguished, where each leads, and how likely it is. */
  async #replies(
    state: ConversationState,
    ask: AskEffect,
  ): Promise<readonly (Pick<PossibleTurn, "at" | "chance"> & { readonly reply: string })[]> {
    const found: { readonly at: Step; readonly weight: number; readonly reply: string }[] = [];
    for (const { reply, labels, count = 0 } of this.#repliesAt(state, ask)) {
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
      for (const { result } of results) found.push({ at: result, weight: count / results.length, reply });
    }
    const sum = found.reduce((total, { weight }) => total + weight, 0);
    if (sum > 0) return found.map(({ at, weight, reply }) => ({ at, reply, chance: weight / sum }));
    const isVerified = this.#definition.nodes[ask.node]?.question.template !== undefined;
    const groups = found.map(({ at }) => {
      const { verifyResult = null, notVerified } = at.state.turns?.last ?? {};
      return replyGroup(verifyResult, { isVerified, notVerified: notVerified === true });
    });
    const chances = replyChances(groups, ask.node, this.#forecast.shares(state.cell));
    return found.map(({ at, reply }, index) => ({ at, reply, chance: chances[index] ?? 0 }));
  }

  /** Replies of earlier runs at a node, and all other possible ones: the least and the most depend on those, too. */
  #repliesAt(state: ConversationState, { node }: AskEffect): readonly PossibleReply[] {
    const classes = this.#classes.get(node) ?? [];
    const visit = visitsOf(state, node) + 1;
    const watched = this.#watched.get(node) as WatchedTurn;
    const before = this.#forecast.repliesBefore(state.cell, { node, visit }, watched);
    return before.length === 0 ? classes : [...before, ...classes];
  }

  /** Applies an event; code of the scenario runs. */
  async #step(state: ConversationState | null, event: Parameters<typeof step>[2]): Promise<Step> {
    return this.#prepared.evaluate(() => {
      this.#oracle.start();
      return step(this.#definition, state, event);
    });
  }
}

/** How often a node was visited. Reads the count alone: a list of all visits would take time. */
function visitsOf({ scenario }: ConversationState, node: string): number {
  return FoldedState.visit(scenario, node)?.count ?? 0;
}

/** The least and the most that conversations took, by the arms they are in. */
class ArmBounds {
  readonly #ends = new Map<string, (Bounds & { readonly arms: readonly string[] })[]>();

  /** Adds a conversation that is over, or continues in arms. */
  add(arm: string, { least, most }: Bounds, arms: readonly string[]): void {
    const known = this.#ends.get(arm) ?? [];
    const same = known.find((one) => one.arms.join() === arms.join());
    if (same === undefined) this.#ends.set(arm, [...known, { least, most, arms }]);
    else {
      extend(same.least, least, Math.min);
      extend(same.most, most, Math.max);
    }
  }

  /** Of a conversation with all its arms. */
  of(arm: string): Bounds {
    const ends = (this.#ends.get(arm) ?? []).map(({ least, most, arms }): Bounds => {
      const inArms = arms.map((name) => this.of(name));
      return {
        least: inArms.reduce((sum, bounds) => sumOf(sum, bounds.least), least),
        most: inArms.reduce((sum, bounds) => sumOf(sum, bounds.most), most),
      };
    });
    // Every conversation ends.
    const [first, ...others] = ends as [Bounds, ...Bounds[]];
    for (const { least, most } of others) {
      extend(first.least, least, Math.min);
      extend(first.most, most, Math.max);
    }
    return first;
  }
}

/**
 * Some conversations, with the bounds of all. Of those that ask the same question for the same time after as many turns, one stands for
 * all; where none is followed, so many more are, although they are not counted.
 */
function withBounds(chosen: readonly Open[], all: readonly Open[], most: number): readonly Open[] {
  const byKey = new Map(chosen.map((one) => [askedKey(one), one]));
  const isFollowed = new Set(chosen.map(({ at }) => at));
  const others: Open[] = [];
  for (const one of all) {
    if (isFollowed.has(one.at)) continue;
    const key = askedKey(one);
    const same = byKey.get(key);
    if (same === undefined) {
      const other = { ...one, weight: 0 };
      byKey.set(key, other);
      others.push(other);
    } else {
      extend(same.least, one.least, Math.min);
      extend(same.most, one.most, Math.max);
    }
  }
  const followed = new Map([...chosen, ...spaced(others, most)].map((one) => [one.at, one]));
  // In the same order, so that the first and the last stay the extreme ones.
  return all.flatMap(({ at }) => followed.get(at) ?? []);
}

function askedKey({ at: { state } }: Open): string {
  const node = state.open.at(-1)?.node ?? state.next?.node ?? "";
  return `${state.cell.arm ?? ""} ${node} ${visitsOf(state, node)}`;
}

/** At most so many items of a list, at even distances, with the first and the last. */
function spaced<Item>(items: readonly Item[], most: number): readonly Item[] {
  if (items.length <= most) return items;
  const distance = (items.length - 1) / (most - 1);
  return Array.from({ length: most }, (_, index) => items[Math.floor(index * distance)] as Item);
}

/** At most so many conversations, drawn by their weights at even distances; they share the weight of all. */
function drawn(open: readonly Open[], limit: number, rng: Rng): readonly Open[] {
  if (open.length <= limit) return open;
  const stride = open.reduce((sum, { weight }) => sum + weight, 0) / limit;
  const kept: Open[] = [];
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
