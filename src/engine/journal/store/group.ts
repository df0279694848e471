import type { CountKind, PlacedCounts } from "../fold/tally.ts";
import type { Column } from "./conversation-columns.ts";
import type { StoredLink } from "./message-chains.ts";
import type { StoreError } from "./store-error.ts";
import type { EncodedData } from "./text-codec.ts";

/** An event as a row. */
export interface EventRow {
  readonly run: number;
  /** The row of its conversation. */
  readonly conversation: number | null;
  readonly type: number;
  readonly turn: number | null;
  readonly at: number;
  readonly json: string;
}

/** Settings as they are stored, once for all calls that have them. */
export interface EncodedSettings {
  readonly name: string;
  readonly hash: string;
  readonly data: EncodedData;
}

/** An answered call as a row. */
export interface CallRow {
  /** The run that it came with from elsewhere; null for the calls of the project. */
  readonly run: number | null;
  readonly identity: string;
  readonly purpose: string;
  readonly settings: EncodedSettings;
  readonly messages: StoredLink | null;
  readonly replicate: number;
  readonly seed: number;
  readonly json: string;
  readonly at: number;
  /** Called when others can read it. */
  readonly written: () => void;
}

/** A count as a tally keeps it. */
export type CountEntry = readonly [kind: CountKind, name: string, value: string, count: number];

/** Takes the rows of a group, within its transaction: a database in this process at once, a server all together. */
export interface GroupRows {
  /** Writes the texts of some data, and gives its JSON. */
  texts(data: EncodedData): string;
  event(row: EventRow): void;
  call(row: CallRow): void;
  /** Makes the row of a conversation, and gives its id. */
  newConversation(run: number, name: string, columns: readonly Column[]): number;
  /** What a conversation has come to. Fails if its run was deleted. */
  saveConversation(id: number, columns: readonly Column[]): void;
  placeConversation(id: number, columns: readonly Column[]): void;
  endConversation(id: number, status: string | null): void;
  /** Null to remove it. */
  turn(conversation: number, turn: number, columns: readonly Column[] | null): void;
  /** Null to remove it. */
  outcome(conversation: number, name: string, columns: readonly Column[] | null): void;
  /** Adds to the counts of a cell. */
  counts(run: number, key: string, placed: PlacedCounts): void;
  /** Fails if the run was deleted. */
  endRun(run: number, at: number): void;
  /** Nothing is certain to be there any more. */
  forget(): void;
}

/** What happens around the changes of a group, within its transaction. */
export interface GroupHooks {
  /** Another process has changed the store since the last group. */
  readonly onForeignChange: () => void;
  readonly beforeCommit: (rows: GroupRows) => void;
}

/**
 * Writes changes in groups, one transaction each: all that is added until the event loop comes round is written together, so
 * many conversations share one commit. Once a group cannot be written, nothing is any more.
 */
export interface GroupWriter {
  /** Adds a change to the group that is written next. */
  add(change: (rows: GroupRows) => void): void;
  /** Resolves when all that was added is committed; undefined if it is already. */
  durable(): Promise<void> | undefined;
  /** Sees to it that what was added can be read; an error is reported by `durable`. */
  flush(): void;
  /** Does something in a transaction of its own, after all that was added; throws `StoreError`. */
  now<Result>(action: (rows: GroupRows) => Result): Result;
  /** True if nothing is taken any more. */
  readonly isBroken: boolean;
  /** Nothing can be written any more, because of an error. */
  break(error: unknown): void;
  /** Nothing is certain to be there any more. */
  forget(): void;
  /** Writes what was added, and takes nothing more; returns the error if that fails and was not reported before. */
  finish(): StoreError | undefined;
}
