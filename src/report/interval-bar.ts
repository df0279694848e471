import type { Interval } from "./wilson-interval.ts";

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
