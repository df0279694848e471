import type BetterSqlite3 from "better-sqlite3";
import { DEFAULTS } from "../../../core/defaults.ts";
import { isRecord } from "../../../core/values/json.ts";
import { retryWhileBusy, SqliteDatabase } from "./sqlite-database.ts";
import type { StoreOptions } from "./store.ts";
import { StoreError, storeError } from "./store-error.ts";
import { APPLICATION_ID, FORMAT_VERSION, MIGRATIONS, type Migration } from "./store-schema.ts";

/** SQLite blocks this thread while it waits, so it waits in small portions. */
const PORTION_MS = 50;

/** A reply of 2 kB shares a page with others. */
const PAGE_SIZE = 8192;

/** Some 16 MB of changes before they are copied into the file, and 32 MB of memory for what is looked at again and again. */
const WAL_PAGES = 2_000;
const CACHE_KIB = 32_000;

/** Opens a store's file, makes it if it is not there, and brings it to the format of this release. */
export async function openDatabase(path: string, options: StoreOptions = {}): Promise<SqliteDatabase> {
  const { resolve, dirname } = await import("node:path");
  const { mkdirSync } = await import("node:fs");
  const { default: Database } = await import("better-sqlite3");
  const { readOnly: isReadOnly = false, durable = false } = options;
  const { lockTimeoutMs = DEFAULTS.storeLockTimeoutMs } = options;
  const full = resolve(path);
  let database: BetterSqlite3.Database | undefined;
  try {
    if (!isReadOnly) mkdirSync(dirname(full), { recursive: true });
    inspectFile(full, isReadOnly);
    const opened = new Database(full, { readonly: isReadOnly, timeout: PORTION_MS });
    database = opened;
    // A new file, or one of an older format, cannot even be read while another process prepares it.
    retryWhileBusy(lockTimeoutMs, () => prepareDatabase({ database: opened, path: full, isReadOnly }));
    // Each group is flushed; else `GroupWriter` flushes once a second.
    if (durable && !isReadOnly) database.pragma("synchronous = FULL");
    return new SqliteDatabase(opened, { path: full, isDurable: durable, lockTimeoutMs });
  } catch (error) {
    database?.close();
    if (isReadOnly && needsCopy(error)) return openCopy(full, lockTimeoutMs);
    throw storeError(error, full);
  }
}

const IN_MEMORY = ":memory:";

/** Opens an empty database in memory. At once, which a file cannot be: SQLite is loaded without waiting. */
export function openMemoryDatabase(): SqliteDatabase {
  const load = process.getBuiltinModule("node:module").createRequire(import.meta.url);
  const Database = load("better-sqlite3") as typeof BetterSqlite3;
  const database = new Database(IN_MEMORY);
  prepareDatabase({ database, path: IN_MEMORY, isReadOnly: false });
  return new SqliteDatabase(database, { path: IN_MEMORY, isDurable: true, lockTimeoutMs: 0 });
}

/** A database that others may write needs a file beside it, which cannot be made on read-only media. */
function needsCopy(error: unknown): boolean {
  const code = isRecord(error) ? String(error.code) : "";
  return code.startsWith("SQLITE_CANTOPEN") || code.startsWith("SQLITE_READONLY");
}

