import type { Interval } from "./wilson-interval.ts";

/** What stands where there is nothing to tell. */
export const NOTHING = "–";

/** A share in percent. It says `100.0 %` and `0.0 %` of all and of nothing only: 9,999 of 10,000 are `> 99.9 %`. */
export function percentText(part: number, whole: number): string {
  if (whole === 0) return NOTHING;
  const text = ((100 * part) / whole).toFixed(1);
  if (text === "100.0" && part !== whole) return "> 99.9 %";
  if (text === "0.0" && part !== 0) return "< 0.1 %";
  return `${text} %`;
}

const MOST_DIGITS = 4;
/** An interval is given with so many digits that it is at least this wide in units of the last one. */
const SMALLEST_WIDTH = 4;

/** The bounds of an interval in percent, without the sign: whole numbers, unless they would say too little, or 0 or 100 of what is not. */
export function boundTexts({ low, high }: Interval): Readonly<Record<"low" | "high", string>> {
  for (let digits = 0; ; digits++) {
    const texts = { low: (100 * low).toFixed(digits), high: (100 * high).toFixed(digits) };
    const isHonest = isExact(low, texts.low) && isExact(high, texts.high);
    const isTelling = 100 * (high - low) * 10 ** digits >= SMALLEST_WIDTH;
    if (digits === MOST_DIGITS || (isHonest && isTelling)) return texts;
  }
}

/** False of a text that says all or nothing of a bound that is neither. */
function isExact(bound: number, text: string): boolean {
  return (Number(text) !== 0 || bound === 0) && (Number(text) !== 100 || bound === 1);
}

/** An interval in percent: `94–100 %`. */
export function intervalText(interval: Interval | null): string {
  if (interval === null) return NOTHING;
  const { low, high } = boundTexts(interval);
  return `${low}–${high} %`;
}
