import { printableText } from "../../terminal/printable-text.ts";
import { linesText, wrapText } from "../../terminal/text-layout.ts";
import type { NoiseLine } from "../data/noise.ts";
import { meanText, NOTHING } from "./figures.ts";
import type { TextOptions } from "./text-blocks.ts";

/** Where the noise of each outcome comes from, and what would narrow its interval most. */
export function noiseText(lines: readonly NoiseLine[], { style, width }: TextOptions): string {
  if (lines.length === 0) return "No outcome is decided.\n";
  const share = (part: number | null, whole: number): string =>
    part === null ? NOTHING : whole === 0 ? "0 %" : `${Math.round((100 * part) / whole)} %`;
  return linesText(
    lines.flatMap((line) => {
      const parts = [
        { name: "items", variance: line.itemVariance },
        { name: "replicates", variance: line.replicateVariance },
        ...(line.simulators < 2 ? [] : [{ name: "simulators", variance: line.simulatorVariance }]),
        ...(line.judges < 2 ? [] : [{ name: "judges", variance: line.judgeVariance }]),
      ];
      const whole = parts.reduce<number>((sum, { variance }) => sum + (variance ?? 0), 0);
      const split =
        line.itemVariance === null
          ? "the variance cannot be split"
          : `variance ${meanText(whole)}: ${parts.map(({ name, variance }) => `${name} ${share(variance, whole)}`).join(", ")}; standard error ${meanText(line.error)}`;
      return [
        style.bold(`${printableText(line.outcome)}, ${printableText(line.subject)}`),
        ...wrapText(`${split}.`, width - 2).map((text) => `  ${text}`),
        ...wrapText(
          line.error === 0
            ? "All conversations came out the same: nothing can be narrowed."
            : `To narrow the interval: ${noiseAdvice(line)}.`,
          width - 2,
        ).map((text) => `  ${text}`),
      ];
    }),
  );
}

/** What would narrow the interval most, in words. */
export function noiseAdvice({
  error,
  moreItems,
  moreReplicates,
  otherJudge,
  otherSimulator,
  items,
  replicates,
}: NoiseLine): string {
  if (items < 2) return "one item only: more items are needed before anything can be said";
  if (error === null || moreItems === null || moreReplicates === null)
    return replicates <= 1
      ? "one conversation per item: what replicates would add is not known; run with --replicates 3"
      : "not known";
  if (error === 0) return "no variance: all conversations came out the same";
  const gain = (other: number): number => Math.round(100 * (1 - other / error));
  const choices = [
    { text: `twice as many items (${gain(moreItems)} % narrower)`, gain: gain(moreItems) },
    { text: `twice as many replicates (${gain(moreReplicates)} % narrower)`, gain: gain(moreReplicates) },
    ...(otherJudge === null
      ? []
      : [
          {
            text: `a judge that agrees with itself (${gain(otherJudge)} % narrower)`,
            gain: gain(otherJudge),
          },
        ]),
    ...(otherSimulator === null
      ? []
      : [
          {
            text: `simulators that play alike (${gain(otherSimulator)} % narrower)`,
            gain: gain(otherSimulator),
          },
        ]),
  ].sort((one, other) => other.gain - one.gain);
  const [best, ...others] = choices;
  return `most would help ${best?.text}; ${others.map(({ text }) => text).join(", ")}`;
}
