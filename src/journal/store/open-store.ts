import { DEFAULTS } from "../../core/defaults.ts";
import { openDatabase } from "./open-database.ts";
import { SqliteStore } from "./sqlite-store.ts";
import type { Store, StoreOptions } from "./store.ts";
import { storeError } from "./store-error.ts";

/**
 * Opens the store in a file; the file and its folder are made if they are not there. Several processes may use it at once.
 * Throws `StoreError`, and leaves the file as it is, if it is not a store that this release can use.
 */
export async function openStore(
  path: string = DEFAULTS.storePath,
  options: StoreOptions = {},
): Promise<Store> {
  const open = await openDatabase(path, options);
  try {
    return new SqliteStore(open);
  } catch (error) {
    open.database.close();
    throw storeError(error, open.path);
  }
}
