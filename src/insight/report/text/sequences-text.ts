import { printableText } from "../../../system/terminal/printable-text.ts";
import { linesText, wrapText } from "../../../system/terminal/text-layout.ts";
import { type RunSequences, STATES, type SubjectSequences } from "../data/sequences.ts";
import {
  boundTexts,
  countedText,
  countText,
  intervalText,
  meanIntervalText,
  meanText,
  NOTHING,
  percentText,
  pText,
} from "./figures.ts";
import { namedTable, type TextOptions } from "./text-blocks.ts";

const BLOCKS = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];

/** How right answers last: a curve, flips, steps from turn to turn, and accuracy by turn, for each subject. */
export function sequencesText({ subjects, ...tests }: RunSequences, layout: TextOptions): string {
  const { style, width } = layout;
  if (subjects.length === 0) return "There are no verified turns.\n";
  const test = wrapText(testText(tests), width).map(style.dim);
  return linesText([
    style.bold("Share without a wrong answer so far, turn by turn"),
    ...subjects.flatMap((one) => survivalLines(one, layout)),
    ...(testText(tests) === "" ? [] : ["", ...test]),
    "",
    ...subjects.flatMap((one, i) => [...(i === 0 ? [] : [""]), ...subjectLines(one, layout)]),
  ]);
}

function testText({ logRank, clusteredLogRank }: Omit<RunSequences, "subjects">): string {
  const test = clusteredLogRank ?? logRank;
  if (test === null) return "";
  const what =
    clusteredLogRank === null
      ? "It takes conversations as independent, which those about one item are not."
      : `Conversations about an item belong together (${countedText(clusteredLogRank.clusters, "item")}).`;
  return `Log-rank test that all last equally long: chi-square ${meanText(test.chiSquare)}, ${countedText(test.df, "degree")} of freedom, p ${pText(test.p)}. ${what}`;
}

/** A curve of blocks: `█▇▅▃▁`. */
export function curveText(shares: readonly number[]): string {
  return shares
    .map((share) => BLOCKS[Math.min(BLOCKS.length - 1, Math.floor(share * BLOCKS.length))] ?? "▁")
    .join("");
}

function survivalLines(
  { subject, survival, median }: SubjectSequences,
  { width }: TextOptions,
): readonly string[] {
  const last = survival.at(-1);
  const between =
    last?.interval == null
      ? ""
      : ` (95 % ${boundTexts(last.interval).low}–${boundTexts(last.interval).high})`;
  const end =
    last === undefined ? NOTHING : `${percentText(last.survival, 1)}${between} after ${last.turn} turns`;
  const half = median === null ? "half of them last to the end" : `half are lost by turn ${median}`;
  const text = `${printableText(subject)}  ${curveText(survival.map((point) => point.survival))}  ${end}; ${half}`;
  return wrapText(text, width - 2).map((line, i) => `${i === 0 ? "  " : "    "}${line}`);
}

function subjectLines(one: SubjectSequences, { style, width }: TextOptions): readonly string[] {
  const flip = (label: string, value: SubjectSequences["turnOfFlip"]): string => {
    if (value === null) return `${label}: ${NOTHING}`;
    const interval =
      value.low === null || value.high === null
        ? "no interval"
        : `95 % ${meanIntervalText({ low: value.low, high: value.high })}`;
    const open = value.inconclusive === 0 ? "" : `, ${countText(value.inconclusive)} inconclusive`;
    return `${label}: ${meanText(value.mean)} (${interval}, n ${countText(value.n)}${open})`;
  };
  const dim = (text: string): { text: string; paint: (text: string) => string } => ({
    text,
    paint: style.dim,
  });
  const accuracy = [
    { name: "turn", indent: 2, cells: ["right", "95 %", "n", "unread"].map(dim) },
    ...one.accuracy.map(({ turn, rate, interval, n, unread }) => ({
      name: String(turn),
      indent: 2,
      cells: [
        rate === null ? NOTHING : percentText(rate, 1),
        intervalText(interval),
        countText(n),
        countText(unread),
      ],
    })),
  ];
  const steps = [
    { name: "from, to", indent: 2, cells: STATES.map(dim) },
    ...STATES.map((from, i) => ({
      name: from,
      indent: 2,
      cells: STATES.map((_, j) => {
        const share = one.transitions.proportions[i]?.[j] ?? null;
        if (share === null) return NOTHING;
        return `${percentText(share, 1)} (${countText(one.transitions.counts[i]?.[j] ?? 0)})`;
      }),
    })),
  ];
  return [
    style.bold(printableText(one.subject)),
    ...wrapText(flip("  right turns before the first wrong one", one.turnOfFlip), width),
    ...wrapText(flip("  changes between right and wrong", one.numberOfFlips), width),
    ...namedTable(accuracy, [">", "<", ">", ">"], width),
    ...namedTable(steps, [">", "<", ">"], width),
  ];
}

