import { openDatabase } from "../open-database.ts";
import { SqlStore } from "../sql-store.ts";
import type { SqliteDatabase } from "../sqlite-database.ts";

/** A kept copy that nobody has used for this long is removed. */
const KEPT_MS = 30 * 24 * 3_600_000;

/**
 * A copy of a store on a server, in a file of this process that only its user can read. It begins with what an earlier process has
 * kept, and a file is kept only as a whole: so no two processes share one, and one that is killed leaves nothing half.
 */
export class LocalCopy {
  readonly store: SqlStore;
  readonly file: string;
  /** How far an earlier process has read; undefined if nothing was kept. */
  readonly state: string | undefined;
  readonly #database: SqliteDatabase;
  readonly #remove: () => void;

  private constructor(file: string, database: SqliteDatabase, remove: () => void) {
    this.file = file;
    this.#database = database;
    this.#remove = remove;
    this.state = database.value<string>("SELECT value FROM meta WHERE key = 'server'");
    this.store = new SqlStore(database);
  }

  /** Makes a copy; with the id of a store, from what was kept of it. */
  static async open(id?: string): Promise<LocalCopy> {
    const { mkdtempSync, rmSync, existsSync, copyFileSync, constants } = process.getBuiltinModule("node:fs");
    const { join } = process.getBuiltinModule("node:path");
    const folder = mkdtempSync(join(process.getBuiltinModule("node:os").tmpdir(), "elenchus-server-"));
    const file = join(folder, "copy.db");
    const remove = (): void => {
      process.off("exit", remove);
      rmSync(folder, { recursive: true, force: true });
    };
    process.once("exit", remove);
    const open = async (): Promise<LocalCopy> => new LocalCopy(file, await openDatabase(file), remove);
    if (id === undefined || !existsSync(keptFile(id))) return open();
    try {
      copyFileSync(keptFile(id), file, constants.COPYFILE_FICLONE);
      return await open();
    } catch {
      // Of another release, or damaged: everything is read again.
      rmSync(file, { force: true });
      return open();
    }
  }

  /** Closes the copy and keeps it for the next process, with how far it was read. */
  keep(id: string, state: string): void {
    const fs = process.getBuiltinModule("node:fs");
    const { dirname, join } = process.getBuiltinModule("node:path");
    const kept = keptFile(id);
    try {
      const sql =
        "INSERT INTO meta VALUES ('server', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value";
      this.#database.run(sql, state);
      // No process writes these runs here any more.
      this.#database.run("UPDATE run SET writer = NULL");
      this.store.close();
      fs.mkdirSync(dirname(kept), { recursive: true, mode: 0o700 });
      const next = `${kept}.${process.pid}`;
      fs.copyFileSync(this.file, next, fs.constants.COPYFILE_FICLONE);
      fs.chmodSync(next, 0o600);
      fs.renameSync(next, kept);
      for (const name of fs.readdirSync(dirname(kept))) {
        const other = join(dirname(kept), name);
        if (/\.db(?:\.\d+)?$/.test(name) && Date.now() - fs.statSync(other).mtimeMs > KEPT_MS)
          fs.rmSync(other);
      }
    } catch {
      // What cannot be kept is read again.
    }
  }

  /** Closes and removes the copy. */
  remove(): void {
    this.store.close();
    this.#remove();
  }
}

function keptFile(id: string): string {
  const { join } = process.getBuiltinModule("node:path");
  const caches = process.env.XDG_CACHE_HOME || join(process.getBuiltinModule("node:os").homedir(), ".cache");
  return join(caches, "elenchus", `${id}.db`);
}
