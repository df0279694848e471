import type { ReactNode } from "react";
import type { Interval } from "../../../statistics/proportions.ts";

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
