const COMPARISONS = 500_000;

/**
 * Finds the known name nearest to a misspelt one. The work over the whole life of a finder is bounded, so that
 * a scenario with very many wrong names is still validated in linear time; the later ones get no suggestion.
 */
export class NearestName {
  #remaining = COMPARISONS;
  readonly #names: () => Iterable<string>;

  constructor(names: () => Iterable<string>) {
    this.#names = names;
  }

  find(wrong: string): string | undefined {
    let best: string | undefined;
    // Names that begin like it: only one of them can be meant.
    const longer: string[] = [];
    // One edit in a short name, more in a long one; of a single letter nothing would be left.
    let bestDistance = wrong.length < 2 ? 1 : Math.max(1, Math.floor(wrong.length / 3)) + 1;
    for (const name of this.#names()) {
      if (this.#remaining-- <= 0) return undefined;
      if (wrong.length > 2 && name.toLowerCase().startsWith(wrong.toLowerCase())) longer.push(name);
      const distance = editDistance(wrong.toLowerCase(), name.toLowerCase(), bestDistance);
      if (distance >= bestDistance) continue;
      best = name;
      bestDistance = distance;
    }
    return best ?? (longer.length === 1 ? longer[0] : undefined);
  }
}

/** The nearest of a few known names, as the `nearest` part of an issue. */
export function nearestOf(wrong: string, names: Iterable<string>): { readonly nearest?: string } {
  return asNearest(new NearestName(() => names).find(wrong));
}

/** An optional suggestion as the `nearest` part of an issue: absent, never undefined. */
export function asNearest(nearest: string | undefined): { readonly nearest?: string } {
  return nearest === undefined ? {} : { nearest };
}

/** Number of insertions, deletions, replacements and swaps of neighbours; gives up at `limit`. */
function editDistance(left: string, right: string, limit: number): number {
  if (Math.abs(left.length - right.length) >= limit || left.length > 64) return left === right ? 0 : limit;
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    let smallest = row;
    for (let column = 1; column <= right.length; column++) {
      const same = left[row - 1] === right[column - 1];
      let cost = Math.min(
        (previous[column] as number) + 1,
        (current[column - 1] as number) + 1,
        (previous[column - 1] as number) + (same ? 0 : 1),
      );
      const swapped = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      if (row > 1 && column > 1 && swapped) cost = Math.min(cost, (beforePrevious[column - 2] as number) + 1);
      current.push(cost);
      smallest = Math.min(smallest, cost);
    }
    if (smallest >= limit) return limit;
    beforePrevious = previous;
    previous = current;
  }
  return previous[right.length] as number;
}

/** The end of a sentence about a name that does not exist: the one that was probably meant, or those that there are. */
export function nameHint(wrong: string, known: Iterable<string>): string {
  const names = [...known];
  const { nearest } = nearestOf(wrong, names);
  if (nearest !== undefined) return `Did you mean "${nearest}"?`;
  if (names.length === 0) return "There are none.";
  const more = names.length - MOST_NAMED;
  return `There are ${names.slice(0, MOST_NAMED).join(", ")}${more > 0 ? ` and ${more} more` : ""}.`;
}

const MOST_NAMED = 10;
