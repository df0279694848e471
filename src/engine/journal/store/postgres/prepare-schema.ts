import { StoreError } from "../store-error.ts";
import type { PostgresConnection } from "./postgres-connection.ts";
import { POSTGRES_MIGRATIONS, POSTGRES_VERSION, type PostgresMigration } from "./postgres-schema.ts";
import type { ThreadData } from "./thread-messages.ts";

/** Names what is locked while a format is changed. */
const MIGRATION_LOCKS = 0x456c6572;

/** Brings a store on a server to the format of this release, and refuses what it cannot use. */
export async function prepareSchema(
  connection: PostgresConnection,
  { schema, shown, isReadOnly }: Pick<ThreadData, "schema" | "shown" | "isReadOnly">,
  steps: readonly PostgresMigration[] = POSTGRES_MIGRATIONS,
): Promise<void> {
  const latest = Math.max(...steps.map(({ version }) => version));
  const found = await versionOf(connection, schema);
  refuseNewer(found, shown, latest);
  if (found === latest) return;
  if (isReadOnly) {
    if (found === 0)
      throw new StoreError(
        "missing",
        `There is no store at ${shown}. Check the address, or run something first.`,
        { path: shown },
      );
    const advice = "A run or a worker of this release brings it up to date: start one.";
    throw new StoreError("older_format", `The store ${shown} has an older format. ${advice}`, {
      path: shown,
    });
  }
  await connection.exec("BEGIN");
  try {
    // One process changes the format; others wait, and find it changed.
    await connection.query("SELECT pg_advisory_xact_lock($1::int, hashtext($2))", [MIGRATION_LOCKS, schema]);
    const name = `"${schema.replaceAll('"', '""')}"`;
    if (!(await hasSchema(connection, schema))) await connection.exec(`CREATE SCHEMA ${name}`);
    const version = await versionOf(connection, schema);
    refuseNewer(version, shown, latest);
    if (version === 0 && (await hasTables(connection, schema)))
      throw new StoreError(
        "not_a_store",
        `The schema ${schema} of ${shown} contains tables of another program. Nothing was changed; choose another with ?schema=.`,
        { path: shown },
      );
    if (version === 0) await connection.exec("CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)");
    for (const step of steps) if (step.version > version) await connection.exec(step.sql);
    await connection.query(
      "INSERT INTO meta (key, value) VALUES ('format', $1) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
      [String(latest)],
    );
    await connection.exec("COMMIT");
  } catch (error) {
    await connection.exec("ROLLBACK").catch(() => {});
    throw error;
  }
}

async function versionOf(connection: PostgresConnection, schema: string): Promise<number> {
  if (!(await hasTables(connection, schema, "meta"))) return 0;
  const { rows } = await connection.query("SELECT value FROM meta WHERE key = 'format'");
  return Number(rows[0]?.[0] ?? 0);
}

async function hasSchema(connection: PostgresConnection, schema: string): Promise<boolean> {
  return (await connection.query("SELECT 1 FROM pg_namespace WHERE nspname = $1", [schema])).rows.length > 0;
}

async function hasTables(connection: PostgresConnection, schema: string, name?: string): Promise<boolean> {
  const { rows } = await connection.query(
    `SELECT 1 FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
     WHERE nspname = $1 AND relkind = 'r' AND relname = coalesce($2, relname) LIMIT 1`,
    [schema, name ?? null],
  );
  return rows.length > 0;
}

function refuseNewer(version: number, path: string, latest: number = POSTGRES_VERSION): void {
  if (version <= latest) return;
  throw new StoreError(
    "newer_format",
    `The store ${path} has format ${version}, and this release knows formats up to ${latest}. Use a newer release of elenchus.`,
    { path },
  );
}
