import { printableText } from "../../terminal/printable-text.ts";
import type { Style } from "../../terminal/terminal.ts";
import { wrapText } from "../../terminal/text-layout.ts";
import { type NoiseLine, noiseAdvice } from "../data/noise.ts";
import { meanText, NOTHING } from "./figures.ts";

/** Where the noise of each outcome comes from, and what would narrow its interval most. */
export function noiseText(
  lines: readonly NoiseLine[],
  { style, width }: { readonly style: Style; readonly width: number },
): string {
  if (lines.length === 0) return "No outcome is decided.\n";
  const share = (part: number | null, whole: number): string =>
    part === null ? NOTHING : whole === 0 ? "0 %" : `${Math.round((100 * part) / whole)} %`;
  return lines
    .flatMap((line) => {
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
    })
    .map((line) => `${line}\n`)
    .join("");
}
