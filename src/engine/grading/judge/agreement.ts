import {
  type AlphaMetric,
  krippendorffAlpha as alphaOfRatings,
  type Rating,
} from "../../../core/statistics/agreement.ts";
import { isJudgedTrait, type JudgedTrait } from "../../../core/templates/rubric.ts";
import { judgedFields, type TemplateField } from "../../../core/templates/template.ts";
import { ownValue } from "../../../core/values/json.ts";
import { traitValue } from "../verify/trait-value.ts";
import { fieldValueKey, type PanelQuestion, type PanelVote } from "./panel.ts";

/**
 * How different two ratings are: `nominal`, the same or not; `ordinal`, by how many ratings lie between them;
 * `interval`, by the square of their difference.
 */
export type MeasurementLevel = AlphaMetric;

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
  if (level === "nominal") return alphaOfRatings(known(units, isRating), level);
  const numbers = known(units as readonly (readonly (number | null)[])[], Number.isFinite);
  return alphaOfRatings(level === "interval" ? scaled(numbers) : numbers, level);
}

/** The same units, with null in place of everything that is no rating. */
function known<R>(
  units: readonly (readonly R[])[],
  isKnown: (rating: R) => boolean,
): readonly (readonly (R | null)[])[] {
  return units.map((ratings) => ratings.map((rating) => (isKnown(rating) ? rating : null)));
}

/** NaN and infinite numbers are missing ratings. */
function isRating(rating: Rating | null): boolean {
  return typeof rating !== "number" || Number.isFinite(rating);
}

/** All ratings in −1..1, which does not change alpha: squares of very large or very small numbers would be lost. */
function scaled(units: readonly (readonly (number | null)[])[]): readonly (readonly (number | null)[])[] {
  let largest = 0;
  for (const ratings of units)
    for (const rating of ratings) largest = Math.max(largest, Math.abs(rating ?? 0));
  if (largest === 0) return units;
  return units.map((ratings) => ratings.map((rating) => (rating === null ? null : rating / largest)));
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