const WIDTH = 640;
const HEIGHT = 360;
const MARGIN = { left: 56, right: 24, top: 40, bottom: 44 };
/** Colours that people who see fewer colours can tell apart (Okabe and Ito). */
const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999"];

/** How long right answers last, as a picture: a step for each turn, and a band for the interval. */
export function survivalSvg({ subjects }: RunSequences): string {
  const last = Math.max(1, ...subjects.map(({ survival }) => survival.length));
  const x = (turn: number): number => MARGIN.left + ((WIDTH - MARGIN.left - MARGIN.right) * turn) / last;
  const bottom = HEIGHT - MARGIN.bottom + 18 * subjects.length;
  const y = (share: number): number => MARGIN.top + (HEIGHT - MARGIN.top - MARGIN.bottom) * (1 - share);
  const height = bottom + 34;
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="sans-serif" font-size="12">`,
    `<rect width="${WIDTH}" height="${height}" fill="white"/>`,
    `<text x="${MARGIN.left}" y="20" font-size="14">Share of conversations without a wrong answer so far</text>`,
    ...[0, 0.25, 0.5, 0.75, 1].map(
      (share) =>
        `<line x1="${MARGIN.left}" x2="${WIDTH - MARGIN.right}" y1="${y(share)}" y2="${y(share)}" stroke="#ddd"/><text x="${MARGIN.left - 8}" y="${y(share) + 4}" text-anchor="end">${100 * share} %</text>`,
    ),
    ...Array.from(
      { length: last + 1 },
      (_, turn) => `<text x="${x(turn)}" y="${y(0) + 18}" text-anchor="middle">${turn}</text>`,
    ),
    `<text x="${WIDTH - MARGIN.right}" y="${y(0) + 34}" text-anchor="end">turn</text>`,
    ...subjects.flatMap((one, i) =>
      curve(one, { x, y, colour: COLOURS[i % COLOURS.length] as string, legend: y(0) + 52 + 18 * i }),
    ),
    "</svg>",
  ];
  return `${lines.join("\n")}\n`;
}

interface Axes {
  readonly x: (turn: number) => number;
  readonly y: (share: number) => number;
  readonly colour: string;
  readonly legend: number;
}

function curve(
  { subject, survival, conversations }: SubjectSequences,
  { x, y, colour, legend }: Axes,
): readonly string[] {
  const steps = (value: (i: number) => number): string =>
    survival.map((_, i) => `H${x(i + 1)}V${y(value(i))}`).join("");
  const band =
    survival.filter(({ interval }) => interval !== null).length === survival.length && survival.length > 0;
  const low = (i: number): number => survival[i]?.interval?.low ?? 0;
  const high = (i: number): number => survival[i]?.interval?.high ?? 1;
  const back = survival
    .map((_, i) => survival.length - 1 - i)
    .map((i) => `V${y(low(i))}H${x(i + 1)}`)
    .join("");
  return [
    ...(band
      ? [`<path d="M${x(0)} ${y(1)}${steps(high)}${back}V${y(1)}Z" fill="${colour}" fill-opacity="0.12"/>`]
      : []),
    `<path d="M${x(0)} ${y(1)}${steps((i) => survival[i]?.survival ?? 0)}" fill="none" stroke="${colour}" stroke-width="2"/>`,
    `<rect x="${x(0)}" y="${legend - 9}" width="12" height="4" fill="${colour}"/><text x="${x(0) + 18}" y="${legend - 3}">${escaped(subject)} (n ${conversations})</text>`,
  ];
}

function escaped(text: string): string {
  return printableText(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
