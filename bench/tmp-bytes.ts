import { rmSync, statSync } from "node:fs";
import Database from "better-sqlite3";
import { fillLongConversation } from "./tmp-store.ts";

const path = "/dev/shm/st/long400.db";
for (const end of ["", "-wal", "-shm"]) rmSync(path + end, { force: true });
await fillLongConversation(path);
const db = new Database(path, { readonly: true });
console.log(
  statSync(path).size,
  db.pragma("page_count", { simple: true }),
  db.pragma("freelist_count", { simple: true }),
);
for (const row of db
  .prepare(
    "SELECT name, count(*) pages, sum(ncell) cells, sum(payload) payload, sum(unused) unused, sum(pgsize) bytes FROM dbstat GROUP BY name ORDER BY bytes DESC",
  )
  .all() as any[])
  console.log(row.name.padEnd(36), row.pages, row.cells, row.payload, row.unused);
