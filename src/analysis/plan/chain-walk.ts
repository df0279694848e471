import { Rng } from "../../core/rng.ts";
import type { Step } from "../../run/step/step.ts";
import {
  type AmountSpread,
  type Amounts,
  addAmounts,
  countConversation,
  extend,
  type Slots,
} from "./amounts.ts";

/** What a conversation will take from some point on, in all its arms. */
export interface ChainResult extends AmountSpread {
  /** False if there were too many states, and some of them stand for all. */
  readonly isExact: boolean;
}

/** Where a conversation stands, and what is ready to be done. */
export type Position = Pick<Step, "state" | "effects">;

/** Conversations that nothing distinguishes from here on, as one state; one of them represents all. */
export interface ChainState extends Position {
  /** How many tokens its next request has. */
  readonly request: number;
  /** Its next turn, once it is known. */
  turn?: PlannedTurn;
}

/** Amounts of a conversation, and by how much they grow with each further token. */
export interface Linear {
  readonly fixed: Amounts;
  readonly perToken: Amounts;
}

/** The least, the expected and the most of such amounts. */
export interface LinearSpread {
  readonly least: Linear;
  readonly expected: Linear;
  readonly most: Linear;
}

/** What one turn takes, and where it leads. */
export interface PlannedTurn {
  readonly expected: Linear;
  readonly ways: Way[];
}

/** Where a reply leads. */
export interface Way {
  readonly chance: number;
  /** By how many tokens the conversation becomes longer than the one that represents it. */
  readonly longer: number;
  readonly least: Linear;
  readonly most: Linear;
  /** Null if the conversation is over. */
  readonly to: { readonly at: ChainState; readonly longer: number } | Arms | null;
}

/** The arms of a fork: all of them follow. */
interface Arms {
  readonly arms: () => Promise<readonly Way["to"][]>;
}

/** How a chain is walked. */
export interface WalkOptions {
  /** The most turns that are walked. */
  readonly turns: number;
  readonly zero: () => Amounts;
  readonly turn: (state: ChainState) => Promise<PlannedTurn>;
}

/** How many states of one turn are followed; of more, some are drawn at random. */
const MOST_STATES = 2_000;

/** Amounts that are all zero. */
export function linearSpread(slots: Slots): LinearSpread {
  const linear = (): Linear => ({ fixed: slots.zero(), perToken: slots.zero() });
  return { least: linear(), expected: linear(), most: linear() };
}

/** Adds amounts to others, multiplied. */
export function addLinear(to: Linear, more: Linear, times: number): void {
  addAmounts(to.fixed, more.fixed, times);
  addAmounts(to.perToken, more.perToken, times);
}

/** What conversations take that begin in a state, turn by turn, with the chance of each state and the mean length so far. */
export async function walkChain(first: Way["to"], options: WalkOptions): Promise<ChainResult> {
  return new ChainWalk(options).walk(first, 0);
}

/** Conversations in one state after the same number of turns. */
interface Entry {
  readonly at: ChainState;
  /** How likely they are. */
  mass: number;
  /** By how many tokens their mean is longer than the one that represents them. */
  longer: number;
  /** What they took so far. */
  readonly least: Amounts;
  readonly most: Amounts;
}

/** Conversations that reach a state, and how many turns are left. */
interface Entering extends Omit<Entry, "at"> {
  readonly left: number;
}

class ChainWalk {
  readonly #options: WalkOptions;
  readonly #expected: Amounts;
  /** Arrays that can be used again. */
  readonly #free: Amounts[] = [];
  #least: Amounts | undefined;
  #most: Amounts | undefined;
  #isExact = true;

  constructor(options: WalkOptions) {
    this.#options = options;
    this.#expected = options.zero();
  }

