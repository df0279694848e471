import { openMemoryDatabase } from "./open-database.ts";
import { SqlStore } from "./sql-store.ts";
import type { Store } from "./store.ts";

/** A store that lives as long as the process: for tests, and for runs that are not looked at again. */
export function memoryStore(): Store {
  return new SqlStore(openMemoryDatabase());
}