/** Opens a copy of a file that cannot be read where it is. No process writes to such a file, so the copy stays right. */
async function openCopy(path: string, lockTimeoutMs: number): Promise<SqliteDatabase> {
  const { default: Database } = await import("better-sqlite3");
  const fs = process.getBuiltinModule("node:fs");
  const { tmpdir } = process.getBuiltinModule("node:os");
  const { join } = process.getBuiltinModule("node:path");
  // Only its owner can read it.
  const folder = fs.mkdtempSync(join(tmpdir(), "elenchus-read-"));
  let database: BetterSqlite3.Database | undefined;
  try {
    const copy = join(folder, "copy.db");
    fs.copyFileSync(path, copy);
    const log = fs.statSync(`${path}-wal`, { throwIfNoEntry: false });
    if (log?.isFile()) fs.copyFileSync(`${path}-wal`, `${copy}-wal`);
    fs.chmodSync(copy, 0o600);
    database = new Database(copy, { readonly: true, timeout: PORTION_MS });
    prepareDatabase({ database, path, isReadOnly: true });
    return new SqliteDatabase(database, { path, isDurable: false, lockTimeoutMs });
  } catch (error) {
    database?.close();
    throw storeError(error, path);
  } finally {
    // What is open stays readable; where a system does not allow it, the copy goes with other temporary files.
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

const MAGIC = "SQLite format 3\0";

/** Refuses what is not a store without opening it as a database: that alone could change it. */
function inspectFile(path: string, isReadOnly: boolean): void {
  const fs = process.getBuiltinModule("node:fs");
  const found = fs.statSync(path, { throwIfNoEntry: false });
  if (found === undefined) {
    if (!isReadOnly) return;
    throw new StoreError("missing", `There is no store at ${path}. Check the path, or run something first.`, {
      path,
    });
  }
  if (!found.isFile()) throw foreign(path, found.isDirectory() ? "it is a folder" : "it is not a file");
  const header = readHeader(path);
  // Made by another process a moment ago, and still empty, or not complete after a crash: SQLite repairs that itself.
  const isUnfinished = header.length === 0 || fs.existsSync(`${path}-journal`);
  if (!isUnfinished) {
    if (header.length < 100 || header.toString("latin1", 0, 16) !== MAGIC)
      throw foreign(path, "it is not a database");
    if (header.readInt32BE(68) !== APPLICATION_ID) throw foreign(path, "it is a database of another program");
    refuseNewer(header.readInt32BE(60), path);
  }
  if (!isReadOnly) fs.accessSync(path, fs.constants.W_OK);
}

function readHeader(path: string): Buffer {
  const fs = process.getBuiltinModule("node:fs");
  const file = fs.openSync(path, "r");
  try {
    const header = Buffer.alloc(100);
    return header.subarray(0, fs.readSync(file, header, 0, 100, 0));
  } finally {
    fs.closeSync(file);
  }
}

/** What runs SQL of whoever made the file as soon as a table is read or written, perhaps without end. */
const COMPUTING = "SELECT type || ' ' || name FROM sqlite_schema WHERE type IN ('view', 'trigger') LIMIT 1";

/** Each step may be made again. */
function prepareDatabase({
  database,
  path,
  isReadOnly,
}: {
  readonly database: BetterSqlite3.Database;
  readonly path: string;
  readonly isReadOnly: boolean;
}): void {
  const pragma = (name: string): number => database.pragma(name, { simple: true }) as number;
  // Before anything of it is used: the file may come from elsewhere.
  database.pragma("trusted_schema = OFF");
  const strange = pragma("user_version") === 0 ? undefined : database.prepare(COMPUTING).pluck().get();
  if (strange !== undefined) throw foreign(path, `its ${String(strange)} would run SQL`);
  if (!isReadOnly) {
    database.pragma(`page_size = ${PAGE_SIZE}`);
    migrate(database, path);
    // The header is in the file itself by now, where `inspectFile` finds it.
    database.pragma("journal_mode = WAL");
    database.pragma("synchronous = NORMAL");
    // Pages that change with every group are copied into the file now and then, not after each few groups.
    database.pragma(`wal_autocheckpoint = ${WAL_PAGES}`);
  }
  database.pragma(`cache_size = -${CACHE_KIB}`);
  refuseNewer(pragma("user_version"), path);
  if (pragma("application_id") !== APPLICATION_ID) throw foreign(path, "it is empty");
  if (pragma("user_version") < FORMAT_VERSION) {
    const advice = "Open it once for writing, and it is brought up to date.";
    throw new StoreError("read_only", `The store ${path} has an older format. ${advice}`, { path });
  }
  database.pragma("foreign_keys = ON");
}

/** Brings a file to the latest format, all steps or none. */
export function migrate(
  database: BetterSqlite3.Database,
  path: string,
  steps: readonly Migration[] = MIGRATIONS,
): void {
  const version = (): number => database.pragma("user_version", { simple: true }) as number;
  const latest = Math.max(...steps.map((step) => step.version));
  if (version() === latest) return;
  const apply = database.transaction(() => {
    // Another process may have done it meanwhile.
    refuseNewer(version(), path, latest);
    if (version() === 0 && database.prepare("SELECT 1 FROM sqlite_schema").get() !== undefined)
      throw foreign(path, "it is a database of another program");
    for (const step of steps) {
      if (step.version <= version()) continue;
      database.exec(step.sql);
      database.pragma(`user_version = ${step.version}`);
    }
    database.pragma(`application_id = ${APPLICATION_ID}`);
  });
  apply.immediate();
}

function refuseNewer(version: number, path: string, latest: number = FORMAT_VERSION): void {
  if (version <= latest) return;
  throw new StoreError(
    "newer_format",
    `The store ${path} has format ${version}, and this release knows formats up to ${latest}. Use a newer release of elenchus.`,
    { path },
  );
}

function foreign(path: string, problem: string): StoreError {
  return new StoreError(
    "not_a_store",
    `${path} is not a store: ${problem}. Nothing was changed; choose another path.`,
    { path },
  );
}
