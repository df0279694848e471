import type { Interval } from "../../../core/statistics/proportions.ts";
import { printableText } from "../../../system/terminal/printable-text.ts";
import { linesText, textWidth, wrapText } from "../../../system/terminal/text-layout.ts";
import { groupName } from "../data/grouping.ts";
import {
  isClustered,
  type OutcomeLine,
  type OutcomeRates,
  type RatedOutcome,
} from "../data/outcome-rates.ts";
import { type RateLine, singleItems } from "../data/rate-line.ts";
import type { RateReport } from "../data/rates.ts";
import { testedKey, testedName } from "../data/subject-totals.ts";
import {
  boundTexts,
  countText,
  dimensionsText,
  intervalText,
  itemsText,
  meanIntervalText,
  meanText,
  NOTHING,
  noIntervalText,
  percentText,
} from "./figures.ts";
import { missingTexts } from "./missing-text.ts";
import type { TextOptions } from "./text-blocks.ts";
import { headLine, type NamedColumn, type NamedLine, namedTable } from "./text-blocks.ts";

/** The width that a subject's name may take before outcomes move to another block. */
const NAMES = 24;
const GAP = 2;
/** Further remarks are only counted. */
const REMARKS = 8;

interface Cell {
  readonly value: string;
  /** `[40–95] `, or nothing. */
  readonly bounds: string;
  readonly n: string;
}

/** Subjects × outcomes: rates and means with their intervals, as many outcomes side by side as fit. */
export function matrixText(rates: OutcomeRates, { style, width }: TextOptions): readonly string[] {
  const columns = rates.outcomes.map((rated) => ({
    heading: printableText(rated.outcome),
    cells: rated.lines.map(
      (line, index): Cell => ({
        value: `${valueText(rated, index)}${isBest(rates, rated, line) ? " *" : ""}`,
        bounds: boundsOf(rated, index),
        n: itemsText(line),
      }),
    ),
  }));
  const common = mostCommon(columns.flatMap(({ cells }) => cells.map(({ n }) => n)));
  const sizeText = ({ bounds, n }: Cell): string => `${bounds}${n === common ? "" : `n ${n}`}`.trimEnd();
  const shares = (["unread", "unfinished"] as const)
    .filter((kind) => rates.missing.some((one) => one[kind].count > 0))
    .map((kind) => ({
      heading: kind,
      cells: rates.missing.map(
        (one): Cell => ({
          value: percentText(one[kind].count, one[kind].of),
          bounds: "",
          n: common,
        }),
      ),
    }));
  const widthOf = ({ heading, cells }: (typeof columns)[number]): number =>
    Math.max(
      textWidth(heading),
      ...cells.map((cell) => Math.max(textWidth(cell.value), textWidth(sizeText(cell)))),
    );
  const names = rates.totals.map((total) => testedName(total, rates.judges));
  const room = width - Math.min(NAMES, Math.max(...names.map(textWidth)));
  const blocks: (typeof columns)[] = [];
  let left = 0;
  for (const column of [...columns, ...shares]) {
    const needed = widthOf(column) + GAP;
    if (blocks.length === 0 || needed > left) {
      blocks.push([]);
      left = room;
    }
    blocks.at(-1)?.push(column);
    left -= needed;
  }
  const tables = blocks.flatMap((block, place) => {
    const heading: NamedLine = {
      name: { text: "" },
      indent: 0,
      cells: block.map(({ heading: text }) => ({ text, paint: style.bold })),
    };
    const lines = names.flatMap((name, index): readonly NamedLine[] => {
      const own = block.map(({ cells }) => cells[index] ?? { value: NOTHING, bounds: "", n: common });
      const others = own.map((cell) => ({ text: sizeText(cell), paint: style.dim }));
      const second = { name: { text: "" }, indent: 0, cells: others };
      const first = { name: { text: name }, indent: 0, cells: own.map(({ value: text }) => ({ text })) };
      return others.every(({ text }) => text === "") ? [first] : [first, second];
    });
    return [
      ...(place === 0 ? [] : [""]),
      ...namedTable(
        [heading, ...lines],
        block.map(() => ({ alignment: "<" as const })),
        width,
      ),
    ];
  });
  return [
    ...tables,
    "",
    ...notes(rates, common)
      .flatMap((text) => wrapText(text, width))
      .map(style.dim),
  ];
}

function valueText(rated: RatedOutcome, index: number): string {
  const { n = 0, notApplicable = 0, inconclusive = 0, infrastructure = 0 } = rated.lines[index] ?? {};
  if (n + inconclusive + infrastructure === 0 && notApplicable > 0) return "n/a";
  if (rated.kind === "undecided") return NOTHING;
  if (rated.kind === "number") {
    const { mean = null, interval = null } = rated.lines[index] ?? {};
    return `${meanText(mean)}${interval === null ? "" : ` (${meanIntervalText(interval)})`}`;
  }
  const { rate = null, interval = null, method } = rated.lines[index] ?? {};
  if (rate === null) return NOTHING;
  const mark = method === "life_table" ? "≈ " : "";
  if (interval === null) return `${mark}${percentText(rate, 1)}`;
  const { low, high } = boundTexts(interval);
  return `${mark}${percentText(rate, 1)} (${low}–${high})`;
}

const BOUNDS_NOTE = "[…] the rate if all undecided conversations were false, and if all were true.";

