import { printableText } from "../../terminal/printable-text.ts";
import type { Style } from "../../terminal/terminal.ts";
import { wrapText } from "../../terminal/text-layout.ts";
import type { RateLine } from "../data/rate-line.ts";
import type { RateReport } from "../data/rates.ts";
import {
  boundTexts,
  countText,
  itemsText,
  meanIntervalText,
  meanText,
  NOTHING,
  percentText,
} from "./figures.ts";
import { type NamedColumn, type NamedLine, namedTable } from "./named-table.ts";

const COLUMNS: readonly NamedColumn[] = [
  { alignment: ">" },
  { alignment: "<" },
  { alignment: ">" },
  { alignment: ">", leaves: 1 },
  { alignment: ">", leaves: 0 },
];

/** Rates by group: a block for each outcome or rate, a line for each group. */
export function groupedRatesText(
  { lines }: RateReport,
  { style, width }: { readonly style: Style; readonly width: number },
): string {
  if (lines.length === 0) return "No outcome is decided.\n";
  const table = [...Map.groupBy(lines, ({ name }) => name)].flatMap(
    ([name, own], place): readonly NamedLine[] => [
      ...(place === 0 ? [] : [{ name: { text: "" }, indent: 0, cells: [] }]),
      {
        name: { text: printableText(name), paint: style.bold },
        indent: 0,
        cells: [
          own[0]?.kind === "rate" ? "rate" : "mean",
          "95 % interval",
          "n",
          "inconclusive",
          "errors",
        ].map((text) => ({ text, paint: style.dim })),
      },
      ...own.map(
        (line): NamedLine => ({
          name: {
            text: printableText(
              Object.values(line.group)
                .map((value) => value ?? NOTHING)
                .join(", "),
            ),
          },
          indent: 2,
          cells: [
            { text: valueText(line) },
            { text: intervalOf(line) },
            { text: itemsText(line) },
            { text: countText(line.inconclusive) },
            { text: countText(line.errors) },
          ],
        }),
      ),
    ],
  );
  const isTable = lines.some(({ method }) => method === "life_table");
  const note = isTable
    ? [
        "",
        ...wrapText(
          "≈ from every readable turn (life table), because some conversations are inconclusive.",
          width,
        ).map(style.dim),
      ]
    : [];
  return [...namedTable(table, COLUMNS, width), ...note].map((line) => `${line}\n`).join("");
}

function valueText({ estimate, kind, method }: RateLine): string {
  if (estimate === null) return NOTHING;
  return `${method === "life_table" ? "≈ " : ""}${kind === "rate" ? percentText(estimate, 1) : meanText(estimate)}`;
}

function intervalOf({ interval, kind, reason }: RateLine): string {
  if (interval === null) return reason === undefined ? NOTHING : `${NOTHING} ${reason}`;
  if (kind !== "rate") return meanIntervalText(interval);
  const { low, high } = boundTexts(interval);
  return `${low}–${high} %`;
}
