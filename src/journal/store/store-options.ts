/** How a store's file is opened. */
export interface StoreOptions {
  /** True to read only; the file must then be there (default false). */
  readonly readOnly?: boolean;
  /** How long to wait for another process that is writing (default 10,000). */
  readonly lockTimeoutMs?: number;
}
