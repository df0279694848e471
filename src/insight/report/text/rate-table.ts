import type { Interval } from "../../../core/statistics/proportions.ts";
import { printableText } from "../../../system/terminal/printable-text.ts";
import { linesText, type TableCell, wrapText } from "../../../system/terminal/text-layout.ts";
import { groupName } from "../data/grouping.ts";
import { isClustered, type RateLine } from "../data/rate-line.ts";
import { levelsOf, type RatedOutcome, type RateReport } from "../data/rates.ts";
import type { RunRates } from "../data/run-rates.ts";
import { missingTexts } from "./doubt-text.ts";
import {
  boundsText,
  boundTexts,
  countedText,
  countText,
  estimateText,
  itemsText,
  lineIntervalText,
  percentText,
} from "./figures.ts";
import { testedName } from "./names.ts";
import { headLine, type NamedColumn, type NamedLine, namedTable, type TextOptions } from "./text-blocks.ts";

/** From this width on, there is a bar of the interval. */
const WIDE = 100;
/** Below this width, headings are short. */
const NARROW = 60;

/** An empty line. */
const BETWEEN: NamedLine = { name: "", cells: [] };

/** The results of a run with all counts: a block for each outcome or rate, a line for each subject. */
export function outcomeRatesText(rates: RunRates, layout: TextOptions): readonly string[] {
  const table = rateTable(rates.outcomes, (line) => testedName(testedOf(line), rates.judges), layout);
  const all = rates.outcomes.flatMap(({ lines }) => lines);
  const note = [intervalNote(all), noteOn(rates.open, appliesToAll(all))].filter((text) => text !== "");
  return note.length === 0
    ? table
    : [...table, "", ...wrapText(note.join(" "), layout.width).map(layout.style.dim)];
}

/** Rates by group: a block for each outcome or rate, a line for each group. */
export function groupedRatesText({ lines, missing }: RateReport, layout: TextOptions): string {
  const outcomes = [...Map.groupBy(lines, ({ name }) => name)].map(([outcome, own]): RatedOutcome => {
    const kind = own.find(({ estimate }) => estimate !== null)?.kind ?? null;
    return { outcome, kind, lines: own };
  });
  const judges = [...new Set(missing.map(({ judge }) => judge))];
  const notes = [
    intervalNote(lines),
    ...missingTexts(missing.map((one) => ({ ...one, name: testedName(one, judges) }))),
  ].filter((text) => text !== "");
  const wrapped = notes.flatMap((text) => wrapText(text, layout.width)).map(layout.style.dim);
  const table = rateTable(outcomes, ({ group }) => printableText(groupName(group)), layout);
  return linesText([...table, ...(notes.length === 0 ? [] : ["", ...wrapped])]);
}

/** The subject and the judge of a line of a run. */
export function testedOf({ group }: RateLine): { readonly subject: string; readonly judge: string } {
  return { subject: group.subject ?? "", judge: group.judge ?? "" };
}

/** The level of a line by variants. */
export function levelName({ group }: RateLine): string {
  const factor = Object.keys(group).find((name) => name.startsWith("variant.")) ?? "";
  return printableText(group[factor] ?? "");
}

function appliesToAll(lines: readonly RateLine[]): boolean {
  return lines.every((line) => line.notApplicable === 0);
}

function rateTable(
  outcomes: readonly RatedOutcome[],
  nameOf: (line: RateLine) => string,
  { style, width }: TextOptions,
): readonly string[] {
  const all = outcomes.flatMap(({ lines, levels = [] }) => [...lines, ...levels]);
  if (all.length === 0)
    return wrapText(
      "No outcome is decided: no conversation has finished, or the scenarios have no outcomes.",
      width,
    );
  const applies = appliesToAll(all);
  const columns: readonly NamedColumn[] = [
    ">",
    "<",
    ...(width < WIDE ? [] : [["<", 0] as const]),
    ">",
    ...(applies ? [] : [[">", 5] as const]),
    // Columns of zeros are dropped first.
    [">", all.every((line) => line.inconclusive === 0) ? 2 : 4],
    [">", all.every((line) => line.errors === 0) ? 1 : 3],
  ];
  const boundWidth = all.reduce(
    (most, { interval, kind }) =>
      Math.max(most, interval === null || kind !== "rate" ? 0 : boundTexts(interval).low.length),
    0,
  );
  const lines = outcomes.flatMap((rated, place) => [
    ...(place === 0 ? [] : [BETWEEN]),
    headingOf(rated, { style, width, applies }),
    ...rated.lines
      .flatMap((line) => [
        { line, name: nameOf(line), indent: 2 },
        ...levelsOf(rated, line).map((level) => ({ line: level, name: levelName(level), indent: 4 })),
      ])
      .flatMap(({ line, name, indent }) => [
        {
          name,
          indent,
          cells: [
            ...valueCells(line, { width, boundWidth, isKnown: rated.kind !== null }),
            ...countCells(line, { style, width, applies }),
          ],
        },
        ...remarks(line, { style, width }),
      ]),
  ]);
  return namedTable(lines, columns, width);
}

