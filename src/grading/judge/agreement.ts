import { isJudgedTrait, type JudgedTrait } from "../../core/templates/rubric.ts";
import { judgedFields, type TemplateField } from "../../core/templates/template.ts";
import { ownValue } from "../../core/values/json.ts";
import { traitValue } from "../verify/trait-value.ts";
import { fieldValueKey, type PanelQuestion, type PanelVote } from "./panel.ts";

/**
 * How different two ratings are: `nominal`, the same or not; `ordinal`, by how many ratings lie between them;
 * `interval`, by the square of their difference.
 */
export type MeasurementLevel = "nominal" | "ordinal" | "interval";

/** What a judge can say of a unit at the nominal level. */
export type Rating = string | number | boolean;

/**
 * Krippendorff's alpha: how far judges agree beyond chance. 1 is perfect agreement, 0 what chance gives, below 0 is
 * systematic disagreement. A unit is what was rated (a field of a turn), with a rating per judge; null is a missing
 * rating, and a unit with fewer than two ratings says nothing. Null, never 1, if alpha is undefined: without two ratings of
 * a unit, or if all ratings are the same, in which case nothing shows that the judges can tell units apart.
 *
 * The work grows with the number of ratings (`ordinal`: sorted once), whatever the number of different values.
 *
 * @example
 * krippendorffAlpha([["A", "A", null], ["B", "B", "B"], ["A", "B", "A"]], "nominal")
 */
export function krippendorffAlpha(
  units: readonly (readonly (Rating | null)[])[],
  level: "nominal",
): number | null;
export function krippendorffAlpha(
  units: readonly (readonly (number | null)[])[],
  level: MeasurementLevel,
): number | null;
export function krippendorffAlpha(
  units: readonly (readonly (Rating | null)[])[],
  level: MeasurementLevel,
): number | null {
  if (level === "nominal") return alphaOf(pairable(units, isRating), unlikePairs);
  const numbers = pairable(units, Number.isFinite) as readonly (readonly number[])[];
  return alphaOf(level === "interval" ? scaled(numbers) : midranks(numbers), squaredDifferences);
}

/** The difference of a rating from each other one, summed over all ordered pairs. */
type SumOverPairs<R> = (ratings: readonly R[]) => number;

/** 1 − observed / expected disagreement; both are sums over pairs, the first within units, the second over everything. */
function alphaOf<R>(units: readonly (readonly R[])[], sumOverPairs: SumOverPairs<R>): number | null {
  const all = units.flat();
  const expected = sumOverPairs(all);
  if (!(expected > 0)) return null;
  let observed = 0;
  for (const ratings of units) observed += sumOverPairs(ratings) / (ratings.length - 1);
  return 1 - ((all.length - 1) * observed) / expected;
}

/** The units with at least two ratings, without the missing ones. */
function pairable<R>(units: readonly (readonly R[])[], isThere: (rating: R) => boolean): R[][] {
  return units.map((ratings) => ratings.filter(isThere)).filter((ratings) => ratings.length > 1);
}

/** NaN and infinite numbers are missing ratings. */
function isRating(rating: Rating | null): boolean {
  return rating !== null && (typeof rating !== "number" || Number.isFinite(rating));
}

/** Pairs that differ: all pairs without those of equal ratings. */
function unlikePairs(ratings: readonly unknown[]): number {
  const counts = countsOf(ratings);
  let pairs = ratings.length ** 2;
  for (const count of counts.values()) pairs -= count ** 2;
  return pairs;
}

/** Σᵢⱼ (xᵢ − xⱼ)² is 2n Σᵢ (xᵢ − mean)²: no pair is visited, and large numbers do not cancel each other out. */
function squaredDifferences(ratings: readonly number[]): number {
  const first = ratings[0] ?? 0;
  // Differences from a rating first: if all are the same, the mean is exact and the sum exactly 0.
  const mean = first + ratings.reduce((sum, rating) => sum + (rating - first), 0) / ratings.length;
  return 2 * ratings.length * ratings.reduce((sum, rating) => sum + (rating - mean) ** 2, 0);
}

