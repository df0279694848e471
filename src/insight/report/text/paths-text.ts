import { printableText } from "../../../system/terminal/printable-text.ts";
import type { Style } from "../../../system/terminal/terminal.ts";
import {
  alignColumns,
  cutToWidth,
  linesText,
  type TableCell,
  textWidth,
  wrapText,
} from "../../../system/terminal/text-layout.ts";
import type { PathCounts, ScenarioTraffic } from "../data/traffic.ts";
import { countedText, countText, shareText } from "./figures.ts";
import type { TextOptions } from "./text-blocks.ts";

const INDENT = "  ";
const GAP = 2;
/** As wide as `>99 %`. */
const SHARE_WIDTH = 5;

/** The most frequent paths through a scenario, one a line: how many conversations took it, their share, and its nodes. */
export function pathsText(
  { paths, cutShort, underWay }: Pick<ScenarioTraffic, "paths" | "cutShort" | "underWay">,
  { style, width }: TextOptions,
): string {
  const lines =
    paths.conversations === 0
      ? wrapText("No conversation has finished.", width)
      : [
          style.bold(`Paths of ${countedText(paths.conversations, "conversation")}`),
          ...rows(paths, width, style),
        ];
  const uncounted = uncountedText(cutShort, underWay);
  const note = uncounted === "" ? [] : wrapText(uncounted, width).map(style.dim);
  return linesText([...lines, ...note]);
}

function rows({ paths, others, conversations }: PathCounts, width: number, style: Style): readonly string[] {
  const countWidth = Math.max(
    ...[...paths.map(({ count }) => count), others.conversations].map((count) => textWidth(countText(count))),
  );
  const room = width - INDENT.length - countWidth - GAP - SHARE_WIDTH - GAP;
  const row = (count: number, text: string, paint?: Style["dim"]): readonly TableCell[] => [
    { text: countText(count) },
    {
      text: shareText(count, conversations).padStart(SHARE_WIDTH),
      ...(paint === undefined ? {} : { paint }),
    },
    { text, ...(paint === undefined ? {} : { paint }) },
  ];
  const known = paths.map(({ path, count }) => row(count, pathText(path, room)));
  const rest =
    others.conversations === 0 ? [] : [row(others.conversations, otherPaths(others.paths), style.dim)];
  return alignColumns([...known, ...rest], [">", ">", "<"]).map((line) => INDENT + line);
}

function otherPaths(count: number | null): string {
  return count === null ? "other paths" : countedText(count, "other path");
}

function uncountedText(cutShort: number, underWay: number): string {
  const parts = [
    ...(cutShort === 0 ? [] : [`${countedText(cutShort, "conversation")} cut short`]),
    ...(underWay === 0 ? [] : [`${countText(underWay)} unfinished`]),
  ];
  return parts.length === 0 ? "" : `Not counted: ${parts.join(", ")}.`;
}

const ARROW = " → ";
const MORE = "…";

/** A path, cut to a width: `ask → push ×3 → …`. Visits of a node that follow each other are counted. */
export function pathText(path: readonly string[], columns: number = Number.POSITIVE_INFINITY): string {
  const steps = stepsOf(path);
  let line = "";
  let width = 0;
  for (const [index, step] of steps.entries()) {
    const added = index === 0 ? step : ARROW + step;
    const isLast = index === steps.length - 1;
    const rest = isLast ? 0 : ARROW.length + MORE.length;
    width += textWidth(added);
    if (width + rest > columns) return cutToWidth(index === 0 ? step : `${line}${ARROW}${MORE}`, columns);
    line += added;
  }
  return line;
}

function stepsOf(path: readonly string[]): readonly string[] {
  const runs: { readonly node: string; count: number }[] = [];
  for (const node of path) {
    const last = runs.at(-1);
    if (last?.node === node) last.count++;
    else runs.push({ node, count: 1 });
  }
  return runs.map(({ node, count }) => {
    const name = printableText(node) || '""';
    return count === 1 ? name : `${name} ×${count}`;
  });
}