function headingOf(
  { outcome, kind }: RatedOutcome,
  { style, width, applies }: TextOptions & { readonly applies: boolean },
): NamedLine {
  const value = kind === null ? "value" : kind === "rate" ? "rate" : "mean";
  const interval = kind === null ? "" : width < NARROW ? "95 %" : "95 % interval";
  const counts = ["n", ...(applies ? [] : ["n/a"]), "inconclusive", "errors"];
  return headLine(printableText(outcome), [value, interval, ...(width < WIDE ? [] : [""]), ...counts], style);
}

/** The value, its interval, and the bar of a rate. */
function valueCells(
  line: RateLine,
  {
    width,
    boundWidth,
    isKnown,
  }: { readonly width: number; readonly boundWidth: number; readonly isKnown: boolean },
): readonly TableCell[] {
  const { estimate, interval, kind } = line;
  const isRate = kind === "rate";
  // The dashes of intervals stand below each other.
  const indent = isRate && interval !== null ? boundWidth - boundTexts(interval).low.length : 0;
  const texts = [
    estimateText(line),
    isKnown ? " ".repeat(indent) + lineIntervalText(line) : "",
    isRate ? intervalBar(estimate, interval) : "",
  ];
  return texts.slice(0, width < WIDE ? 2 : 3).map((text) => ({ text }));
}

/** Notes below a rate with undecided conversations, and below one with a condition. */
function remarks(line: RateLine, { style, width }: TextOptions): readonly NamedLine[] {
  const { kind, yes, n, excluded, bounds, decided } = line;
  const open = line.inconclusive + line.errors;
  const texts = [
    ...(excluded === 0
      ? []
      : [
          `${kind === "rate" ? `${countText(yes)} of ${countText(n)}` : `n ${countText(n)}`}; ${countText(excluded)} left out by its condition`,
        ]),
    ...(bounds === null
      ? []
      : [
          `${boundsText(bounds)} if all ${countText(open)} undecided (${percentText(open, n + open)}) were false or true`,
        ]),
    ...(decided === null
      ? []
      : [`≈ estimated from all readable turns; ${percentText(decided, 1)} of the decided conversations`]),
  ];
  return texts
    .flatMap((text) => wrapText(text, width - 4))
    .map((text) => ({ name: { text, paint: style.dim }, indent: 4, cells: [] }));
}

/** How intervals were computed, if conversations are clustered. */
function intervalNote(lines: readonly RateLine[]): string {
  return lines.some(isClustered)
    ? "Intervals are cluster-robust: conversations about one item belong together."
    : "";
}

function countCells(
  line: RateLine,
  { style, width, applies }: TextOptions & { readonly applies: boolean },
): readonly TableCell[] {
  const { notApplicable, inconclusive, errors } = line;
  return [
    { text: width < NARROW ? itemsText(line).replaceAll(" ", "") : itemsText(line) },
    // A column only where an outcome does not apply somewhere.
    ...(applies ? [] : [{ text: countText(notApplicable), paint: style.dim }]),
    { text: countText(inconclusive), paint: inconclusive === 0 ? style.dim : style.yellow },
    { text: countText(errors), paint: errors === 0 ? style.dim : style.red },
  ];
}

/** Explains the columns of undecided outcomes, in conversations: one with three outcomes counts once. */
function noteOn({ inconclusive, errors }: RunRates["open"], applies: boolean): string {
  const open = [
    ...(inconclusive === 0
      ? []
      : [
          `Inconclusive (${countedText(inconclusive, "conversation")}): a reply could not be read, or not be compared.`,
        ]),
    ...(errors === 0
      ? []
      : [`Errors (${countedText(errors, "conversation")}): not finished, or the judge could not be asked.`]),
  ];
  return [
    ...open,
    ...(open.length === 0 ? [] : ["Such outcomes are not decided and do not count in n."]),
    ...(applies ? [] : ["n/a: the outcome does not apply there, and counts nowhere."]),
  ].join(" ");
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
