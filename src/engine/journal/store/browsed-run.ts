import type { TurnVerdict } from "../turn.ts";
import type { ConversationColumns, OutcomeColumns } from "./conversation-columns.ts";

/** The order of results, or the number of turns, the cost, or the time that a conversation took. */
export type SortedBy = "position" | "turns" | "cost" | "time";

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

/** The page of a list after a place. */
export interface PageAfter {
  readonly after?: PlaceInRun | undefined;
  readonly limit: number;
}

/** A page of conversations. */
export interface BrowsedPage {
  readonly conversations: readonly BrowsedConversation[];
  /** Null if there are no more. */
  readonly next: PlaceInRun | null;
}
