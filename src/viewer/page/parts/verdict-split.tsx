import type { ReactNode } from "react";
import type { TurnVerdict } from "../../../journal/turn.ts";
import { countText } from "./figures.ts";
import { lookOf } from "./marks.tsx";

const ORDER: readonly TurnVerdict[] = ["pass", "fail", "unreadable", "unjudged"];

/** How turns were judged, as a thin bar. */
export function VerdictSplit({
  verdicts,
}: {
  readonly verdicts: readonly Readonly<Partial<Record<TurnVerdict, number>>>[];
}): ReactNode {
  const counts = ORDER.map((verdict) => verdicts.reduce((sum, one) => sum + (one[verdict] ?? 0), 0));
  const all = counts.reduce((sum, count) => sum + count, 0);
  const words = ORDER.flatMap((verdict, index) =>
    (counts[index] ?? 0) > 0 ? [`${countText(counts[index] ?? 0)} ${lookOf(verdict).word}`] : [],
  ).join(", ");
  return (
    <div className="split" role="img" aria-label={words || "no verdicts"} title={words}>
      {ORDER.map((verdict, index) => {
        const count = counts[index] ?? 0;
        return count === 0 ? null : (
          <span key={verdict} className={lookOf(verdict).tone} style={{ width: `${(count / all) * 100}%` }} />
        );
      })}
    </div>
  );
}
