import type { Store } from "../../journal/store/store.ts";

/** A store to be tested. */
export interface StoreHarness {
  readonly store: Store;
  /** Closes it and opens it again; left out if what it holds ends with it. */
  readonly reopen?: () => Promise<Store>;
  dispose(): Promise<void>;
}

/** A case of the contract; `run` throws if the store breaks it. */
export interface StoreCase {
  readonly name: string;
  run(): Promise<void>;
}

/** What a store must do. */
export interface StoreRule {
  readonly name: string;
  /** True if it needs a store that can be opened again. */
  readonly reopens?: boolean;
  readonly check: (harness: StoreHarness) => Promise<void>;
}
