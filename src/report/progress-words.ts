import type { ErrorCategory } from "../models/model-error.ts";
import { costText, countedText, countText } from "./figure-text.ts";
import type { PartlyKnown } from "./progress-tally.ts";

/** `12,345 tokens`, or what is known of them. */
export function tokensText({ known, unknown }: PartlyKnown): string {
  if (unknown > 0 && known === 0) return "tokens unknown";
  return unknown > 0 ? `at least ${countedText(known, "token")}` : countedText(known, "token");
}

/** `0.0123 USD`, or what is known of it. */
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

/** `about 3 min left`; rounded, because nobody knows. */
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
