import {
  boolean,
  described,
  either,
  list,
  type NumberShape,
  nonEmptyText,
  object,
  oneOfTexts,
  type ReferenceShape,
  reference,
  type Shape,
  text,
} from "../schema/shape.ts";
import type { UnknownRecord } from "../values/json.ts";

/** A ratio of two conditions: the outcome `of`, over the same outcome where a factor has a level. */
export interface RatioDeclaration<Outcome extends string = string> {
  readonly of: Outcome;
  /** Factor and level of the denominator; `variant` stands for whatever factor has the level. */
  readonly over: Readonly<Record<string, string>>;
  /** The mean over items of their ratios (default), or the ratio of the two means. */
  readonly as?: "mean_of_ratios" | "ratio_of_means";
}

/**
 * A number that reports compute from outcomes over conversations. With `of` alone it is a rate, or the mean of a number; `given` leaves
 * out the conversations in which another outcome is not true.
 */
export interface RateDeclaration<Outcome extends string = string> {
  readonly description?: string;
  readonly of?: Outcome;
  /** Only conversations in which this outcome is true, or is not. */
  readonly given?: Outcome | { readonly not: Outcome };
  /** The mean of an outcome that is a number; the same as `of`. */
  readonly mean?: Outcome;
  readonly ratio?: RatioDeclaration<Outcome>;
  /** The mean over items of this percentile of their replicates. */
  readonly percentile?: number;
  /** The mean over items of the distance between two percentiles of their replicates. */
  readonly spread?: readonly number[];
  /** The chance that at least one of so many replicates passes. */
  readonly passAt?: number;
  /** The chance that all of so many replicates pass. */
  readonly passHat?: number;
  /** True if more is better, false if less is. Tables mark the best subject only where this is known. */
  readonly good?: boolean;
  /** The mean over groups, each with the same weight: `{ macro: "row.axis" }`. Without it, all conversations are pooled. */
  readonly average?: { readonly macro: string };
  /** The nodes whose verdicts make the sequence that the rate follows; found by itself for "all turns are right". */
  readonly turns?: readonly string[];
}

const percent: NumberShape = { kind: "number", minimum: 0 };
const tries: NumberShape = { kind: "number", integer: true, minimum: 1 };

const RATIO: Shape = object(
  "a ratio",
  {
    of: described(nonEmptyText, "The outcome."),
    over: described(
      { kind: "record", values: nonEmptyText, single: true, ifEmpty: "empty_value" } as const,
      "Factor and level of the denominator.",
    ),
  },
  { optional: { as: oneOfTexts("mean_of_ratios", "ratio_of_means") } },
);

/** A rate, as files write it under its name. */
export const RATE_SHAPE: ReferenceShape = reference("rate", () =>
  object(
    "a rate",
    {},
    {
      optional: {
        description: text,
        of: described(nonEmptyText, "The outcome that is counted or averaged."),
        given: described(
          either(nonEmptyText, object("a condition", { not: nonEmptyText })),
          "Only conversations in which this outcome is true; with `not`, in which it is false.",
        ),
        mean: described(nonEmptyText, "The outcome whose mean it is."),
        ratio: described(RATIO, "A ratio between two levels of a factor."),
        percentile: described(percent, "The mean over items of this percentile of their replicates."),
        spread: described(list(percent), "The mean over items of the distance between two percentiles."),
        passAt: described(tries, "The chance that at least one of so many replicates passes."),
        passHat: described(tries, "The chance that all of so many replicates pass."),
        good: described(boolean, "True if more is better, false if less is."),
        average: described(
          object("the groups of a mean, such as { macro: row.axis },", {
            macro: described(nonEmptyText, "row.<column>, variant.<factor>, tag, …"),
          }),
          "The mean over groups, each with the same weight.",
        ),
        turns: described(list(text), "The nodes whose verdicts are followed."),
      },
      rule: (value, report) => {
        const problem = rateProblem(value);
        if (problem !== null) report(null, { code: "invalid_parameter", message: problem });
      },
    },
  ),
);

function rateProblem(value: UnknownRecord): string | null {
  const sources = ["of", "mean", "ratio"].filter((key) => value[key] !== undefined);
  if (sources.length !== 1) return "A rate has exactly one of `of`, `mean` and `ratio`.";
  const kinds = ["percentile", "spread", "passAt", "passHat"].filter((key) => value[key] !== undefined);
  if (kinds.length > 1) return `A rate has only one of \`${kinds.join("`, `")}\`.`;
  if (kinds.length === 1 && sources[0] !== "of") return `\`${kinds[0]}\` needs \`of\`.`;
  const levels = [value.percentile, ...(Array.isArray(value.spread) ? value.spread : [])];
  if (levels.some((level) => typeof level === "number" && level > 100))
    return "A percentile is a number from 0 to 100.";
  if (Array.isArray(value.spread) && value.spread.length !== 2)
    return "`spread` has two percentiles, such as [90, 10].";
  return null;
}

/** The outcomes that a rate names, by their place in it. */
export function outcomesOfRate(
  rate: RateDeclaration,
): readonly (readonly [path: readonly string[], name: string])[] {
  const { of, given, mean, ratio } = rate;
  return [
    ...(of === undefined ? [] : [[["of"], of] as const]),
    ...(mean === undefined ? [] : [[["mean"], mean] as const]),
    ...(ratio === undefined ? [] : [[["ratio", "of"], ratio.of] as const]),
    ...(given === undefined
      ? []
      : [
          typeof given === "string"
            ? ([["given"], given] as const)
            : ([["given", "not"], given.not] as const),
        ]),
  ];
}
