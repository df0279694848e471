import { Rng } from "../../../core/rng.ts";
import type { Step } from "../../../engine/run/step/step.ts";
import {
  type AmountSpread,
  type Amounts,
  addAmounts,
  countConversation,
  extend,
  type Slots,
} from "./amounts.ts";
import { type Arrival, ChainLayer } from "./chain-layer.ts";

/** What a conversation will take from some point on, in all its arms. */
export interface ChainResult extends AmountSpread {
  /** False if there were too many states, and some of them stand for all. */
  readonly isExact: boolean;
}

/** Where a conversation stands, and what is ready to be done. */
export type Position = Pick<Step, "state" | "effects">;

/** Conversations that nothing distinguishes from here on, as one state; one of them represents all. */
export interface ChainState extends Position {
  /** Which one it is of the states of its chain, from 0. */
  readonly number: number;
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

/** Conversations that reach a state, and how many turns are left. */
interface Entering extends Arrival {
  readonly left: number;
}

/** A state of a layer, and where its ways lead: the next layer, and how many turns are left there. */
interface Place {
  readonly layer: ChainLayer<ChainState>;
  readonly position: number;
  readonly next: ChainLayer<ChainState>;
  readonly left: number;
}

class ChainWalk {
  readonly #options: WalkOptions;
  readonly #expected: Amounts;
  /** What conversations took before the turn that is walked, and with it; used again for every turn. */
  readonly #before: Pick<Arrival, "least" | "most">;
  readonly #after: Pick<Arrival, "least" | "most">;
  #least: Amounts | undefined;
  #most: Amounts | undefined;
  #isExact = true;

  constructor(options: WalkOptions) {
    const { zero } = options;
    this.#options = options;
    this.#expected = zero();
    this.#before = { least: zero(), most: zero() };
    this.#after = { least: zero(), most: zero() };
  }

  async walk(first: Way["to"], longer: number): Promise<ChainResult> {
    const { turns, zero, turn } = this.#options;
    const { length: width } = this.#expected;
    let [layer, next] = [new ChainLayer<ChainState>(width), new ChainLayer<ChainState>(width)];
    await this.#enter(layer, first, { mass: 1, longer, least: zero(), most: zero(), left: turns });
    for (let left = turns - 1; layer.size > 0; left--) {
      for (let position = 0; position < layer.size; position++) {
        const at = layer.stateAt(position);
        at.turn ??= await turn(at);
        // Asynchronous for forks only: most turns take less time than a promise.
        const walked = this.#turn(at.turn, { layer, position, next, left });
        if (walked !== undefined) await walked;
      }
      layer.clear();
      [layer, next] = [this.#limited(next), layer];
    }
    return {
      least: this.#least ?? zero(),
      expected: this.#expected,
      most: this.#most ?? zero(),
      isExact: this.#isExact,
    };
  }

  #turn({ expected, ways }: PlannedTurn, place: Place): Promise<void> | undefined {
    const { layer, position } = place;
    const mass = layer.massAt(position);
    addAmounts(this.#expected, expected.fixed, mass);
    addAmounts(this.#expected, expected.perToken, mass * layer.longerAt(position));
    return this.#follow(ways, place, 0);
  }

  /** Follows the ways from the given one on. */
  #follow(
    ways: readonly Way[],
    { layer, position, next, left }: Place,
    from: number,
  ): Promise<void> | undefined {
    const mass = layer.massAt(position);
    const longer = layer.longerAt(position);
    const { least, most } = this.#after;
    layer.readAmounts(position, this.#before);
    for (let index = from; index < ways.length; index++) {
      const way = ways[index] as Way;
      // What a turn takes is mostly the same for all of its replies.
      const previous = index === from ? undefined : ways[index - 1];
      if (way.least !== previous?.least) addTurn(least, this.#before.least, way.least, longer);
      if (way.most !== previous?.most) addTurn(most, this.#before.most, way.most, longer);
      const entered = this.#enter(next, way.to, {
        mass: mass * way.chance,
        longer: longer + way.longer,
        least,
        most,
        left,
      });
      if (entered !== undefined)
        return entered.then(() => this.#follow(ways, { layer, position, next, left }, index + 1));
    }
    return undefined;
  }

  /** Conversations in the same state become one; those that are over are counted. Asynchronous for forks only. */
  #enter(layer: ChainLayer<ChainState>, to: Way["to"], entry: Entering): Promise<void> | undefined {
    if (to === null || entry.left <= 0) this.#end(entry);
    else if ("arms" in to) return this.#fork(to, entry);
    else {
      const { mass, longer, least, most } = entry;
      layer.add(to.at, { mass, longer: longer + to.longer, least, most });
    }
    return undefined;
  }

  #end({ least, most }: Pick<Arrival, "least" | "most">): void {
    if (this.#least === undefined) this.#least = Float64Array.from(least);
    else extend(this.#least, least, Math.min);
    if (this.#most === undefined) this.#most = Float64Array.from(most);
    else extend(this.#most, most, Math.max);
  }

  async #fork({ arms }: Arms, { mass, longer, left, ...before }: Entering): Promise<void> {
    const [least, most] = [Float64Array.from(before.least), Float64Array.from(before.most)];
    for (const arm of await arms()) {
      const walked = await new ChainWalk({ ...this.#options, turns: left }).walk(arm, longer);
      for (const amounts of [walked.least, walked.expected, walked.most]) countConversation(amounts);
      addAmounts(this.#expected, walked.expected, mass);
      addAmounts(least, walked.least);
      addAmounts(most, walked.most);
      this.#isExact &&= walked.isExact;
    }
    this.#end({ least, most });
  }

  /** A layer with no more states than are followed. Those that are kept are drawn by their probability, and have the probability of all together. */
  #limited(layer: ChainLayer<ChainState>): ChainLayer<ChainState> {
    if (layer.size <= MOST_STATES) return layer;
    this.#isExact = false;
    let mass = 0;
    for (let position = 0; position < layer.size; position++) mass += layer.massAt(position);
    const stride = mass / MOST_STATES;
    const kept = new ChainLayer<ChainState>(this.#expected.length);
    let next = stride * new Rng("plan").next();
    let reached = 0;
    for (let position = 0; position < layer.size; position++) {
      reached += layer.massAt(position);
      let drawn = 0;
      for (; next < reached; next += stride) drawn++;
      if (drawn === 0) continue;
      layer.readAmounts(position, this.#before);
      kept.add(layer.stateAt(position), {
        mass: drawn * stride,
        longer: layer.longerAt(position),
        ...this.#before,
      });
    }
    return kept;
  }
}

/** Amounts with those of a turn, which grow with the length of the conversation. */
function addTurn(to: Amounts, before: Amounts, { fixed, perToken }: Linear, longer: number): void {
  for (let index = 0; index < to.length; index++)
    to[index] = (before[index] ?? 0) + (fixed[index] ?? 0) + longer * (perToken[index] ?? 0);
}
