import type { Column } from "./conversation-columns.ts";
import type { GroupHooks, GroupWriter } from "./group.ts";

/** What a statement takes. */
export type SqlValue = Column | Uint8Array | readonly string[];

/** Where texts are referred to. */
export const REFERRING: readonly (readonly [table: string, column: string])[] = [
  ["event", "data"],
  ["message", "data"],
  ["call", "reply"],
  ["run_call", "reply"],
  ["setting", "data"],
  ["run", "start"],
];

/** A reply as it is stored, with the texts that it refers to. */
export interface StoredReply {
  readonly json: string;
  readonly texts: ReadonlyMap<string, string>;
}

/** Calls on a server: found without blocking, and made once by all processes. */
export interface ServerCalls {
  /** `run`: of calls that came with a run from elsewhere. */
  find(identity: string, run: number | null): Promise<StoredReply | undefined>;
  /** Resolves when this process may make the call, or with the answer that another one got. */
  claim(identity: string, signal: AbortSignal): Promise<StoredReply | undefined>;
  release(identity: string): void;
}

/** Where databases speak differently. */
export interface SqlDialect {
  /** True of two values that are equal, or both missing. */
  readonly same: (one: string, other: string) => string;
  /** The texts of a group in the order of a column, joined. */
  readonly joined: (text: string, order: string) => string;
  /** The key of a call. */
  readonly identityKey: (identity: string) => string | Uint8Array;
}

/**
 * A database that holds a store. Statements are written in what SQLite and PostgreSQL have in common, with `?` for values; they
 * are prepared once.
 */
export interface SqlDatabase {
  /** Where it is, as people see it: a file, or an address without its password. */
  readonly path: string;
  /** The file, if it is one that another thread can open to read. */
  readonly file?: string;
  readonly dialect: SqlDialect;
  /** How many rows are read at once: the first and the most of what grows with every portion. */
  readonly portions: { readonly first: number; readonly most: number };
  /** The rows of a query. */
  all<Row>(sql: string, ...values: readonly SqlValue[]): readonly Row[];
  /** The ids of the events of a run in order, where no index gives them; `eventsOf` then reads some of them. */
  eventIds?(run: number): Float64Array;
  /** A query that is likely to come next, unless something is written before: a server can begin with it. */
  ahead?(sql: string, ...values: readonly SqlValue[]): void;
  /** The same as lists of values, which are quicker to read. */
  raw<Row>(sql: string, ...values: readonly SqlValue[]): readonly Row[];
  /** The first value of the first row. */
  value<Value>(sql: string, ...values: readonly SqlValue[]): Value | undefined;
  /** Several queries with one lock, where each would take one. */
  together?<Result>(read: () => Result): Result;
  /** Changes something; gives how many rows. */
  run(sql: string, ...values: readonly SqlValue[]): number;
  /** Left out by a database in this process, which answers at once. */
  readonly calls?: ServerCalls;
  /** What writes groups of changes. */
  writer(hooks: GroupHooks): GroupWriter;
  /** This process, as a run notes who writes it. */
  thisWriter(): string;
  /** The process that is noted, if it is another one that still writes. */
  otherWriter(written: string | null): string | null;
  /** True if this process is the one that is noted. */
  isThisWriter(written: string): boolean;
  /** Changes with everything that is written by another connection. */
  version(): number;
  bytes(): number;
  /** Called before anything is removed that others may rely on, within a transaction. */
  beginRemoval(): void;
  /** Removes texts that nothing refers to, within a transaction. */
  removeUnusedTexts(): void;
  countUnusedTexts(): number;
  /** Gives free space back. */
  vacuum(): void;
  readonly isOpen: boolean;
  close(): void;
}
