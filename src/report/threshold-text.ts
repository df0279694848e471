import type { Style } from "../terminal/terminal.ts";
import { wrapText } from "../terminal/wrap-text.ts";
import type { ThresholdResult } from "./check-thresholds.ts";
import { countedText, countText } from "./figure-text.ts";

const LABEL_WIDTH = 10;

/** Thresholds as lines: `✓ reached` or `✗ missed`, why, and how many were missed. Empty without any. */
export function thresholdText(
  results: readonly ThresholdResult[],
  { style, width }: { readonly style: Style; readonly width: number },
): string {
  if (results.length === 0) return "";
  const missed = results.filter(({ passed }) => !passed).length;
  const sum =
    missed === 0
      ? style.green(
          results.length === 1
            ? "The threshold was reached."
            : `All ${countText(results.length)} thresholds were reached.`,
        )
      : style.red(
          `${countText(missed)} of ${countedText(results.length, "threshold")} ${missed === 1 ? "was" : "were"} missed.`,
        );
  const lines = results.flatMap(({ passed, reason }) => {
    const [label, paint] = passed ? ["✓ reached", style.green] : ["✗ missed", style.red];
    return wrapText(reason, width - LABEL_WIDTH).map((line, index) =>
      index === 0
        ? `${paint(label)}${" ".repeat(LABEL_WIDTH - label.length)}${line}`
        : `${" ".repeat(LABEL_WIDTH)}${line}`,
    );
  });
  return [style.bold("Thresholds"), ...lines, sum].map((line) => `${line}\n`).join("");
}
