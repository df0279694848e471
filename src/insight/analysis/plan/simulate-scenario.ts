import { Rng } from "../../../core/rng.ts";
import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import type { ConversationPlan } from "../../../engine/run/run-context.ts";
import { givenHistory } from "../../../engine/run/step/given-history.ts";
import {
  type AmountSpread,
  type Amounts,
  addAmounts,
  addAt,
  CONVERSATIONS,
  extend,
  KEYS,
  type Slots,
} from "./amounts.ts";
import type { Forecast } from "./forecast.ts";
import { asks, type Position, PossibleTurns, type Unfinished, visitsOf } from "./possible-turns.ts";

/** What a conversation will take from some point on, in all its arms. */
export interface SimulatedAmounts extends AmountSpread {
  /** False if it branches too often to follow every reply, so that some were drawn. */
  readonly isExact: boolean;
}

/** A conversation that is simulated beside others. */
interface Simulated extends Unfinished {
  readonly weight: number;
}

interface Bounds {
  readonly least: Amounts;
  readonly most: Amounts;
}

/** A conversation with the least and the most that it took so far. */
interface Bounded extends Bounds, Unfinished {}

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
  readonly #turns: PossibleTurns;
  readonly #slots: Slots;

  private constructor(turns: PossibleTurns, slots: Slots) {
    this.#turns = turns;
    this.#slots = slots;
  }

  /** For a definition that is bound to its row and variant. Outcomes change nothing that is asked, so it needs none. */
  static async open(definition: ScenarioDefinition, forecast: Forecast): Promise<ScenarioSimulation> {
    return new ScenarioSimulation(await PossibleTurns.open(definition, forecast), forecast.slots);
  }

  /** Conditions whose results could not be computed: true and false are equally likely. */
  get unknown(): readonly string[] {
    return this.#turns.unknown;
  }

  close(): void {
    this.#turns.close();
  }

  /** What a conversation takes from its beginning. */
  async fromStart({
    cell,
    settings,
  }: Pick<ConversationPlan, "cell" | "settings">): Promise<SimulatedAmounts> {
    const history = givenHistory(this.#turns.definition);
    const start = await this.#turns.step(null, {
      type: "conversation-start",
      conversation: "plan",
      cell,
      scenarioHash: "",
      settings,
      ...("problem" in history || history.length === 0 ? {} : { history }),
    });
    const result = await this.from(start);
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
    const expected = this.#slots.zero();
    let isExact = true;
    let open: readonly Simulated[] = await this.#continued({ at, weight: 1, longer: 0 }, expected);
    while (open.length > 0) {
      isExact &&= open.length <= limit;
      const next: Simulated[] = [];
      for (const one of drawn(open, limit, rng))
        for (const { at: to, chance, longer, cost } of await this.#turns.after(one)) {
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
    const found: Bounds[] = [];
    let open: readonly Bounded[] = [{ at, longer, least: this.#slots.zero(), most: this.#slots.zero() }];
    while (open.length > 0) {
      const next = new Map<string, Bounded>();
      for (const one of open.filter((other) => !asks(other.at))) found.push(await this.#ended(one, limit));
      const asking = open.filter((one) => asks(one.at));
      for (const one of spaced(asking, limit))
        for (const { at: to, longer: said, cost } of await this.#turns.after(one)) {
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
    for (const arm of await this.#turns.arms(one.at)) {
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
    for (const at of await this.#turns.arms(one.at)) {
      addAt(sum, CONVERSATIONS, one.weight);
      continued.push(...(await this.#continued({ ...one, at }, sum)));
    }
    return continued;
  }
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
