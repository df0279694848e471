import { printableText } from "../../../system/terminal/printable-text.ts";
import { textWidth, wrapText } from "../../../system/terminal/text-layout.ts";
import { isClustered, type RateLine, singleItems } from "../data/rate-line.ts";
import { levelsOf } from "../data/rates.ts";
import { testedKey } from "../data/run-counts.ts";
import type { RunRates } from "../data/run-rates.ts";
import {
  bracketedBounds,
  countText,
  dimensionsText,
  estimateText,
  itemsText,
  NOTHING,
  percentText,
  spanText,
} from "./figures.ts";
import { testedName } from "./names.ts";
import { levelName, testedOf } from "./rate-table.ts";
import { type NamedLine, namedTable, type TextOptions } from "./text-blocks.ts";

/** The width that a subject's name may take before outcomes move to another block. */
const NAMES = 24;
const GAP = 2;
/** Further remarks are only counted. */
const REMARKS = 8;

interface Cell {
  readonly value: string;
  /** `[40–95]`, or nothing. */
  readonly bounds: string;
  /** `–` if it is not shown. */
  readonly n: string;
  readonly isLevel: boolean;
}

const NO_CELL: Cell = { value: NOTHING, bounds: "", n: NOTHING, isLevel: false };

/** Subjects × outcomes: rates and means with their intervals, as many outcomes side by side as fit. */
export function matrixText(rates: RunRates, { style, width }: TextOptions): readonly string[] {
  const levels = [...new Set(rates.outcomes.flatMap(({ levels: own = [] }) => own.map(levelName)))];
  const columns = rates.outcomes.map((rated) => {
    const best = rates.best?.get(rated.outcome);
    const cellOf = (line: RateLine, isLevel: boolean): Cell => ({
      value: `${valueText(line)}${!isLevel && best === testedKey(testedOf(line)) ? " *" : ""}`,
      bounds: bracketedBounds(line),
      n: itemsText(line),
      isLevel,
    });
    const cells = rated.lines.flatMap((line): readonly (Cell | undefined)[] => {
      const own = new Map(levelsOf(rated, line).map((level) => [levelName(level), cellOf(level, true)]));
      return [cellOf(line, false), ...levels.map((level) => own.get(level))];
    });
    return { heading: printableText(rated.outcome), cells };
  });
  // What most lines have stands in a note, of levels apart.
  const commonOf = (isLevel: boolean): string =>
    mostCommon(
      columns.flatMap(({ cells }) =>
        cells.flatMap((cell) => (cell?.isLevel === isLevel && cell.n !== NOTHING ? cell.n : [])),
      ),
    );
  const [common, commonLevel] = [commonOf(false), commonOf(true)];
  const sizeText = ({ bounds, n, isLevel }: Cell): string =>
    `${bounds}${n === NOTHING || n === (isLevel ? commonLevel : common) ? "" : ` n ${n}`}`.trim();
  const shares = (["unread", "unfinished"] as const)
    .filter((kind) => rates.missing.some((one) => one[kind].count > 0))
    .map((kind) => ({
      heading: kind,
      cells: rates.missing.flatMap((one): readonly (Cell | undefined)[] => [
        { value: percentText(one[kind].count, one[kind].of), bounds: "", n: NOTHING, isLevel: false },
        ...levels.map(() => undefined),
      ]),
    }));
  const widthOf = ({ heading, cells }: (typeof columns)[number]): number =>
    Math.max(
      textWidth(heading),
      ...cells.map((cell = NO_CELL) => Math.max(textWidth(cell.value), textWidth(sizeText(cell)))),
    );
  const names = rates.totals.flatMap((total) => [
    { name: testedName(total, rates.judges), indent: 0 },
    ...levels.map((name) => ({ name, indent: 2 })),
  ]);
  const room =
    width - Math.min(NAMES, Math.max(...names.map(({ name, indent }) => textWidth(name) + indent)));
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
    const heads = block.map(({ heading: text }) => ({ text, paint: style.bold }));
    const lines = names.flatMap(({ name, indent }, index): readonly NamedLine[] => {
      const own = block.map(({ cells }) => cells[index] ?? NO_CELL);
      const others = own.map((cell) => ({ text: sizeText(cell), paint: style.dim }));
      const first = { name, indent, cells: own.map(({ value }) => value) };
      return others.every(({ text }) => text === "") ? [first] : [first, { name: "", cells: others }];
    });
    return [
      ...(place === 0 ? [] : [""]),
      ...namedTable(
        [{ name: "", cells: heads }, ...lines],
        block.map(() => "<"),
        width,
      ),
    ];
  });
  return [
    ...tables,
    "",
    ...notes(rates, common, commonLevel)
      .flatMap((text) => wrapText(text, width))
      .map(style.dim),
  ];
}

/** `83.3 % (73–91)`, `4.82`; `n/a` where the outcome applies nowhere. */
function valueText(line: RateLine): string {
  const { n, notApplicable, inconclusive, errors, estimate, interval, kind } = line;
  if (n + inconclusive + errors === 0 && notApplicable > 0) return "n/a";
  const span = estimate === null || interval === null ? "" : ` (${spanText(interval, kind)})`;
  return `${estimateText(line)}${span}`;
}

function mostCommon(texts: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0] ?? "";
}

function notes(rates: RunRates, common: string, commonLevel: string): readonly string[] {
  const all = rates.outcomes.flatMap(({ lines }) => lines);
  const isCommon = (line: RateLine): boolean => itemsText(line) === common;
  const texts = [
    `n ${common}${all.every(isCommon) ? "" : " unless stated"} (${dimensionsText(all.find(isCommon) ?? singleItems(0))})${commonLevel === "" || commonLevel === common ? "" : `, of a level ${commonLevel}`}; 95 % intervals${all.some(isClustered) ? ", cluster-robust: conversations about one item belong together" : ""}.`,
  ];
  for (const { outcome, lines } of rates.outcomes)
    if (lines[0]?.macro !== undefined)
      texts.push(printableText(`${outcome}: mean over the groups of ${lines[0].macro} (macro).`));
  if (all.some(({ reason }) => reason !== undefined)) texts.push("No interval: one item only.");
  if (rates.best !== undefined && rates.best.size > 0)
    texts.push("* better than every other subject: paired comparisons, p < 0.05 after Holm.");
  if (all.some(({ bounds }) => bounds !== null))
    texts.push("[…] the rate if all undecided conversations were false, and if all were true.");
  const remarks = rates.outcomes.flatMap(({ outcome, lines }) =>
    lines.flatMap((line) => remarkOn(outcome, line, rates.judges)),
  );
  texts.push(...remarks.slice(0, REMARKS));
  if (remarks.length > REMARKS)
    texts.push(`… and ${countText(remarks.length - REMARKS)} more remarks: --details`);
  return texts;
}

/** How many conversations are undecided or not applicable. */
function remarkOn(outcome: string, line: RateLine, judges: readonly string[]): readonly string[] {
  const { inconclusive, errors, notApplicable, decided } = line;
  const parts = [
    ...(inconclusive > 0 ? [`${countText(inconclusive)} inconclusive`] : []),
    ...(errors > 0 ? [`${countText(errors)} errors`] : []),
    ...(notApplicable > 0 ? [`${countText(notApplicable)} not applicable`] : []),
  ];
  if (parts.length === 0) return [];
  const table =
    decided === null
      ? ""
      : `; ≈ estimated from all readable turns, ${percentText(decided, 1)} of the decided conversations`;
  return [`${printableText(outcome)}, ${testedName(testedOf(line), judges)}: ${parts.join(", ")}${table}.`];
}
