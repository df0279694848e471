import { END } from "../../core/scenario/definition.ts";
import { isFinished } from "../../core/state/state.ts";
import { type Conversation, foldConversation } from "../../journal/fold/conversation.ts";
import type { ConversationFilter, Store } from "../../journal/store/store.ts";
import { storedRun } from "../../journal/transfer/stored-run.ts";
import type { Traffic } from "../graph/drawn-graph.ts";

/** How the conversations of a run went through one scenario. */
export interface ScenarioTraffic extends Traffic {
  readonly scenario: string;
  /** All conversations that were looked at. */
  readonly conversations: number;
  /** Of those, the ones that have not ended: their last question is not counted as a visit yet. */
  readonly underWay: number;
  /** Of those, the ones that time, money or machines ended early: how far they got is no whole path. */
  readonly cutShort: number;
  /** The whole paths of the others. */
  readonly paths: PathCounts;
}

const MOST_PATHS = 10;

/**
 * Counts how often nodes were visited and edges followed. A visit is a question that was asked, answered or not. An edge
 * is followed if the question it leads to was asked, or if it leads to `END`. So what comes to a node leaves it or stops there.
 */
export function runTraffic(
  store: Store,
  run: string,
  filter: Pick<ConversationFilter, "scenario" | "subject" | "judge"> = {},
): readonly ScenarioTraffic[] {
  const { run: name } = storedRun(store, run);
  const tallies = new Map<string, Tally>();
  for (const { scenario, conversation } of store.conversations(name, filter)) {
    const tally = tallies.get(scenario) ?? new Tally();
    tallies.set(scenario, tally);
    tally.add(foldConversation(store.events(name, conversation)));
  }
  return [...tallies].map(([scenario, tally]) => tally.traffic(scenario));
}

class Tally {
  readonly #visits = new Map<string, number>();
  readonly #hops = new Map<number, number>();
  readonly #paths = new PathCounter();
  #conversations = 0;
  #underWay = 0;
  #cutShort = 0;

  add({ status, turns, path }: Conversation): void {
    this.#conversations++;
    turns.forEach(({ node, hop }, index) => {
      const isEnd = hop !== undefined && (hop.target === null || hop.target === END);
      // A hop that nothing follows was decided, but not made: at the limit of turns, or where something broke.
      const isMade = isEnd || (hop !== undefined && hop.target === turns[index + 1]?.node);
      if (isMade || status !== null) increase(this.#visits, node);
      if (isMade && hop.edge !== null) increase(this.#hops, hop.edge);
    });
    if (status === null) this.#underWay++;
    else if (isFinished(status)) this.#paths.add(path);
    else this.#cutShort++;
  }

  traffic(scenario: string): ScenarioTraffic {
    return {
      scenario,
      conversations: this.#conversations,
      underWay: this.#underWay,
      cutShort: this.#cutShort,
      visits: this.#visits,
      hops: this.#hops,
      paths: this.#paths.most(MOST_PATHS),
    };
  }
}

function increase<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** A whole way through a scenario, and how many conversations went it. */
export interface PathCount {
  /** The nodes in order. */
  readonly path: readonly string[];
  readonly count: number;
}

/** The ways that conversations went, the most frequent ones first. */
export interface PathCounts {
  /** How many conversations were counted. */
  readonly conversations: number;
  readonly paths: readonly PathCount[];
  /** What is not among the paths; `paths` is null if there were too many different ones to count. */
  readonly others: { readonly conversations: number; readonly paths: number | null };
}

/** How many characters of different paths are remembered, which is a few megabytes. */
const REMEMBERED = 4_000_000;

/** Counts paths in bounded memory: once it is full, counts stay exact, but paths that are new by then are not listed. */
export class PathCounter {
  readonly #counts = new Map<string, number>();
  readonly #limit: number;
  #size = 0;
  #conversations = 0;
  #isFull = false;

  constructor(limit: number = REMEMBERED) {
    this.#limit = limit;
  }

  add(path: readonly string[]): void {
    this.#conversations++;
    const key = JSON.stringify(path);
    const count = this.#counts.get(key);
    if (count === undefined && this.#size + key.length > this.#limit) {
      this.#isFull = true;
      return;
    }
    if (count === undefined) this.#size += key.length;
    this.#counts.set(key, (count ?? 0) + 1);
  }

  /** The most frequent paths; of equally frequent ones, those that came first. */
  most(limit: number): PathCounts {
    const ranked = [...this.#counts].sort(([, one], [, other]) => other - one).slice(0, limit);
    const listed = ranked.reduce((sum, [, count]) => sum + count, 0);
    return {
      conversations: this.#conversations,
      // Keys are made of paths, above.
      paths: ranked.map(([key, count]) => ({ path: JSON.parse(key) as readonly string[], count })),
      others: {
        conversations: this.#conversations - listed,
        paths: this.#isFull ? null : this.#counts.size - ranked.length,
      },
    };
  }
}
