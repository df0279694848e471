import { CellCounts, type CountKind, Counts, variantKey } from "../fold/tally.ts";
import type { SqliteDatabase } from "./sqlite-database.ts";

/** How many different paths a cell has; what comes later is counted together, without a name. */
const MOST_PATHS = 1000;
const LONGEST_PATH = 4000;

type CountRow = readonly [cell: number, kind: CountKind, name: string, value: string, count: number];

interface CellColumns {
  readonly id: number;
  readonly scenario: string;
  readonly subject: string;
  readonly judge: string;
  readonly variant: string;
  readonly arm: string;
  readonly position: number;
}

/** The counts of a run. */
export function readTallies(database: SqliteDatabase, run: number): CellCounts {
  const cells = database.all<CellColumns>("SELECT * FROM cell WHERE run = ? ORDER BY position", run);
  const rows = database.raw<CountRow>(
    `SELECT tally.cell, kind, name, value, count FROM cell JOIN tally ON tally.cell = cell.id WHERE run = ? ORDER BY tally.id`,
    run,
  );
  const byCell = new Map<number, Counts>(cells.map(({ id }) => [id, new Counts()]));
  for (const [cell, ...entry] of rows) byCell.get(cell)?.add(...entry);
  const counts = new CellCounts();
  for (const { id, scenario, subject, judge, variant, arm, position } of cells) {
    const place = {
      scenario,
      subject,
      judge,
      // Written by `variantKey`.
      ...(variant === "" ? {} : { variant: JSON.parse(variant) as Readonly<Record<string, string>> }),
      ...(arm === "" ? {} : { arm }),
      index: position,
    };
    counts.add(place, byCell.get(id) ?? new Counts());
  }
  return counts;
}

/** Adds to the counts of a run, within a transaction. */
export function addCounts(database: SqliteDatabase, run: number, cells: CellCounts): void {
  for (const [, { cell, position, counts }] of cells) {
    const { scenario, subject, judge, variant, arm } = cell;
    const values = [run, scenario, subject, judge, variantKey(variant), arm ?? "", position];
    // `RETURNING` gives the row, new or not.
    const id = database.value<number>(CELL, ...values) as number;
    for (const [kind, name, value, count] of counts.entries())
      if (count !== 0) addCount(database, [id, kind, name, value, count]);
  }
}

function addCount(database: SqliteDatabase, [cell, kind, name, value, count]: CountRow): void {
  if (kind !== "path") database.run(ADD, cell, kind, name, value, count);
  else if (database.run(INCREASE, count, cell, kind, name, value).changes === 0) {
    const isNamed =
      count > 0 && name.length <= LONGEST_PATH && (database.value<number>(PATHS, cell) ?? 0) < MOST_PATHS;
    database.run(ADD, cell, kind, isNamed ? name : "", value, count);
  }
  if (count < 0) database.run("DELETE FROM tally WHERE cell = ? AND kind = ? AND count = 0", cell, kind);
}

const CELL = `INSERT INTO cell (run, scenario, subject, judge, variant, arm, position) VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET position = min(position, excluded.position) RETURNING id`;
const ADD = `INSERT INTO tally (cell, kind, name, value, count) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (cell, kind, name, value) DO UPDATE SET count = count + excluded.count`;
const INCREASE = "UPDATE tally SET count = count + ? WHERE cell = ? AND kind = ? AND name = ? AND value = ?";
const PATHS = "SELECT count(*) FROM tally WHERE cell = ? AND kind = 'path'";
