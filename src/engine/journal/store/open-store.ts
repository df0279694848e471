import { DEFAULTS } from "../../../core/defaults.ts";
import { openDatabase } from "./open-database.ts";
import { isPostgresAddress } from "./postgres/postgres-address.ts";
import { SqlStore } from "./sql-store.ts";
import type { Store, StoreOptions } from "./store.ts";

/**
 * Opens the store in a file; the file and its folder are made if they are not there. Several processes may use it at once.
 * Throws `StoreError`, and leaves the file as it is, if it is not a store that this release can use.
 */
export async function openStore(
  path: string = DEFAULTS.storePath,
  options: StoreOptions = {},
): Promise<Store> {
  if (isPostgresAddress(path)) {
    const { ServerStore } = await import("./postgres/server-store.ts");
    return ServerStore.open(path, options);
  }
  return new SqlStore(await openDatabase(path, options));
}
