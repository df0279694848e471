import type { RatioDeclaration } from "../../core/outcomes/rate.ts";
import type { ConversationScore } from "../../journal/store/store.ts";
import { clusteredMean } from "../../statistics/clusters.ts";
import { studentQuantile } from "../../statistics/distributions.ts";
import { mean } from "../../statistics/means.ts";
import type { GroupValues } from "./grouping.ts";
import { itemMeans, type RateLine, type RateRequest } from "./rate-line.ts";

const NOTHING = {
  yes: 0,
  excluded: 0,
  inconclusive: 0,
  errors: 0,
  notApplicable: 0,
  bounds: null,
  decided: null,
};

/** The factor of a denominator: `variant` stands for whatever factor has the level. */
function factorOf(
  over: RatioDeclaration["over"],
  scores: readonly ConversationScore[],
): readonly [string, string] | null {
  const [[factor, level] = ["", ""]] = Object.entries(over);
  const variants = scores.flatMap(({ variant }) => (variant === null ? [] : [variant]));
  if (variants.some((variant) => Object.hasOwn(variant, factor))) return [factor, level];
  if (factor !== "variant") return null;
  const found = variants.flatMap((variant) => Object.entries(variant)).find(([, value]) => value === level);
  return found === undefined ? null : [found[0], level];
}

/** One line for each other level of the factor: its items' means over those of the denominator. */
export function ratioLines(
  { name, declaration }: RateRequest,
  ratio: RatioDeclaration,
  scores: readonly ConversationScore[],
  group: GroupValues,
): readonly RateLine[] {
  const found = factorOf(ratio.over, scores);
  if (found === null) return [];
  const [factor, base] = found;
  const at = (level: string): readonly ConversationScore[] =>
    scores.filter(({ variant }) => variant?.[factor] === level);
  const levels = new Set(
    scores.flatMap(({ variant }) => (variant?.[factor] === undefined ? [] : [variant[factor]])),
  );
  const below = itemMeans(at(base), declaration);
  return [...levels]
    .filter((level) => level !== base)
    .map((level) => {
      const above = itemMeans(at(level), declaration);
      const pairs = [...above].flatMap(([item, value]) => {
        const other = below.get(item);
        return other === undefined ? [] : [[value, other] as const];
      });
      const usable = ratio.as === "ratio_of_means" ? pairs : pairs.filter(([, other]) => other !== 0);
      const line = {
        ...NOTHING,
        name,
        kind: "ratio" as const,
        group: { ...group, [`variant.${factor}`]: `${level} over ${base}` },
      };
      const counts = {
        n: usable.length,
        items: usable.length,
        replicates: { least: Math.min(1, usable.length), most: Math.min(1, usable.length) },
        excluded: pairs.length - usable.length,
      };
      return { ...line, ...counts, ...ratioEstimate(usable, ratio.as ?? "mean_of_ratios") };
    });
}

type Estimate = Pick<RateLine, "estimate" | "interval" | "method" | "reason">;

function ratioEstimate(
  pairs: readonly (readonly [number, number])[],
  as: NonNullable<RatioDeclaration["as"]>,
): Estimate {
  if (pairs.length === 0) return { estimate: null, interval: null, method: null, reason: "no pair of items" };
  if (as === "mean_of_ratios") {
    const result = clusteredMean(
      pairs.map(([above, below]) => above / below),
      null,
    );
    return asEstimate(result?.mean ?? null, result?.standardError ?? null, pairs.length);
  }
  const top = mean(pairs.map(([above]) => above)) as number;
  const bottom = mean(pairs.map(([, below]) => below)) as number;
  if (bottom === 0) return { estimate: null, interval: null, method: null, reason: "the denominator is 0" };
  const ratio = top / bottom;
  // The ratio of two means moves with each item by its distance from the line through both means.
  const error = clusteredMean(
    pairs.map(([above, below]) => (above - ratio * below) / bottom),
    null,
  )?.standardError;
  return asEstimate(ratio, error ?? null, pairs.length);
}

function asEstimate(estimate: number | null, error: number | null, items: number): Estimate {
  if (estimate === null || error === null || items < 2)
    return { estimate, interval: null, method: null, reason: "one item only" };
  const reach = studentQuantile(0.95, items - 1) * error;
  return { estimate, interval: { low: estimate - reach, high: estimate + reach }, method: "t" };
}
