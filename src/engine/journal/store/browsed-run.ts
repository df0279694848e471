import type { TurnVerdict } from "../turn.ts";
import type { ConversationColumns, OutcomeColumns } from "./conversation-columns.ts";

/** The order of results, or the number of turns, the cost, or the time that a conversation took. */
export type SortedBy = "position" | "turns" | "cost" | "time";

/** What conversations are sorted by, as an index has it. What is not known comes before all else. */
export const SORT_KEYS: Readonly<
  Record<SortedBy, { readonly key: string; readonly valueIn: (columns: ConversationColumns) => number }>
> = {
  position: { key: "position", valueIn: ({ position }) => position },
  turns: { key: "turns", valueIn: ({ turns }) => turns },
  cost: { key: "coalesce(cost, -1)", valueIn: ({ cost }) => cost ?? -1 },
  time: {
    key: "coalesce(ended_at - started_at, -1)",
    valueIn: ({ started_at, ended_at }) =>
      started_at === null || ended_at === null ? -1 : ended_at - started_at,
  },
};

/** Which conversations of a run are meant; what is left out is not looked at. */
export interface BrowseFilter {
  readonly scenario?: string;
  readonly subject?: string;
  readonly judge?: string;
  readonly row?: string;
  readonly arm?: string;
  readonly replicate?: number;
  /** Null for conversations that have not ended; `cut_short` for all that ended early. */
  readonly status?: string | null;
  readonly outcome?: {
    readonly name: string;
    /** `decided`: whatever its value is. */
    readonly value: boolean | "decided" | "inconclusive" | "not_applicable";
  };
  /** Conversations with a turn at this node, with this verdict, that left it by this edge. */
  readonly node?: string;
  readonly verdict?: string;
  readonly edge?: number;
  /** What they are sorted by (default `position`). By anything else, only conversations that have ended are listed. */
  readonly sort?: SortedBy;
  /** True to begin with the last conversation. */
  readonly isReversed?: boolean;
  /** True if scenario, subject, judge and status name few conversations, so that it is quick to sort these. */
  readonly isFew?: boolean;
  /** Whose index leads through the conversations of the list: of those that are asked for, the one that names the fewest. */
  readonly walk?: "scenario" | "subject" | "status";
  /** What the search begins with, because few turns or outcomes of the run are such. */
  readonly start?: "turns" | "outcome";
  /** Without a node, where a search that begins with turns looks for them: the nodes of the scenarios. */
  readonly nodes?: readonly string[];
}

/** A turn of a browsed conversation. */
export interface BrowsedTurn {
  readonly turn: number;
  readonly node: string;
  readonly verdict: TurnVerdict | null;
  readonly edge: number | null;
}

/** A conversation with its turns and outcomes, without texts. */
export interface BrowsedConversation {
  readonly columns: ConversationColumns;
  readonly turns: readonly BrowsedTurn[];
  readonly outcomes: readonly OutcomeColumns[];
}

/** A turn, and where it is. */
export interface FoundTurn {
  readonly conversation: string;
  readonly scenario: string;
  readonly subject: string;
  readonly turn: number;
  readonly node: string;
}

/** Which pairs are meant. */
export interface PairFilter {
  readonly run: string;
  readonly subject: string;
  /** The subject that it is compared with, in the same run or in another. */
  readonly against: string;
  readonly withRun?: string;
  readonly scenario?: string;
  readonly outcome?: string;
  /** Only pairs in which the outcome is true in the first one (`a`), or in the second. */
  readonly side?: "a" | "b";
}

/** Two conversations that are compared. */
export interface BrowsedPair {
  readonly one: BrowsedConversation;
  readonly other: BrowsedConversation;
}

/** Where a page of conversations ends. */
export interface PlaceInRun {
  /** The position in the run, or what else the page is sorted by. */
  readonly position: number;
  readonly id: number;
}

/** A page of conversations. */
export interface BrowsedPage {
  readonly conversations: readonly BrowsedConversation[];
  /** Null if there are no more. */
  readonly next: PlaceInRun | null;
}

/** The first rows after a place. */
export interface FoundRows {
  readonly rows: readonly ConversationColumns[];
  /** How far was looked; null to the end. */
  readonly end: PlaceInRun | null;
}

/** The rows of several lists as one, as far as all of them were looked through. */
export function together(
  found: readonly FoundRows[],
  { sort = "position", isReversed = false }: BrowseFilter,
  limit: number,
): FoundRows {
  const { valueIn } = SORT_KEYS[sort];
  const inOrder = (one: PlaceInRun, other: PlaceInRun): number =>
    (one.position - other.position || one.id - other.id) * (isReversed ? -1 : 1);
  const placeOf = (row: ConversationColumns): PlaceInRun => ({ position: valueIn(row), id: row.id });
  const [end = null] = found.flatMap((one) => one.end ?? []).sort(inOrder);
  const rows = found
    .flatMap((one) => one.rows)
    .filter((row) => end === null || inOrder(placeOf(row), end) <= 0)
    .sort((one, other) => inOrder(placeOf(one), placeOf(other)))
    .slice(0, limit);
  return { rows, end: rows.length < limit ? end : null };
}