  async walk(first: Way["to"], longer: number): Promise<ChainResult> {
    const { turns, zero } = this.#options;
    let layer = new Map<ChainState, Entry>();
    await this.#enter(layer, first, { mass: 1, longer, least: zero(), most: zero(), left: turns });
    for (let left = turns - 1; layer.size > 0; left--) {
      const next = new Map<ChainState, Entry>();
      for (const entry of layer.values()) await this.#turn(entry, next, left);
      layer = this.#limited(next);
    }
    return {
      least: this.#least ?? zero(),
      expected: this.#expected,
      most: this.#most ?? zero(),
      isExact: this.#isExact,
    };
  }

  async #turn(entry: Entry, next: Map<ChainState, Entry>, left: number): Promise<void> {
    const { at, mass, longer } = entry;
    at.turn ??= await this.#options.turn(at);
    const { expected, ways } = at.turn;
    addAmounts(this.#expected, expected.fixed, mass);
    addAmounts(this.#expected, expected.perToken, mass * longer);
    for (const way of ways) {
      const entered = this.#enter(next, way.to, {
        mass: mass * way.chance,
        longer: longer + way.longer,
        least: this.#after(entry.least, way.least, longer),
        most: this.#after(entry.most, way.most, longer),
        left,
      });
      if (entered !== undefined) await entered;
    }
    this.#free.push(entry.least, entry.most);
  }

  #after(before: Amounts, { fixed, perToken }: Linear, longer: number): Amounts {
    const amounts = this.#free.pop() ?? this.#options.zero();
    for (let index = 0; index < amounts.length; index++)
      amounts[index] = (before[index] ?? 0) + (fixed[index] ?? 0) + longer * (perToken[index] ?? 0);
    return amounts;
  }

  /** Conversations in the same state become one entry; those that are over are counted. Asynchronous for forks only. */
  #enter(layer: Map<ChainState, Entry>, to: Way["to"], entry: Entering): Promise<void> | undefined {
    const { mass, least, most, left } = entry;
    if (to !== null && left > 0) {
      if ("arms" in to) return this.#fork(to, entry);
      const { at } = to;
      const longer = entry.longer + to.longer;
      const known = layer.get(at);
      if (known === undefined) {
        layer.set(at, { at, mass, longer, least, most });
        return undefined;
      }
      const sum = known.mass + mass;
      if (sum > 0) known.longer = (known.mass * known.longer + mass * longer) / sum;
      known.mass = sum;
      extend(known.least, least, Math.min);
      extend(known.most, most, Math.max);
    } else this.#end(least, most);
    this.#free.push(least, most);
    return undefined;
  }

  #end(least: Amounts, most: Amounts): void {
    if (this.#least === undefined) this.#least = Float64Array.from(least);
    else extend(this.#least, least, Math.min);
    if (this.#most === undefined) this.#most = Float64Array.from(most);
    else extend(this.#most, most, Math.max);
  }

  async #fork({ arms }: Arms, { mass, longer, least, most, left }: Entering): Promise<void> {
    for (const arm of await arms()) {
      const walked = await new ChainWalk({ ...this.#options, turns: left }).walk(arm, longer);
      for (const amounts of [walked.least, walked.expected, walked.most]) countConversation(amounts);
      addAmounts(this.#expected, walked.expected, mass);
      addAmounts(least, walked.least);
      addAmounts(most, walked.most);
      this.#isExact &&= walked.isExact;
    }
    this.#end(least, most);
  }

  /** A layer with no more states than are followed. Those that are kept are drawn by their probability, and have the probability of all together. */
  #limited(layer: Map<ChainState, Entry>): Map<ChainState, Entry> {
    if (layer.size <= MOST_STATES) return layer;
    this.#isExact = false;
    const entries = [...layer.values()];
    const mass = entries.reduce((sum, entry) => sum + entry.mass, 0);
    const stride = mass / MOST_STATES;
    const kept = new Map<ChainState, Entry>();
    let next = stride * new Rng("plan").next();
    let reached = 0;
    for (const entry of entries) {
      reached += entry.mass;
      let drawn = 0;
      for (; next < reached; next += stride) drawn++;
      if (drawn > 0) kept.set(entry.at, { ...entry, mass: drawn * stride });
    }
    return kept;
  }
}
