import type BetterSqlite3 from "better-sqlite3";
import type { RecordedCall } from "../../models/cassette/recorded-call.ts";

/** A call with its settings. */
export interface CallColumns {
  readonly identity: string | Buffer;
  readonly purpose: RecordedCall["purpose"];
  readonly messages: number | null;
  readonly replicate: number;
  readonly seed: number;
  readonly reply: string;
  readonly settings: string;
}

type Key = string | Buffer;

/** What calls are read and written with. */
export interface CallStatements {
  readonly count: BetterSqlite3.Statement<[], number>;
  readonly reply: BetterSqlite3.Statement<[Key], string>;
  readonly callByIdentity: BetterSqlite3.Statement<[Key], CallColumns>;
  readonly callById: BetterSqlite3.Statement<[number], CallColumns>;
  /** The messages of a list, the last one first. */
  readonly chain: BetterSqlite3.Statement<[number], string>;
  readonly settingId: BetterSqlite3.Statement<[string], number>;
  readonly insertSetting: BetterSqlite3.Statement<[string, string, string]>;
  readonly messageId: BetterSqlite3.Statement<[string], number>;
  readonly insertMessage: BetterSqlite3.Statement<[string, number | null, string]>;
  readonly insert: BetterSqlite3.Statement<unknown[]>;
  readonly replace: BetterSqlite3.Statement<unknown[]>;
  readonly markUnused: BetterSqlite3.Statement<[]>;
}

const CALL = `SELECT identity, purpose, messages, replicate, seed, reply, setting.data AS settings
  FROM call JOIN setting ON setting.id = call.setting`;

/** Prepares the statements. */
export function callStatements(database: BetterSqlite3.Database): CallStatements {
  return {
    count: database.prepare<[], number>("SELECT count(*) FROM call").pluck(),
    reply: database.prepare<[string | Buffer], string>("SELECT reply FROM call WHERE identity = ?").pluck(),
    callByIdentity: database.prepare<[string | Buffer], CallColumns>(`${CALL} WHERE identity = ?`),
    callById: database.prepare<[number], CallColumns>(`${CALL} WHERE call.id = ?`),
    chain: database
      .prepare<[number], string>(
        `WITH RECURSIVE chain (previous, data, step) AS (
           SELECT previous, data, 0 FROM message WHERE id = ?
           UNION ALL
           SELECT message.previous, message.data, step + 1 FROM chain JOIN message ON message.id = chain.previous)
         SELECT data FROM chain ORDER BY step`,
      )
      .pluck(),
    settingId: database.prepare<[string], number>("SELECT id FROM setting WHERE hash = ?").pluck(),
    insertSetting: database.prepare("INSERT INTO setting (hash, name, data) VALUES (?, ?, ?)"),
    messageId: database.prepare<[string], number>("SELECT id FROM message WHERE hash = ?").pluck(),
    insertMessage: database.prepare("INSERT INTO message (hash, previous, data) VALUES (?, ?, ?)"),
    insert: database.prepare(
      `INSERT INTO call (identity, purpose, setting, messages, replicate, seed, reply, kept_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (identity) DO NOTHING`,
    ),
    replace: database.prepare(
      `UPDATE call SET purpose = ?, setting = ?, messages = ?, replicate = ?, seed = ?, reply = ?, kept_at = ?
       WHERE identity = ?`,
    ),
    markUnused: database.prepare(
      "INSERT INTO meta (key, value) VALUES ('unused', 1) ON CONFLICT DO UPDATE SET value = 1",
    ),
  };
}

/** The key of a call: a hash takes half the space as bytes. */
export function identityKey(identity: string): Key {
  return /^[0-9a-f]{64}$/.test(identity) ? Buffer.from(identity, "hex") : identity;
}
