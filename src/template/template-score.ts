import { type Composed, isComposition } from "../logic/composition.ts";
import type { Truth } from "../logic/kleene.ts";
import type { FieldLeaf, Template } from "./template.ts";

/** What a field contributes to the score. */
export interface FieldScore {
  readonly weight: number;
  readonly score: number;
  readonly result: Truth;
}

/**
 * The weighted score of a template, along its composition: the weighted mean for `all_of`, the best child for `any_of`,
 * the mean of the `n` best for `at_least_n`. So a reply that passes scores what its passing parts score. Null if no field
 * has weight.
 */
export function templateScore(template: Template, fieldScore: (name: string) => FieldScore): number | null {
  const { verify } = template;
  const composition: Composed<FieldLeaf> =
    typeof verify === "object"
      ? verify
      : { type: "all_of", conditions: Object.keys(template.fields).map(leaf) };
  const { score, weight } = partScore(composition, fieldScore);
  return weight > 0 ? score : null;
}

function leaf(name: string): FieldLeaf {
  return { type: "field", field: name };
}

type PartScore = Pick<FieldScore, "weight" | "score">;

function partScore(part: Composed<FieldLeaf>, fieldScore: (name: string) => FieldScore): PartScore {
  if (!isComposition(part)) return fieldScore(part.field);
  if (part.type === "not") return negatedScore(part.condition, fieldScore);
  const parts = part.conditions.map((child) => partScore(child, fieldScore));
  switch (part.type) {
    case "all_of":
      return weightedMean(parts);
    case "any_of":
      return bestOf(parts, 1);
    case "at_least_n":
      return bestOf(parts, part.n);
  }
}

function weightedMean(parts: readonly PartScore[]): PartScore {
  const weight = parts.reduce((sum, part) => sum + part.weight, 0);
  // With nothing to hold, it holds.
  if (parts.length === 0) return { weight: 1, score: 1 };
  if (weight === 0) return { weight, score: 0 };
  return { weight, score: parts.reduce((sum, part) => sum + part.weight * part.score, 0) / weight };
}

/** The mean of the `n` best children; what is missing to `n` counts as 0. It weighs what its `n` heaviest children do. */
function bestOf(parts: readonly PartScore[], n: number): PartScore {
  if (n === 0) return { weight: 1, score: 1 };
  const best = parts
    .map(({ score }) => score)
    .sort((left, right) => right - left)
    .slice(0, n);
  const heaviest = parts
    .map(({ weight }) => weight)
    .sort((left, right) => right - left)
    .slice(0, n);
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
  return { weight: parts.length === 0 ? 1 : sum(heaviest), score: sum(best) / n };
}

/** What must not hold scores what is missing; of a field that is not stated nothing is known, and it scores 0. */
function negatedScore(part: Composed<FieldLeaf>, fieldScore: (name: string) => FieldScore): PartScore {
  const { weight, score } = partScore(part, fieldScore);
  const unknown = !isComposition(part) && fieldScore(part.field).result === null;
  return { weight, score: unknown ? 0 : 1 - score };
}
