import { printableText } from "../terminal/printable-text.ts";
import { cutToWidth, textWidth } from "../terminal/text-width.ts";

const ARROW = " → ";
const MORE = "…";

/** A path in so many columns: `ask → push ×3 → …`. Visits of a node that follow each other are counted. */
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
