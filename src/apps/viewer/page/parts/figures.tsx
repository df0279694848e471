import { type ReactNode, useId } from "react";
import type { Interval } from "../../../../core/statistics/proportions.ts";
import {
  costText as amountText,
  boundTexts,
  countedText,
  durationText as longText,
  NOTHING,
  shareText,
} from "../../../../insight/report/text/figures.ts";

export {
  countedText,
  countText,
  itemsText,
  pText,
  timeText,
} from "../../../../insight/report/text/figures.ts";

/** A rate in whole percent; a dash if it is unknown. What is not quite all or nothing never looks as if it were. */
export function percentText(rate: number | null | undefined): string {
  return rate === null || rate === undefined ? NOTHING : shareText(rate, 1);
}

/** The bounds of an interval in percent: `76–90`. */
export function rangeText(interval: Interval | null): string {
  if (interval === null) return "";
  const { low, high } = boundTexts(interval);
  return `${low}–${high}`;
}

/** A number with three digits that matter. */
export function numberText(value: number | null): string {
  if (value === null) return NOTHING;
  const digits = { maximumSignificantDigits: 3, maximumFractionDigits: 3 };
  return new Intl.NumberFormat("en", digits).format(value).replace("-", "−");
}

/** Money, with its unit. */
export function costText(cost: number | null): string {
  return cost === null ? "unknown cost" : cost === 0 ? "0 USD" : `${amountText(cost)} USD`;
}

/** A number of tokens. */
export function tokensText(tokens: number | null): string {
  return tokens === null ? "unknown tokens" : countedText(tokens, "token");
}

/** A span of time, for calls in milliseconds: `120 ms`, `1.2 s`, `6 min 5 s`. */
export function durationText(milliseconds: number | null): string {
  if (milliseconds === null) return NOTHING;
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : longText(milliseconds);
}

/** A value as JSON on one line; a text as it is, and a dash for nothing. */
export function valueText(value: unknown): string {
  if (value === undefined || value === null) return NOTHING;
  return typeof value === "string" ? value : JSON.stringify(value);
}

const WIDTH = 88;
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

/** The head of a column; `right` of one with numbers, which stand at the right. */
export type Head = ReactNode | { readonly right: ReactNode };

function isRight(head: Head): head is { readonly right: ReactNode } {
  return typeof head === "object" && head !== null && "right" in head;
}

/** A table in a box that scrolls sideways where it is too wide. */
export function Table({
  heads,
  caption,
  className,
  boxClassName = "",
  children,
}: {
  readonly heads: readonly Head[];
  readonly caption?: ReactNode;
  readonly className?: string;
  readonly boxClassName?: string;
  readonly children: ReactNode;
}): ReactNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls is scrolled with keys.
    <div className={`scroll ${boxClassName}`} tabIndex={0}>
      <table className={className}>
        {caption !== undefined && <caption>{caption}</caption>}
        <thead>
          <tr>
            {heads.map((head, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns are known by their place.
              <th key={index} scope="col" className={isRight(head) ? "number" : undefined}>
                {isRight(head) ? head.right : head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
