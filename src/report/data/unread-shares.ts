import { POOR_SHARE } from "../../journal/judge-health.ts";
import type { NodeTurns, ResultRow } from "../../journal/store/store.ts";
import type { Tested } from "./subject-totals.ts";

/** The share of replies to a subject at a node that have no verdict. */
export interface UnreadShare extends Tested, NodeTurns {
  readonly scenario: string;
  readonly node: string;
  /** Of the turns, those that are unreadable or not judged. */
  readonly share: number;
  /** True above 5 %: what is unread is not random, so that rates may be wrong. */
  readonly isHigh: boolean;
}

/** Nodes and subjects with unread replies, the largest share first. */
export function unreadShares(rows: readonly ResultRow[]): readonly UnreadShare[] {
  return rows
    .flatMap(({ scenario, subject, judge, nodes }) =>
      Object.entries(nodes).map(([node, counts]): UnreadShare => {
        const share = (counts.unreadable + counts.unjudged) / counts.turns;
        return { scenario, node, subject, judge, ...counts, share, isHigh: share > POOR_SHARE };
      }),
    )
    .filter(({ share }) => share > 0)
    .sort((one, other) => other.share - one.share);
}
