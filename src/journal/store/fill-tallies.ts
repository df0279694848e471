import { foldConversation } from "../fold/conversation.ts";
import { conversationCounts } from "../fold/tally.ts";
import type { GroupRows } from "./group.ts";
import type { SqlDatabase } from "./sql-database.ts";
import { StoreReader } from "./store-reader.ts";
import { TallyTable } from "./tally-table.ts";
import { TextTable } from "./text-table.ts";

/** How many conversations are counted before the counts are written. */
const AT_ONCE = 1000;

/** Counts the conversations of a file that was written by an earlier version, within a transaction. */
export function fillTallies(database: SqlDatabase, rows: GroupRows): void {
  const reader = new StoreReader(database, new TextTable(database));
  const tallies = new TallyTable(database);
  let waiting = 0;
  const runs = database.all<{ id: number; name: string }>("SELECT id, name FROM run");
  for (const { id, name } of runs) {
    for (const { conversation, status } of reader.conversations(name)) {
      if (status === null) continue;
      const folded = foldConversation(reader.events(name, conversation));
      tallies.add(id, folded.cell, conversationCounts(folded));
      if (++waiting % AT_ONCE === 0) tallies.save(rows);
    }
  }
  tallies.save(rows);
}
