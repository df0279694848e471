import { deepEqual } from "../values/deep-equal.ts";
import type { Rubric, Trait } from "./rubric.ts";

/** A rubric that counts for a turn, and what a sentence calls its place: `the run`. */
export interface RubricPart {
  readonly rubric: Rubric | undefined;
  readonly place: string;
}

/** Two different traits with one name. */
export interface TraitClash {
  readonly trait: string;
  /** Where the one stands that counts, and where the other. */
  readonly places: readonly [string, string];
}

/**
 * The traits of several rubrics in their order, each name once: of two with one name the first counts, and the other
 * is a clash unless it is the same trait again.
 */
export function mergeRubrics(parts: readonly RubricPart[]): {
  readonly traits: readonly Trait[];
  readonly clashes: readonly TraitClash[];
} {
  const byName = new Map<string, { readonly trait: Trait; readonly place: string }>();
  const clashes: TraitClash[] = [];
  for (const { rubric, place } of parts) {
    for (const trait of rubric?.traits ?? []) {
      const first = byName.get(trait.name);
      if (first === undefined) byName.set(trait.name, { trait, place });
      else if (!deepEqual(first.trait, trait))
        clashes.push({ trait: trait.name, places: [first.place, place] });
    }
  }
  return { traits: [...byName.values()].map(({ trait }) => trait), clashes };
}
