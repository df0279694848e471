import type { Interval } from "../../../core/statistics/proportions.ts";
import type { PartlyKnown } from "../../../engine/journal/fold/run.ts";
import type { Spending } from "../../../engine/journal/spending.ts";
import type { ErrorCategory } from "../../../engine/models/model-error.ts";
import type { RateKind, RateLine } from "../data/rate-line.ts";

/** Stands for a missing figure. */
export const NOTHING = "–";

/** A count as people read it: `12,345`. */
export function countText(count: number | null): string {
  // Always commas, whatever the locale of the machine.
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

/** A mean, with two decimals where they matter. What is not 0 is never shown as 0. */
export function meanText(mean: number | null): string {
  if (mean === null) return NOTHING;
  const size = Math.abs(mean);
  if (size >= 10_000 && size < 1e15) return `${mean < 0 ? "-" : ""}${countText(Math.round(size))}`;
  if (size !== 0 && (size < 0.1 || size >= 1e15)) return String(Number(mean.toPrecision(2)));
  return mean.toFixed(2);
}

/** A share in percent. `100.0 %` and `0.0 %` are exact: 9,999 of 10,000 are `> 99.9 %`. */
export function percentText(part: number, whole: number): string {
  if (whole === 0) return NOTHING;
  const text = ((100 * part) / whole).toFixed(1);
  if (text === "100.0" && part !== whole) return "> 99.9 %";
  if (text === "0.0" && part !== 0) return "< 0.1 %";
  return `${text} %`;
}

/**
 * A share in whole percent, `85 %`. What is not quite nothing or not quite all never looks as if it were: `<1 %`, `>99 %`.
 * Empty if there is nothing to have a share of, or if counts do not fit together.
 */
export function shareText(part: number, whole: number): string {
  if (!(whole > 0) || part > whole) return "";
  const percent = Math.round((part / whole) * 100);
  if (percent === 0 && part > 0) return "<1 %";
  if (percent === 100 && part < whole) return ">99 %";
  return `${percent} %`;
}

/** A p-value: `0.031`, `< 0.001`. */
export function pText(p: number | null): string {
  if (p === null) return NOTHING;
  return p < 0.001 ? "< 0.001" : p.toFixed(3);
}

type ItemCounts = Pick<RateLine, "n" | "items" | "variants" | "replicates">;

/** What n counts: `30 × 10` are 30 items with 10 conversations each, `30 × 2 × 8–10` those with 8 to 10 in each of two variants. */
export function itemsText({ n, items, variants, replicates }: ItemCounts): string {
  if (n === 0) return "0";
  const factors = variants.most > 1 ? [variants, replicates] : [replicates];
  const texts = factors.map(({ least, most }) =>
    least === most ? countText(most) : `${countText(least)}–${countText(most)}`,
  );
  return [countText(items), ...texts].join(" × ");
}

/** The words for `itemsText`. */
export function dimensionsText({ variants }: Pick<ItemCounts, "variants">): string {
  return variants.most > 1 ? "items × variants × replicates" : "items × replicates";
}

const MOST_DIGITS = 4;
/** Digits are added until the interval is at least this wide in units of the last one. */
const SMALLEST_WIDTH = 4;

/** The bounds of an interval in percent, without the sign: with as few digits as show its width, and 0 and 100 only where exact. */
export function boundTexts({ low, high }: Interval): Readonly<Record<"low" | "high", string>> {
  for (let digits = 0; ; digits++) {
    const texts = { low: (100 * low).toFixed(digits), high: (100 * high).toFixed(digits) };
    const isHonest = isExact(low, texts.low) && isExact(high, texts.high);
    const isTelling = 100 * (high - low) * 10 ** digits >= SMALLEST_WIDTH;
    if (digits === MOST_DIGITS || (isHonest && isTelling)) return texts;
  }
}

/** False for a text of 0 or 100 if the bound is neither. */
function isExact(bound: number, text: string): boolean {
  return (Number(text) !== 0 || bound === 0) && (Number(text) !== 100 || bound === 1);
}

/** What a rate lies between: `61 % to 79 %`. */
export function boundsText({ low, high }: Interval): string {
  return `${percentText(low, 1)} to ${percentText(high, 1)}`;
}

/** The interval of a mean: `3.12–4.05`. */
export function meanIntervalText({ low, high }: Interval): string {
  return low < 0 ? `${meanText(low)} to ${meanText(high)}` : `${meanText(low)}–${meanText(high)}`;
}

/** An interval in percent: `94–100 %`. */
export function intervalText(interval: Interval | null): string {
  if (interval === null) return NOTHING;
  const { low, high } = boundTexts(interval);
  return `${low}–${high} %`;
}

/** In place of an interval: a dash, and why there is none. */
export function noIntervalText(reason: string | undefined): string {
  return reason === undefined ? NOTHING : `${NOTHING} ${reason}`;
}

/** A value of a line: rates in percent, all others as numbers. */
export function estimateText({
  estimate,
  kind,
  method,
}: Pick<RateLine, "estimate" | "kind" | "method">): string {
  if (estimate === null) return NOTHING;
  return `${method === "life_table" ? "≈ " : ""}${figureText(estimate, kind)}`;
}

/** A rate in percent, or a number. */
export function figureText(value: number, kind: RateKind): string {
  return kind === "rate" ? percentText(value, 1) : meanText(value);
}

/** The bounds of an interval without a unit: `73–91`, `3.12–4.05`. */
export function spanText(interval: Interval, kind: RateKind): string {
  if (kind !== "rate") return meanIntervalText(interval);
  const { low, high } = boundTexts(interval);
  return `${low}–${high}`;
}

/** The interval of a line, or why there is none: `73–91 %`, `– one item only`. */
export function lineIntervalText({ interval, kind, reason }: RateLine): string {
  if (interval === null) return noIntervalText(reason);
  return `${spanText(interval, kind)}${kind === "rate" ? " %" : ""}`;
}

/** What a rate is if all undecided conversations were false, and if all were true: `[40–95]`; empty if all are decided. */
export function bracketedBounds({ bounds }: RateLine): string {
  return bounds === null ? "" : `[${spanText(bounds, "rate")}]`;
}

/** `1 retry`, `3 retries` */
export function retriesText(count: number): string {
  return `${countText(count)} ${count === 1 ? "retry" : "retries"}`;
}

/** What was spent: `3 calls, 1 cached, 420 tokens, 0.0012 USD`. Cached answers cost nothing. */
export function spendingText({ calls, unanswered = 0, cached, tokens, cost }: Spending): string {
  const known = [
    ...(unanswered === 0 ? [] : [`${countText(unanswered)} without an answer`]),
    ...(cached === 0 ? [] : [`${countText(cached)} cached`]),
  ];
  if (calls === 0) return ["no calls", ...known].join(", ");
  return [
    countedText(calls, "call"),
    ...known,
    tokens === null ? "tokens unknown" : countedText(tokens, "token"),
    cost === null ? "cost unknown" : `${costText(cost)} USD`,
  ].join(", ");
}

/** `12,345 tokens`, or the known part of them. */
export function tokensText({ known, unknown }: PartlyKnown): string {
  if (unknown > 0 && known === 0) return "tokens unknown";
  return unknown > 0 ? `at least ${countedText(known, "token")}` : countedText(known, "token");
}

/** `0.0123 USD`, or the known part of it. */
export function spentText({ known, unknown }: PartlyKnown): string {
  if (unknown > 0 && known === 0) return "cost unknown";
  return unknown > 0 ? `at least ${costText(known)} USD` : `${costText(known)} USD`;
}

/** `4.2/s`, and for what is slow `5.3/min` or `2.1/h`. */
export function rateText(perSecond: number): string {
  if (perSecond >= 1 || perSecond === 0) return `${shortNumber(perSecond)}/s`;
  if (perSecond * 60 >= 1) return `${shortNumber(perSecond * 60)}/min`;
  return `${shortNumber(perSecond * 3600)}/h`;
}

function shortNumber(number: number): string {
  if (number >= 99.5 || number === 0) return countText(Math.round(number));
  return number.toFixed(1);
}

/** `about 3 min left`; rounded, because it is a guess. */
export function timeLeftText(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 9.5) return "a few s left";
  if (seconds < 57.5) return `about ${Math.round(seconds / 5) * 5} s left`;
  if (seconds < 89.5 * 60) return `about ${Math.round(seconds / 60)} min left`;
  if (seconds < 47.5 * 3600) return `about ${Math.round(seconds / 3600)} h left`;
  return `about ${Math.round(seconds / 86_400)} days left`;
}

/** `0.4 s`, `3 min 20 s`, `2 h 5 min` */
export function durationText(milliseconds: number): string {
  if (milliseconds < 9950) return `${(milliseconds / 1000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  const minutes = Math.round(seconds / 60);
  return `${countText(Math.floor(minutes / 60))} h ${minutes % 60} min`;
}

/** `3 errors (2 rate limit, 1 server)` */
export function errorsText(errors: ReadonlyMap<ErrorCategory, number>): string {
  const sorted = [...errors].sort(([, left], [, right]) => right - left);
  const sum = sorted.reduce((total, [, count]) => total + count, 0);
  const each = sorted.map(([category, count]) => `${countText(count)} ${category.replaceAll("_", " ")}`);
  return `${countedText(sum, "error")} (${each.join(", ")})`;
}

/** A time in the local time zone, to the minute. */
export function timeText(at: number): string {
  const time = new Date(at);
  const two = (part: number): string => String(part).padStart(2, "0");
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}`;
}
