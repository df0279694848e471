import type { Interval } from "../../../core/statistics/proportions.ts";
import { printableText } from "../../../system/terminal/printable-text.ts";
import { type TableCell, wrapText } from "../../../system/terminal/text-layout.ts";
import {
  isClustered,
  type OutcomeLine,
  type OutcomeRates,
  type RatedOutcome,
} from "../data/outcome-rates.ts";
import { testedName } from "../data/subject-totals.ts";
import {
  boundsText,
  boundTexts,
  countedText,
  countText,
  itemsText,
  meanIntervalText,
  meanText,
  NOTHING,
  noIntervalText,
  percentText,
} from "./figures.ts";
import type { TextOptions } from "./text-blocks.ts";
import { headLine, type NamedColumn, type NamedLine, namedTable } from "./text-blocks.ts";

/** From this width on, there is a bar of the interval. */
const WIDE = 100;
/** Below this width, headings are short. */
const NARROW = 60;

/** An empty line. */
const BETWEEN: NamedLine = { name: { text: "" }, indent: 0, cells: [] };

/** The lines of the table of outcomes, and what its last columns mean where they are not empty. */
export function outcomeRatesText(rates: OutcomeRates, { style, width }: TextOptions): readonly string[] {
  const all = rates.outcomes.flatMap(({ lines }): readonly OutcomeLine[] => lines);
  if (all.length === 0)
    return wrapText(
      "No outcome is decided: no conversation has finished, or the scenarios have no outcomes.",
      width,
    );
  const inconclusive = all.reduce((sum, line) => sum + line.inconclusive, 0);
  const errors = all.reduce((sum, line) => sum + line.infrastructure, 0);
  const applies = all.every((line) => line.notApplicable === 0);
  const columns: readonly NamedColumn[] = [
    { alignment: ">" },
    { alignment: "<" },
    ...(width < WIDE ? [] : [{ alignment: "<", leaves: 0 } as const]),
    { alignment: ">" },
    ...(applies ? [] : [{ alignment: ">", leaves: 5 } as const]),
    // Columns of zeros are dropped first.
    { alignment: ">", leaves: inconclusive === 0 ? 2 : 4 },
    { alignment: ">", leaves: errors === 0 ? 1 : 3 },
  ];
  const boundWidth = widestBound(rates);
  const lines = rates.outcomes.flatMap((rated, place) => [
    ...(place === 0 ? [] : [BETWEEN]),
    headingOf(rated, { style, width, applies }),
    ...rated.lines.flatMap((line, index) => [
      {
        name: { text: testedName(line, rates.judges) },
        indent: 2,
        cells: [
          ...valueCells(rated, index, { width, boundWidth }),
          ...countCells(line, { style, width, applies }),
        ],
      },
      ...remarks(rated, index, { style, width }),
    ]),
  ]);
  const note = [intervalNote(all), noteOn(rates.open, applies)].filter((text) => text !== "").join(" ");
  const table = namedTable(lines, columns, width);
  return note === "" ? table : [...table, "", ...wrapText(note, width).map(style.dim)];
}

/** The dashes of intervals stand below each other. */
function widestBound({ outcomes }: OutcomeRates): number {
  return outcomes
    .flatMap((rated): readonly OutcomeLine[] => (rated.kind === "assertion" ? rated.lines : []))
    .reduce(
      (most, { interval }) => Math.max(most, interval === null ? 0 : boundTexts(interval).low.length),
      0,
    );
}

function headingOf(
  { outcome, kind }: RatedOutcome,
  { style, width, applies }: TextOptions & { readonly applies: boolean },
): NamedLine {
  const value = { assertion: "rate", number: "mean", undecided: "value" }[kind];
  const interval = kind === "undecided" ? "" : width < NARROW ? "95 %" : "95 % interval";
  const counts = ["n", ...(applies ? [] : ["n/a"]), "inconclusive", "errors"];
  const headings = [value, interval, ...(width < WIDE ? [] : [""]), ...counts];
  return headLine(printableText(outcome), headings, style);
}

