import { CellCounts, type CountKind, Counts } from "../fold/tally.ts";
import type { SqliteDatabase } from "./sqlite-database.ts";

/** How many different names of a kind a cell has; what comes later is counted together, without a name. */
export const MOST_NAMES: Partial<Record<CountKind, number>> = { path: 1000, reason: 50 };
const LONGEST_NAME = 4000;

interface CountColumns {
  readonly cell: number;
  readonly kind: CountKind;
  readonly name: string;
  readonly value: string;
  readonly count: number;
}

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
  const rows = database.all<CountColumns>(
    `SELECT tally.cell, kind, name, value, count FROM cell JOIN tally ON tally.cell = cell.id WHERE run = ? ORDER BY tally.id`,
    run,
  );
  const byCell = new Map<number, Counts>(cells.map(({ id }) => [id, new Counts()]));
  for (const { cell, kind, name, value, count } of rows) byCell.get(cell)?.add(kind, name, value, count);
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

/** True of a name that a tally keeps as it is. */
export function isShortName(name: string, value: string): boolean {
  return name.length + value.length <= LONGEST_NAME;
}

/** Where what has no place of its own is counted. */
export function otherName(
  kind: CountKind,
  name: string,
  value: string,
): readonly [name: string, value: string] {
  if (kind !== "reason") return ["", ""];
  const [result] = JSON.parse(value) as readonly [string];
  return [name, JSON.stringify([result, null, ""])];
}
