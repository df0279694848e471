import { printableText } from "../../terminal/printable-text.ts";
import { linesText, wrapText } from "../../terminal/text-layout.ts";
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
import { namedTable } from "./named-table.ts";
import type { TextOptions } from "./text-blocks.ts";

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
    { name: { text: "turn" }, indent: 2, cells: ["right", "95 %", "n", "unread"].map(dim) },
    ...one.accuracy.map(({ turn, rate, interval, n, unread }) => ({
      name: { text: String(turn) },
      indent: 2,
      cells: [
        { text: rate === null ? NOTHING : percentText(rate, 1) },
        { text: intervalText(interval) },
        { text: countText(n) },
        { text: countText(unread) },
      ],
    })),
  ];
  const steps = [
    { name: { text: "from, to" }, indent: 2, cells: STATES.map(dim) },
    ...STATES.map((from, i) => ({
      name: { text: from },
      indent: 2,
      cells: STATES.map((_, j) => {
        const share = one.transitions.proportions[i]?.[j] ?? null;
        return {
          text:
            share === null
              ? NOTHING
              : `${percentText(share, 1)} (${countText(one.transitions.counts[i]?.[j] ?? 0)})`,
        };
      }),
    })),
  ];
  const right = [{ alignment: ">" }, { alignment: "<" }, { alignment: ">" }, { alignment: ">" }] as const;
  return [
    style.bold(printableText(one.subject)),
    ...wrapText(flip("  right turns before the first wrong one", one.turnOfFlip), width),
    ...wrapText(flip("  changes between right and wrong", one.numberOfFlips), width),
    ...namedTable(accuracy, right, width),
    ...namedTable(steps, right.slice(0, 3), width),
  ];
}