/** The rate, its interval and its bar, or the mean, of one of the lines. */
function valueCells(
  rated: RatedOutcome,
  index: number,
  { width, boundWidth }: { readonly width: number; readonly boundWidth: number },
): readonly TableCell[] {
  let texts = [NOTHING, "", ""];
  if (rated.kind === "number") {
    const { mean = null, interval = null, reason } = rated.lines[index] ?? {};
    texts = [meanText(mean), interval === null ? noIntervalText(reason) : meanIntervalText(interval), ""];
  }
  if (rated.kind === "assertion") {
    const { rate = null, interval = null, reason, method } = rated.lines[index] ?? {};
    const shown = rate === null ? NOTHING : `${method === "life_table" ? "≈ " : ""}${percentText(rate, 1)}`;
    texts = [
      shown,
      interval === null ? noIntervalText(reason) : paddedInterval(interval, boundWidth),
      intervalBar(rate, interval),
    ];
  }
  return texts.slice(0, width < WIDE ? 2 : 3).map((text) => ({ text }));
}

/** Notes below a rate with undecided conversations, and below one with a condition. */
function remarks(rated: RatedOutcome, index: number, { style, width }: TextOptions): readonly NamedLine[] {
  const line = rated.lines[index];
  if (line === undefined) return [];
  const texts: string[] = [];
  if (line.excluded > 0) {
    const counts =
      rated.kind === "assertion"
        ? `${countText(rated.lines[index]?.yes ?? 0)} of ${countText(line.n)}`
        : `n ${countText(line.n)}`;
    texts.push(`${counts}; ${countText(line.excluded)} left out by its condition`);
  }
  if (rated.kind === "assertion") {
    const { bounds, decided } = rated.lines[index] ?? {};
    const open = line.inconclusive + line.infrastructure;
    if (bounds != null)
      texts.push(
        `${boundsText(bounds)} if all ${countText(open)} undecided (${percentText(open, line.n + open)}) were false or true`,
      );
    if (decided != null)
      texts.push(`≈ from every readable turn; decided conversations alone ${percentText(decided, 1)}`);
  }
  return texts
    .flatMap((text) => wrapText(text, width - 4))
    .map((text) => ({ name: { text, paint: style.dim }, indent: 4, cells: [] }));
}

/** How intervals were computed, if conversations are clustered. */
function intervalNote(lines: readonly OutcomeLine[]): string {
  return lines.some(isClustered)
    ? "Intervals are cluster-robust: conversations about one item belong together."
    : "";
}

function paddedInterval(interval: Interval, boundWidth: number): string {
  const { low, high } = boundTexts(interval);
  return `${low.padStart(boundWidth)}–${high} %`;
}

function countCells(
  line: OutcomeLine,
  { style, width, applies }: TextOptions & { readonly applies: boolean },
): readonly TableCell[] {
  const { notApplicable, inconclusive, infrastructure } = line;
  return [
    { text: width < NARROW ? itemsText(line).replaceAll(" ", "") : itemsText(line) },
    // A column only where an outcome does not apply somewhere.
    ...(applies ? [] : [{ text: countText(notApplicable), paint: style.dim }]),
    { text: countText(inconclusive), paint: inconclusive === 0 ? style.dim : style.yellow },
    { text: countText(infrastructure), paint: infrastructure === 0 ? style.dim : style.red },
  ];
}

/** Explains the columns of undecided outcomes, in conversations: one with three outcomes counts once. */
function noteOn({ inconclusive, infrastructure }: OutcomeRates["open"], applies: boolean): string {
  const sentences: string[] = [];
  const inapplicable = applies ? "" : "n/a: the outcome does not apply there, and counts nowhere.";
  if (inconclusive > 0)
    sentences.push(
      `Inconclusive (${countedText(inconclusive, "conversation")}): a reply could not be read, or not be compared.`,
    );
  if (infrastructure > 0)
    sentences.push(
      `Errors (${countedText(infrastructure, "conversation")}): not finished, or the judge could not be asked.`,
    );
  if (sentences.length === 0) return inapplicable;
  const open = `${sentences.join(" ")} Such outcomes are not decided and do not count in n.`;
  return inapplicable === "" ? open : `${open} ${inapplicable}`;
}

/** How many columns a bar takes. */
export const BAR_WIDTH = 20;

/** A rate and its interval as a bar from 0 to 100 %: `░░░░░░░░░░░░░░▒▒█▒▒░`. Empty if there is none. */
export function intervalBar(rate: number | null, interval: Interval | null): string {
  if (rate === null || interval === null) return "";
  const [low, middle, high] = [interval.low, rate, interval.high].map(columnOf) as [number, number, number];
  return Array.from({ length: BAR_WIDTH }, (_, column) => {
    if (column === middle) return "█";
    return column >= low && column <= high ? "▒" : "░";
  }).join("");
}

function columnOf(share: number): number {
  return Math.min(BAR_WIDTH - 1, Math.floor(share * BAR_WIDTH));
}
