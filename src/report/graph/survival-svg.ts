import { printableText } from "../../terminal/printable-text.ts";
import type { RunSequences, SubjectSequences } from "../data/sequences.ts";

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
