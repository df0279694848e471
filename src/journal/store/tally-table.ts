import type BetterSqlite3 from "better-sqlite3";
import { CellCounts, type CountKind, Counts, type PlacedCounts, variantKey } from "../fold/tally.ts";
import type { Cell } from "../run-event.ts";

/** How many different names of a kind a cell has; what comes later is counted together, without a name. */
const MOST_NAMES: Partial<Record<CountKind, number>> = { path: 1000, reason: 50 };
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

type Values = (string | number | null)[];

type TallyStatements = Readonly<
  Record<"cell" | "add" | "increase" | "drop" | "names", BetterSqlite3.Statement<Values>>
>;

/** The counts of the conversations that have ended, kept up to date with every group that is written. */
export class TallyTable {
  readonly #database: BetterSqlite3.Database;
  /** What is to be added, by run. */
  readonly #pending = new Map<number, CellCounts>();
  /** Cells that are in the file for certain. */
  readonly #known = new Map<string, { readonly id: number; position: number }>();
  #prepared: TallyStatements | undefined;

  constructor(database: BetterSqlite3.Database) {
    this.#database = database;
  }

  /** Adds the counts of a conversation with the next group, or takes them away. */
  add(run: number, cell: Cell, counts: Counts, sign: 1 | -1 = 1): void {
    const cells = this.#pending.get(run) ?? new CellCounts();
    this.#pending.set(run, cells);
    cells.add(cell, counts, sign);
  }

  /** Writes what was added, within a transaction. */
  save(): void {
    for (const [run, cells] of this.#pending) {
      for (const [key, placed] of cells) {
        const cell = this.#cellId(run, key, placed);
        for (const entry of placed.counts.entries()) this.#addCount(cell, entry);
      }
    }
    this.#pending.clear();
  }

  /** Rows may have been removed. */
  forget(): void {
    this.#known.clear();
  }

  /** The counts of a run. */
  read(run: number): CellCounts {
    const cells = this.#database
      .prepare<[number], CellColumns>("SELECT * FROM cell WHERE run = ? ORDER BY position")
      .all(run);
    const rows = this.#database
      .prepare<[number], CountColumns>(
        `SELECT tally.cell, kind, name, value, count FROM cell JOIN tally ON tally.cell = cell.id WHERE run = ? ORDER BY tally.id`,
      )
      .all(run);
    const byCell = new Map<number, Counts>(cells.map(({ id }) => [id, new Counts()]));
    for (const { cell, kind, name, value, count } of rows) byCell.get(cell)?.add(kind, name, value, count);
    const counts = new CellCounts();
    for (const { id, scenario, subject, judge, variant, arm, position } of cells) {
      const place = {
        scenario,
        subject,
        judge,
        // Written by `#cellId`.
        ...(variant === "" ? {} : { variant: JSON.parse(variant) as Readonly<Record<string, string>> }),
        ...(arm === "" ? {} : { arm }),
        index: position,
      };
      counts.add(place, byCell.get(id) ?? new Counts());
    }
    return counts;
  }

  #cellId(run: number, key: string, { cell, position }: PlacedCounts): number {
    const known = this.#known.get(`${run} ${key}`);
    if (known !== undefined && known.position <= position) return known.id;
    const { scenario, subject, judge, variant, arm } = cell;
    const values = [run, scenario, subject, judge, variantKey(variant), arm ?? "", position];
    // `RETURNING` gives the row, new or not.
    const { id } = this.#sql.cell.get(...values) as { readonly id: number };
    this.#known.set(`${run} ${key}`, { id, position });
    return id;
  }

  #addCount(cell: number, [kind, name, value, count]: readonly [CountKind, string, string, number]): void {
    if (count === 0) return;
    const { add, increase, drop } = this.#sql;
    const most = MOST_NAMES[kind];
    if (most === undefined) add.run(cell, kind, name, value, count);
    else if (increase.run(count, cell, kind, name, value).changes === 0) {
      const isNamed =
        count > 0 && name.length + value.length <= LONGEST_NAME && this.#names(cell, kind) < most;
      const [other, otherValue] = isNamed ? [name, value] : otherName(kind, name, value);
      add.run(cell, kind, other, otherValue, count);
    }
    if (count < 0) drop.run(cell, kind);
  }

  #names(cell: number, kind: CountKind): number {
    return (this.#sql.names.get(cell, kind) as { readonly count: number }).count;
  }

  /** Prepared when something is written: a file of an earlier version that is only read has no such tables. */
  get #sql(): TallyStatements {
    this.#prepared ??= {
      cell: this.#database.prepare(
        `INSERT INTO cell (run, scenario, subject, judge, variant, arm, position) VALUES (?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET position = min(position, excluded.position) RETURNING id`,
      ),
      add: this.#database.prepare(
        `INSERT INTO tally (cell, kind, name, value, count) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (cell, kind, name, value) DO UPDATE SET count = count + excluded.count`,
      ),
      increase: this.#database.prepare(
        "UPDATE tally SET count = count + ? WHERE cell = ? AND kind = ? AND name = ? AND value = ?",
      ),
      drop: this.#database.prepare("DELETE FROM tally WHERE cell = ? AND kind = ? AND count = 0"),
      names: this.#database.prepare("SELECT count(*) AS count FROM tally WHERE cell = ? AND kind = ?"),
    };
    return this.#prepared;
  }
}

/** Where what has no place of its own is counted. */
function otherName(kind: CountKind, name: string, value: string): readonly [name: string, value: string] {
  if (kind !== "reason") return ["", ""];
  const [result] = JSON.parse(value) as readonly [string];
  return [name, JSON.stringify([result, null, ""])];
}
