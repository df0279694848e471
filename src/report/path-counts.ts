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

/** Counts paths in bounded memory: once it is full, counts stay exact, but paths that are new by then are not told apart. */
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
    const told = ranked.reduce((sum, [, count]) => sum + count, 0);
    return {
      conversations: this.#conversations,
      // Keys are made of paths, above.
      paths: ranked.map(([key, count]) => ({ path: JSON.parse(key) as readonly string[], count })),
      others: {
        conversations: this.#conversations - told,
        paths: this.#isFull ? null : this.#counts.size - ranked.length,
      },
    };
  }
}
