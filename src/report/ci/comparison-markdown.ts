import { printableText } from "../../terminal/printable-text.ts";
import type { Comparison } from "../data/compare-sides.ts";
import { LEVEL, nameOf, pText, sentence, sideTexts } from "../text/comparison-text.ts";
import { itemsText } from "../text/figures.ts";

/** Comparisons as Markdown, for a comment in a pull request. */
export function comparisonMarkdown(comparisons: readonly Comparison[]): string {
  return comparisons
    .map((comparison) => {
      const { a, b, lines } = comparison;
      const rows = lines.map((line) => {
        const texts = sideTexts(line);
        const low =
          line.interval === null ? "" : sideTexts({ ...line, difference: line.interval.low }).difference;
        const high =
          line.interval === null ? "" : sideTexts({ ...line, difference: line.interval.high }).difference;
        const mark = (line.adjusted ?? 1) < LEVEL ? "**" : "";
        const cells = [
          `${mark}${cell(nameOf(line))}${mark}`,
          texts.a,
          texts.b,
          texts.difference,
          line.interval === null ? "–" : `${low} to ${high}`,
          pText(line.adjusted),
          itemsText({ ...line, n: line.pairs }),
          line.kind === "rate" ? `${line.onlyA.length} / ${line.onlyB.length}` : "",
        ];
        return `| ${cells.join(" | ")} |`;
      });
      return [
        `### ${cell(b)} compared with ${cell(a)}`,
        "",
        "| outcome | a | b | b − a | 95 % | p (Holm) | n | only a / only b |",
        "| --- | ---: | ---: | ---: | --- | ---: | ---: | ---: |",
        ...rows,
        "",
        ...lines.map((line) => `- ${cell(sentence(line, comparison))}`),
        "",
      ].join("\n");
    })
    .join("\n");
}

/** A text that cannot break a table or add markup. */
function cell(text: string): string {
  return printableText(text).replace(/[\\|<>*_`[\]#]/g, "\\$&");
}