function boundsOf(rated: RatedOutcome, index: number): string {
  const bounds = rated.kind === "assertion" ? rated.lines[index]?.bounds : null;
  return bounds == null ? "" : `${bracketed(bounds)} `;
}

function bracketed(bounds: Interval): string {
  const { low, high } = boundTexts(bounds);
  return `[${low}–${high}]`;
}

function isBest({ best }: OutcomeRates, { outcome }: RatedOutcome, line: OutcomeLine): boolean {
  return best?.get(outcome) === testedKey(line);
}

function mostCommon(texts: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0] ?? "";
}

function notes(rates: OutcomeRates, common: string): readonly string[] {
  const all = rates.outcomes.flatMap(({ lines }): readonly OutcomeLine[] => lines);
  const texts = [
    `n ${common}${all.some((line) => itemsText(line) !== common) ? " unless stated" : ""} (${dimensionsText(all.find((line) => itemsText(line) === common) ?? singleItems(0))}); 95 % intervals${all.some(isClustered) ? ", cluster-robust: conversations about one item belong together" : ""}.`,
  ];
  for (const { outcome, lines } of rates.outcomes)
    if (lines[0]?.macro !== undefined)
      texts.push(printableText(`${outcome}: mean over the groups of ${lines[0].macro} (macro).`));
  if (all.some(({ reason }) => reason !== undefined)) texts.push("No interval: one item only.");
  if (rates.best !== undefined && rates.best.size > 0)
    texts.push("* better than every other subject: paired comparisons, p < 0.05 after Holm.");
  if (rates.outcomes.some((rated) => rated.lines.some((_, index) => boundsOf(rated, index) !== "")))
    texts.push(BOUNDS_NOTE);
  const remarks = rates.outcomes.flatMap((rated) =>
    rated.lines.flatMap((line, index) => remarkOn(rated, line, index, rates)),
  );
  texts.push(...remarks.slice(0, REMARKS));
  if (remarks.length > REMARKS)
    texts.push(`… and ${countText(remarks.length - REMARKS)} more remarks: --details`);
  return texts;
}

/** How many conversations are undecided or not applicable. */
function remarkOn(
  rated: RatedOutcome,
  line: OutcomeLine,
  index: number,
  { judges }: OutcomeRates,
): readonly string[] {
  const parts: string[] = [];
  if (line.inconclusive > 0) parts.push(`${countText(line.inconclusive)} inconclusive`);
  if (line.infrastructure > 0) parts.push(`${countText(line.infrastructure)} errors`);
  if (line.notApplicable > 0) parts.push(`${countText(line.notApplicable)} not applicable`);
  if (parts.length === 0) return [];
  const { decided = null } = rated.kind === "assertion" ? (rated.lines[index] ?? {}) : {};
  const table =
    decided === null ? "" : `; ≈ from every readable turn, decided alone ${percentText(decided, 1)}`;
  return [`${printableText(rated.outcome)}, ${testedName(line, judges)}: ${parts.join(", ")}${table}.`];
}

const COLUMNS: readonly NamedColumn[] = [
  { alignment: ">" },
  { alignment: "<" },
  { alignment: ">" },
  { alignment: ">", leaves: 1 },
  { alignment: ">", leaves: 0 },
];

/** Rates by group: a block for each outcome or rate, a line for each group. */
export function groupedRatesText({ lines, missing }: RateReport, { style, width }: TextOptions): string {
  if (lines.length === 0) return "No outcome is decided.\n";
  const table = [...Map.groupBy(lines, ({ name }) => name)].flatMap(
    ([name, own], place): readonly NamedLine[] => [
      ...(place === 0 ? [] : [{ name: { text: "" }, indent: 0, cells: [] }]),
      headLine(
        printableText(name),
        [own[0]?.kind === "rate" ? "rate" : "mean", "95 % interval", "n", "inconclusive", "errors"],
        style,
      ),
      ...own.map(
        (line): NamedLine => ({
          name: {
            text: printableText(groupName(line.group)),
          },
          indent: 2,
          cells: [
            { text: estimateText(line) },
            { text: intervalOf(line) },
            { text: itemsText(line) },
            { text: countText(line.inconclusive) },
            { text: countText(line.errors) },
          ],
        }),
      ),
    ],
  );
  const judges = [...new Set(missing.map(({ judge }) => judge))];
  const notes = [
    ...(lines.some(({ bounds }) => bounds !== null) ? [BOUNDS_NOTE] : []),
    ...(lines.some(({ method }) => method === "life_table")
      ? ["≈ from every readable turn (life table), because some conversations are inconclusive."]
      : []),
    ...missingTexts(missing.map((one) => ({ ...one, name: testedName(one, judges) }))),
  ];
  const wrapped = notes.flatMap((text) => wrapText(text, width)).map(style.dim);
  return linesText([...namedTable(table, COLUMNS, width), ...(notes.length === 0 ? [] : ["", ...wrapped])]);
}

function estimateText({ estimate, kind, method }: RateLine): string {
  if (estimate === null) return NOTHING;
  return `${method === "life_table" ? "≈ " : ""}${kind === "rate" ? percentText(estimate, 1) : meanText(estimate)}`;
}

function intervalOf({ interval, kind, reason, bounds }: RateLine): string {
  const text =
    interval === null
      ? noIntervalText(reason)
      : kind === "rate"
        ? intervalText(interval)
        : meanIntervalText(interval);
  return bounds === null ? text : `${text} ${bracketed(bounds)}`;
}
