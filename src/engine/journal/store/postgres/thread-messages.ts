import type { MessagePort } from "node:worker_threads";
import type { SqlValue } from "../sql-database.ts";

/** A statement of a group, with its rows as JSON. */
export interface GroupStep {
  readonly sql: string;
  readonly json: string;
  /** How many rows it changes, unless the run was deleted. */
  readonly expected?: number;
}

/** The rows of a group. */
export interface GroupData {
  readonly texts: readonly (readonly [hash: string, value: string])[];
  readonly steps: readonly GroupStep[];
}

/** What the thread of a store is asked to do. It does so in order. */
export type ThreadRequest =
  /** Writes a group in a transaction of its own. */
  | ({ readonly kind: "group"; readonly id: number } & GroupData)
  /** Begins a transaction in which queries follow. */
  | { readonly kind: "begin"; readonly id: number }
  | {
      readonly kind: "query";
      readonly id: number;
      readonly sql: string;
      readonly values: readonly SqlValue[];
      /** True within a transaction: if the connection is lost, it is lost, too. */
      readonly isWithin: boolean;
    }
  /** Writes the rest of a transaction, and ends it. */
  | ({ readonly kind: "commit"; readonly id: number } & GroupData)
  | { readonly kind: "rollback"; readonly id: number }
  /** These do not wait for what was asked before. */
  | { readonly kind: "find"; readonly id: number; readonly identity: string; readonly run: number | null }
  | { readonly kind: "claim" | "release"; readonly id: number; readonly identity: string }
  | { readonly kind: "close"; readonly id: number };

/** A reply as it is stored, with the texts that it refers to. */
export interface FoundReply {
  readonly json: string;
  readonly texts: readonly (readonly [hash: string, value: string])[];
}

/** Why something could not be done. */
export interface ThreadProblem {
  /** Of PostgreSQL or of Node. */
  readonly code: string;
  readonly message: string;
  /** True if the connection was lost and a transaction with it: it may be tried again. */
  readonly isLost?: boolean;
}

/** What the thread answers. */
export interface ThreadReply {
  readonly id: number;
  readonly problem?: ThreadProblem;
  readonly columns?: readonly string[];
  readonly rows?: readonly (readonly unknown[])[];
  /** The rows as JSON, where that can hold them: as a text they come here in half the time. */
  readonly json?: string;
  readonly changed?: number;
  readonly found?: FoundReply | undefined;
  /** How often texts were removed from the store, as far as the thread knows. */
  readonly removals?: string;
}

/** What the thread is started with. */
export interface ThreadData {
  /** The address with its password. */
  readonly connection: string;
  readonly schema: string;
  readonly shown: string;
  readonly isReadOnly: boolean;
  /** Where requests come from and answers go. */
  readonly port: MessagePort;
  /** Counts messages of the thread, so that the program can wait for one. */
  readonly signal: SharedArrayBuffer;
}

/** The first message of the thread. */
export type ThreadStart =
  | { readonly writer: number; readonly removals: string }
  | { readonly problem: ThreadProblem }
  | { readonly error: { readonly code: string; readonly message: string } };
