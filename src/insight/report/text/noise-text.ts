import { printableText } from "../../../system/terminal/printable-text.ts";
import { linesText, wrapText } from "../../../system/terminal/text-layout.ts";
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
      const apart = line.replicateVariance !== null;
      const parts = [
        { name: "items", variance: line.itemVariance },
        ...(line.variants > 1
          ? [{ name: apart ? "variants" : "variants and replicates", variance: line.variantVariance }]
          : []),
        ...(apart || line.variants === 1 ? [{ name: "replicates", variance: line.replicateVariance }] : []),
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
export function noiseAdvice(line: NoiseLine): string {
  const { error, items, replicates, moreItems, moreReplicates } = line;
  if (items < 2) return "one item only: more items are needed before anything can be said";
  const unknown =
    "one conversation per item and variant: what replicates would add is not known; run with --replicates 3";
  if (error === null || moreItems === null) return replicates <= 1 ? unknown : "not known";
  if (error === 0) return "no variance: all conversations came out the same";
  const [best, ...others] = (
    [
      ["twice as many items", moreItems],
      ["twice as many replicates", moreReplicates],
      ["a judge that agrees with itself", line.otherJudge],
      ["simulators that play alike", line.otherSimulator],
    ] as const
  )
    .flatMap(([text, other]) =>
      other === null ? [] : [{ text, gain: Math.round(100 * (1 - other / error)) }],
    )
    .sort((one, other) => other.gain - one.gain)
    .map(({ text, gain }) => `${text} (${gain} % narrower)`);
  const rest = moreReplicates === null ? [unknown] : [];
  return `most would help ${best}; ${[...others, ...rest].join(", ")}`;
}
