import { NOTHING } from "./percent-text.ts";

/** A count as people read it: `12,345`. Null if nobody told. */
export function countText(count: number | null): string {
  // A fixed grouping, whatever language the machine speaks.
  return count === null ? NOTHING : String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** A count with its noun: `1 turn`, `1,200 turns`. */
export function countedText(count: number, noun: string): string {
  return `${countText(count)} ${count === 1 ? noun : `${noun}s`}`;
}

/** An amount of USD, without the unit. What is not free is never shown as nothing. */
export function costText(cost: number | null): string {
  if (cost === null) return NOTHING;
  if (cost === 0) return "0.00";
  if (cost < 0.0001) return "< 0.0001";
  if (cost < 0.1) return cost.toFixed(4);
  const [whole = "", cents = ""] = cost.toFixed(2).split(".");
  return `${countText(Number(whole))}.${cents}`;
}

/** A mean: two decimals where they tell something. What is not 0 is never shown as 0. */
export function meanText(mean: number | null): string {
  if (mean === null) return NOTHING;
  const size = Math.abs(mean);
  if (size >= 10_000 && size < 1e15) return `${mean < 0 ? "-" : ""}${countText(Math.round(size))}`;
  if (size !== 0 && (size < 0.1 || size >= 1e15)) return String(Number(mean.toPrecision(2)));
  return mean.toFixed(2);
}