/** All ratings in −1..1, which does not change alpha: squares of very large or very small numbers would be lost. */
function scaled(units: readonly (readonly number[])[]): readonly (readonly number[])[] {
  let largest = 0;
  for (const ratings of units) for (const rating of ratings) largest = Math.max(largest, Math.abs(rating));
  return largest === 0 ? units : units.map((ratings) => ratings.map((rating) => rating / largest));
}

/**
 * Each rating replaced by its middle place among all ratings. The ordinal difference of c and k, the ratings from c to k
 * less half of those at either end, is the distance of their middle places: with them, ordinal is interval.
 */
function midranks(units: readonly (readonly number[])[]): readonly (readonly number[])[] {
  const ranks = new Map<number, number>();
  let below = 0;
  for (const [rating, count] of [...countsOf(units.flat())].sort(([left], [right]) => left - right)) {
    ranks.set(rating, below + count / 2);
    below += count;
  }
  // The loop above has set the rank of every rating.
  return units.map((ratings) => ratings.map((rating) => ranks.get(rating) as number));
}

function countsOf<R>(ratings: readonly R[]): ReadonlyMap<R, number> {
  const counts = new Map<R, number>();
  for (const rating of ratings) counts.set(rating, (counts.get(rating) ?? 0) + 1);
  return counts;
}

/** How far the judges of a panel agree over many turns, for each field and trait; null where that is undefined. */
export interface PanelAlpha {
  readonly parsed: Readonly<Record<string, number | null>>;
  readonly rubric: Readonly<Record<string, number | null>>;
}

/** Krippendorff's alpha over the turns of a run: one list of votes per turn, the judges in the same order in each. */
export function panelAlpha(
  turns: readonly (readonly PanelVote[])[],
  { template, traits = [] }: PanelQuestion,
): PanelAlpha {
  const fields = Object.entries(template === undefined ? {} : judgedFields(template));
  return {
    parsed: Object.fromEntries(fields.map(([name, field]) => [name, fieldAlpha(turns, name, field)])),
    rubric: Object.fromEntries(
      traits.filter(isJudgedTrait).map((trait) => [trait.name, traitAlpha(turns, trait)]),
    ),
  };
}

function fieldAlpha(
  turns: readonly (readonly PanelVote[])[],
  name: string,
  field: TemplateField,
): number | null {
  if (field.type === "number" || field.type === "integer") {
    return krippendorffAlpha(
      ratings(turns, (vote) => numberOrNull(ownValue(vote.parsed, name))),
      "interval",
    );
  }
  return krippendorffAlpha(
    ratings(turns, (vote) => fieldRating(field, ownValue(vote.parsed, name))),
    "nominal",
  );
}

function traitAlpha(turns: readonly (readonly PanelVote[])[], trait: JudgedTrait): number | null {
  const valueIn = (vote: PanelVote): Rating | null =>
    traitValue(trait, ownValue(vote.rubric, trait.name)).value;
  if (trait.type === "metric" || trait.kind === "score") {
    return krippendorffAlpha(
      ratings(turns, (vote) => numberOrNull(valueIn(vote))),
      "interval",
    );
  }
  return krippendorffAlpha(ratings(turns, valueIn), "nominal");
}

/** A judge whose answer could not be read has given no rating. */
function ratings<Value>(
  turns: readonly (readonly PanelVote[])[],
  rate: (vote: PanelVote) => Value | null,
): (Value | null)[][] {
  return turns.map((votes) => votes.map((vote) => (vote.status === "read" ? rate(vote) : null)));
}

/** Judges can also agree that a value is not stated. */
function fieldRating(field: TemplateField, value: unknown): Rating {
  return value === null || value === undefined
    ? "not stated"
    : `stated: ${fieldValueKey(field, value) ?? ""}`;
}

function numberOrNull(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}
