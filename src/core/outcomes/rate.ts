import {
  boolean,
  described,
  either,
  integerFrom,
  list,
  nonEmptyText,
  numberFrom,
  object,
  oneOfTexts,
  record,
  reference,
  type TypeOf,
  text,
} from "../schema/shape.ts";
import type { UnknownRecord } from "../values/json.ts";

const percent = numberFrom(0);
const tries = integerFrom(1);

const RATIO = object(
  "a ratio",
  {
    of: described(nonEmptyText, "The outcome."),
    over: described(
      record(nonEmptyText, { single: true, ifEmpty: "empty_value" }),
      "Factor and level of the denominator.",
    ),
  },
  { optional: { as: oneOfTexts("mean_of_ratios", "ratio_of_means") } },
);

/** A rate, as files write it under its name. */
export const RATE_SHAPE = reference("rate", () =>
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

type Rate = TypeOf<typeof RATE_SHAPE>;

/** A ratio of two conditions: the outcome `of`, over the same outcome where a factor has a level. */
export type RatioDeclaration<Outcome extends string = string> = Omit<NonNullable<Rate["ratio"]>, "of"> & {
  readonly of: Outcome;
};

/**
 * A number that reports compute from outcomes over conversations. With `of` alone it is a rate, or the mean of a number; `given` leaves
 * out the conversations in which another outcome is not true.
 */
export type RateDeclaration<Outcome extends string = string> = Omit<
  Rate,
  "of" | "given" | "mean" | "ratio"
> & {
  readonly of?: Outcome;
  readonly given?: Outcome | { readonly not: Outcome };
  readonly mean?: Outcome;
  readonly ratio?: RatioDeclaration<Outcome>;
};

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
  const negated = typeof given === "object" ? given.not : undefined;
  const named: [path: string[], name: string | undefined][] = [
    [["of"], of],
    [["mean"], mean],
    [["ratio", "of"], ratio?.of],
    negated === undefined ? [["given"], given as string | undefined] : [["given", "not"], negated],
  ];
  return named.flatMap(([path, name]) => (name === undefined ? [] : [[path, name] as const]));
}

/** The conversations behind a rate that must reach something. */
interface GateCounts {
  readonly decided: number;
  /** Inconclusive, or ended in an error. */
  readonly undecided: number;
  /** Conversations of the run that a budget, a time limit or a person ended early, or that never began. */
  readonly cutShort: number;
}

/** Why a rate cannot pass, however good it is; undefined if enough conversations are decided. */
export function gateProblem(
  { decided, undecided, cutShort }: GateCounts,
  minDecided: number,
): string | undefined {
  if (cutShort > 0)
    return `${cutShort} ${cutShort === 1 ? "conversation was" : "conversations were"} cut short or never began`;
  const all = decided + undecided;
  if (decided >= minDecided * all) return undefined;
  const percent = Number((100 * minDecided).toPrecision(12));
  return `it was decided in ${decided} of ${all} conversations, and ${percent} % are needed (min-decided)`;
}
