import type BetterSqlite3 from "better-sqlite3";
import { canonicalJson } from "../../core/values/json.ts";
import { frozenMessage, type MessageLink, SeenMessages } from "../../models/cassette/message-tree.ts";
import type { Message } from "../../models/message.ts";
import { textHash } from "./text-codec.ts";

/** A list of at least one message, as its last message and the list before it. */
export interface ChainLink extends MessageLink {
  readonly message: Message;
  readonly previous: ChainLink | null;
}

/** Lists of messages as chains, as rows of a database keep them. */
export class MessageChains {
  readonly #seen = new SeenMessages<ChainLink>();

  /** The last link of a list; null for no messages. */
  linkOf(messages: readonly Message[]): ChainLink | null {
    let link = this.#seen.knownStart(messages) ?? null;
    for (let index = link?.length ?? 0; index < messages.length; index++)
      link = this.#append(link, messages[index] as Message);
    return link;
  }

  #append(previous: ChainLink | null, message: Message): ChainLink {
    const kept = frozenMessage(message);
    const hash = textHash(`${previous?.hash ?? ""}${canonicalJson(kept)}`);
    const link = { hash, message: kept, previous, length: (previous?.length ?? 0) + 1 };
    this.#seen.note(kept, link);
    return link;
  }
}

/** What calls are compared with. */
export interface NearTo {
  readonly link: ChainLink | null;
  /** The model's name. */
  readonly name: string;
  readonly limit: number;
}

/** How far towards its beginning a list is followed. */
const MOST_BEGINNINGS = 500;

/** The rows of calls that are most like one: the same beginning of messages first, then the same model, then any. */
export function nearCalls(
  database: BetterSqlite3.Database,
  { link, name, limit }: NearTo,
): readonly number[] {
  const near = new Set<number>();
  const add = (ids: readonly number[]): void => {
    for (const id of ids) if (near.size < limit) near.add(id);
  };
  const start = longestKnown(database, link);
  if (start !== null) {
    // What goes on from the common beginning, and then what ends on the way to it.
    add(database.prepare<[number, number], number>(AFTER).pluck().all(start, limit));
    add(
      database.prepare<[number, number, number], number>(BEFORE).pluck().all(start, MOST_BEGINNINGS, limit),
    );
  }
  if (near.size < limit) add(database.prepare<[string, number], number>(SAME_MODEL).pluck().all(name, limit));
  if (near.size < limit) add(database.prepare<[number], number>(ANY).pluck().all(limit));
  return [...near];
}

function longestKnown(database: BetterSqlite3.Database, last: ChainLink | null): number | null {
  const find = database.prepare<[string], number>("SELECT id FROM message WHERE hash = ?").pluck();
  for (let link = last; link !== null; link = link.previous) {
    const id = find.get(link.hash);
    if (id !== undefined) return id;
  }
  return null;
}

const AFTER = `
WITH RECURSIVE after (id) AS (
  SELECT ? UNION ALL SELECT message.id FROM after JOIN message ON message.previous = after.id)
SELECT call.id FROM after JOIN call ON call.messages = after.id LIMIT ?`;

const BEFORE = `
WITH RECURSIVE before (id, step) AS (
  SELECT ?, 0
  UNION ALL
  SELECT message.previous, step + 1 FROM before JOIN message ON message.id = before.id
  WHERE message.previous IS NOT NULL AND step < ?)
SELECT call.id FROM before JOIN call ON call.messages = before.id LIMIT ?`;

const SAME_MODEL = `
SELECT call.id FROM setting JOIN call ON call.setting = setting.id WHERE setting.name = ? ORDER BY call.id DESC LIMIT ?`;

const ANY = "SELECT id FROM call ORDER BY id DESC LIMIT ?";
