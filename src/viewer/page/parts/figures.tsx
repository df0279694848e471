import { type ReactNode, useId } from "react";
import type { Interval } from "../../../statistics/proportions.ts";

/** Texts of numbers, the same on every page. What is unknown is a dash. */
const WHOLE = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

/** A count: `1,050`. */
export function countText(count: number): string {
  return WHOLE.format(count);
}

/** A count with its word: `1 turn`, `3 turns`. */
export function countedText(count: number, word: string): string {
  return `${countText(count)} ${word}${count === 1 ? "" : word.endsWith("s") ? "es" : "s"}`;
}

/** A rate in percent. What is not quite all or nothing never looks as if it were. */
export function percentText(rate: number | null | undefined): string {
  if (rate === null || rate === undefined) return "–";
  const percent = rate * 100;
  if (percent > 0 && percent < 0.5) return "<1 %";
  if (percent < 100 && percent > 99.5) return ">99 %";
  return `${Math.round(percent)} %`;
}

/** The bounds of an interval in percent: `76–90`. */
export function rangeText(
  interval: { readonly low: number; readonly high: number } | null | undefined,
): string {
  if (interval === null || interval === undefined) return "";
  return `${Math.round(interval.low * 100)}–${Math.round(interval.high * 100)}`;
}

/** A number with three digits that matter. */
export function numberText(value: number | null | undefined): string {
  if (value === null || value === undefined) return "–";
  const digits = { maximumSignificantDigits: 3, maximumFractionDigits: 3 };
  return new Intl.NumberFormat("en", digits).format(value).replace("-", "−");
}

/** Money in USD; small sums keep two digits that matter. */
export function costText(cost: number | null | undefined): string {
  if (cost === null || cost === undefined) return "unknown cost";
  if (cost === 0) return "0 USD";
  if (cost >= 0.01) return `${cost.toFixed(2)} USD`;
  return `${cost.toPrecision(2)} USD`;
}

/** A number of tokens. */
export function tokensText(tokens: number | null | undefined): string {
  return tokens === null || tokens === undefined ? "unknown tokens" : `${countText(tokens)} tokens`;
}

/** A span of time: `120 ms`, `1.2 s`, `6 min`, `2 h 5 min`. */
export function durationText(milliseconds: number | null | undefined): string {
  if (milliseconds === null || milliseconds === undefined) return "–";
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A date and time in the place of the reader: `2026-11-17 10:12`. */
export function timeText(at: number | null | undefined): string {
  if (at === null || at === undefined || !Number.isFinite(at)) return "–";
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return "–";
  const two = (number: number): string => String(number).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** A value as JSON on one line; texts without quotes if they are short words. */
export function valueText(value: unknown): string {
  if (value === undefined) return "–";
  if (typeof value === "string") return value;
  return JSON.stringify(value);
}

const WIDTH = 104;
const HEIGHT = 8;

/** A rate as a bar with its interval as a line across its end. The figures stand beside it. */
export function RateBar({
  rate,
  interval,
}: {
  readonly rate: number;
  readonly interval: Interval | null;
}): ReactNode {
  const x = (share: number): number => Math.max(0, Math.min(1, share)) * WIDTH;
  return (
    <span className="bar" aria-hidden="true">
      <svg width={WIDTH} height={HEIGHT} role="presentation">
        <rect width={x(rate)} height={HEIGHT} fill="var(--bar)" />
        {interval !== null && (
          <g stroke="var(--text)" strokeWidth="1.25">
            <line x1={x(interval.low)} x2={x(interval.high)} y1={HEIGHT / 2} y2={HEIGHT / 2} />
            <line x1={x(interval.low)} x2={x(interval.low)} y1={1} y2={HEIGHT - 1} />
            <line x1={x(interval.high)} x2={x(interval.high)} y1={1} y2={HEIGHT - 1} />
          </g>
        )}
      </svg>
    </span>
  );
}

/** A word or figure with a tooltip that explains it, shown on hover and on focus. */
export function Explain({
  text,
  children,
  isAtEnd = false,
}: {
  readonly text: string;
  readonly children: ReactNode;
  /** True near the right edge, where the sentence would not fit. */
  readonly isAtEnd?: boolean;
}): ReactNode {
  const id = useId();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: people who use no mouse need the sentence, too.
    <span className={isAtEnd ? "explain end" : "explain"} tabIndex={0} aria-describedby={id}>
      {children}
      <span role="tooltip" id={id}>
        {text}
      </span>
    </span>
  );
}
