import type { ConversationStatus } from "../../../core/state/state.ts";
import type { TurnVerdict } from "../turn.ts";
import {
  allOf,
  type BrowseConditions,
  browseConditions,
  isIndexed,
  isSorted,
  piecesOf,
  rowOf,
  VERDICT_COLUMNS,
} from "./browse-conditions.ts";
import type {
  BrowsedConversation,
  BrowsedPage,
  BrowsedPair,
  BrowsedTurn,
  BrowseFilter,
  FoundRows,
  FoundTurn,
  PairFilter,
  PlaceInRun,
} from "./browsed-run.ts";
import { SORT_KEYS, together } from "./browsed-run.ts";
import type { ConversationColumns, OutcomeColumns } from "./conversation-columns.ts";
import { conversationKey } from "./encode-event.ts";
import { openSqlDatabase } from "./open-store.ts";
import type { SqlDatabase } from "./sql-database.ts";
import { storeError } from "./store-error.ts";

interface PairColumns {
  readonly one: number;
  readonly other: number;
  readonly position: number;
}

/** How conversations end early; a type says if one is missing. */
const CUT_SHORT: readonly string[] = Object.keys({
  timeout: true,
  budget_exhausted: true,
  cancelled: true,
  error: true,
  simulator_fault: true,
  record_mismatch: true,
} satisfies Record<Exclude<ConversationStatus, "completed" | "limit_reached">, true>);

/** With so many subjects, the same item of others is chosen from a list. */
const MOST_SIBLINGS = 100;

type Value = string | number | null;

/** How a store is looked at. */
export interface BrowseOptions {
  /** So many conversations are looked at for one page (default 5,000); where it is not full by then, the next one begins there. */
  readonly lookedAt?: number;
}

/** Where nothing is looked for by ids. */
const NO_RANGE = [0, 0] as const;

/** Reads a store in pages, for people who look at runs of any size. It never writes. */
export class RunBrowser {
  readonly path: string;
  readonly #database: SqlDatabase;
  readonly #lookedAt: number;

  constructor(database: SqlDatabase, { lookedAt = 5_000 }: BrowseOptions = {}) {
    this.#database = database;
    this.#lookedAt = lookedAt;
    this.path = database.path;
  }

  /** True while a process writes the run. */
  isBeingWritten(run: string): boolean {
    const [found] = this.#all<{ writer: string | null }>("SELECT writer FROM run WHERE name = ?", run);
    if (found === undefined || found.writer === null) return false;
    const { writer } = found;
    return this.#guarded(
      () => this.#database.otherWriter(writer) !== null || this.#database.isThisWriter(writer),
    );
  }

  /** Changes with everything that is written by another connection. */
  version(): number {
    return this.#guarded(() => this.#database.version());
  }

  page(
    run: string,
    filter: BrowseFilter = {},
    { after, limit }: { readonly after?: PlaceInRun | undefined; readonly limit: number } = { limit: 100 },
  ): BrowsedPage {
    const id = this.#idOf(run);
    if (id === undefined) return { conversations: [], next: null };
    const { rows, end } = this.#rows(id, filter, { after, limit: limit + 1 });
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    const { valueIn } = SORT_KEYS[filter.sort ?? "position"];
    const next = rows.length > limit && last !== undefined ? { position: valueIn(last), id: last.id } : end;
    return { conversations: this.#withTurns(shown), next };
  }

  /** The first conversations after a place. */
  #rows(
    run: number,
    filter: BrowseFilter,
    { after, limit }: { readonly after: PlaceInRun | undefined; readonly limit: number },
  ): FoundRows {
    const { isReversed = false, sort = "position", start } = filter;
    if (filter.status === "cut_short") {
      // Each status by itself: the index has each in order, but not all of them together.
      const found = CUT_SHORT.map((status) => this.#rows(run, { ...filter, status }, { after, limit }));
      return together(found, filter, limit);
    }
    // Few are sorted, wherever they are.
    const isFew = start !== undefined || (sort !== "position" && filter.isFew === true);
    const end = isFew || isIndexed(filter) ? null : this.#placeAfter(run, filter, after);
    const off = isFew ? this.#database.dialect.unindexed : (column: string): string => column;
    const place = { key: off(SORT_KEYS[sort].key), id: off("id") };
    const asked = this.#conditions(filter, start === undefined ? NO_RANGE : this.#idRange(run));
    const rows: ConversationColumns[] = [];
    for (const piece of piecesOf({ after, end, isReversed }, place)) {
      if (rows.length === limit) break;
      const found = this.#all<ConversationColumns>(
        `SELECT * FROM conversation WHERE ${start === undefined ? "run" : off("run")} = ? ${allOf([piece, asked])}
         ${sort === "position" ? "" : "AND status IS NOT NULL"}
         ORDER BY ${piece.order} LIMIT ?`,
        ...[run, ...piece.values, ...asked.values, limit - rows.length],
      );
      rows.push(...found);
    }
    return { rows, end: rows.length < limit ? end : null };
  }

  /** Where a page ends that is not full after so many conversations; null if there are not so many. */
  #placeAfter(run: number, filter: BrowseFilter, after: PlaceInRun | undefined): PlaceInRun | null {
    const { isReversed = false, sort = "position", walk } = filter;
    const { key } = SORT_KEYS[sort];
    const walked = walk === undefined || isSorted(filter) ? {} : { walk, [walk]: filter[walk] };
    const asked = this.#conditions(walked, NO_RANGE);
    let left = this.#lookedAt;
    for (const piece of piecesOf({ after, isReversed }, { key })) {
      const sql = `SELECT ${key} AS position, id FROM conversation WHERE run = ? ${allOf([piece, asked])}
        ${sort === "position" ? "" : "AND status IS NOT NULL"} ORDER BY ${piece.order}`;
      const values = [run, ...piece.values, ...asked.values];
      const [found] = this.#all<PlaceInRun>(`${sql} LIMIT 1 OFFSET ?`, ...values, left - 1);
      if (found !== undefined) return found;
      const [passed] = this.#all<{ count: number }>(
        `SELECT count(*) AS count FROM (${sql}) AS passed`,
        ...values,
      );
      left -= passed?.count ?? 0;
    }
    return null;
  }

  #conditions(filter: BrowseFilter, range: readonly [number, number]): BrowseConditions {
    return this.#guarded(() => browseConditions(this.#database, filter, range));
  }

  /** The ids of the conversations of a run, which are near each other. */
  #idRange(run: number): readonly [first: number, last: number] {
    const at = (direction: string): number =>
      this.#all<{ id: number }>(
        `SELECT id FROM conversation WHERE run = ? ORDER BY id ${direction} LIMIT 1`,
        run,
      )[0]?.id ?? 0;
    return [at("ASC"), at("DESC")];
  }

  /** The columns of the rows of a scenario by which results can be grouped, as its first conversations have them. */
  rowColumns(run: string, scenario: string): readonly string[] {
    if (!this.#hasColumn("conversation", "row_values")) return [];
    const rows = this.#all<Pick<ConversationColumns, "row_values">>(
      "SELECT row_values FROM conversation WHERE run = ? AND scenario = ? ORDER BY position LIMIT 10",
      this.#idOf(run) ?? -1,
      scenario,
    );
    // Written by `placeColumns`.
    return [
      ...new Set(rows.flatMap(({ row_values }) => Object.keys(JSON.parse(row_values ?? "{}") as object))),
    ];
  }

  /**
   * Conversations of two subjects, or of two runs, that are about the same item in the same variant, arm and replicate. Without an
   * outcome, all of them; with one, those in which the two differ.
   */
  pairs(
    { run, subject, against, withRun = run, outcome, side, scenario }: PairFilter,
    { after, limit }: { readonly after?: PlaceInRun | undefined; readonly limit: number },
  ): { readonly pairs: readonly BrowsedPair[]; readonly next: PlaceInRun | null } {
    const same = ["variant", "arm"].filter((column) => this.#hasColumn("conversation", column));
    const rowIn = (of: string): string => this.#guarded(() => rowOf(this.#database, of));
    // The index of scenarios finds the other one among those of its scenario; with items, at once.
    const { same: isSame } = this.#database.dialect;
    const item = this.#hasColumn("conversation", "item") ? `${isSame("other.item", "one.item")} AND` : "";
    const value = (of: string): string =>
      `(SELECT value FROM outcome WHERE outcome.conversation = ${of}.id AND outcome.name = ? AND outcome.status = 'decided' AND kind = 'boolean')`;
    const differs =
      outcome === undefined
        ? ""
        : side === undefined
          ? `AND ${value("one")} != ${value("other")}`
          : `AND ${value("one")} = ${side === "a" ? 1 : 0} AND ${value("other")} = ${side === "a" ? 0 : 1}`;
    const own = this.#idOf(run) ?? -1;
    const walk = scenario === undefined ? "subject" : "scenario";
    const wanted = { subject, ...(scenario === undefined ? {} : { scenario }) };
    const end = this.#placeAfter(own, { ...wanted, walk }, after);
    const rows = this.#all<PairColumns>(
      `SELECT one.id AS one, other.id AS other, one.position AS position FROM conversation AS one
       JOIN conversation AS other ON ${item} other.run = ? AND other.scenario = one.scenario AND other.subject = ?
         AND other.replicate = one.replicate AND ${isSame(rowIn("other"), rowIn("one"))} AND other.id != one.id
         ${run === withRun ? "AND other.judge = one.judge" : ""}
         ${same.map((column) => `AND ${isSame(`other.${column}`, `one.${column}`)}`).join(" ")}
       WHERE one.run = ? AND one.subject = ? AND (one.position, one.id) > (?, ?) AND (one.position, one.id) <= (?, ?)
         ${scenario === undefined ? "" : "AND one.scenario = ?"} ${differs}
       ORDER BY one.position, one.id LIMIT ?`,
      this.#idOf(withRun) ?? -1,
      against,
      own,
      subject,
      ...[after?.position ?? Number.NEGATIVE_INFINITY, after?.id ?? 0],
      ...[end?.position ?? Number.POSITIVE_INFINITY, end?.id ?? 0],
      ...(scenario === undefined ? [] : [scenario]),
      ...(outcome === undefined ? [] : [outcome, outcome]),
      limit + 1,
    );
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    const next = rows.length > limit && last !== undefined ? { position: last.position, id: last.one } : end;
    const read = (id: number): BrowsedConversation => {
      const found = this.#all<ConversationColumns>("SELECT * FROM conversation WHERE id = ?", id);
      // It was there a moment ago, and one query reads one state of the file.
      return this.#withTurns(found)[0] as BrowsedConversation;
    };
    return { pairs: shown.map(({ one, other }) => ({ one: read(one), other: read(other) })), next };
  }

  /** Turns with a verdict, in the order of results. Where few are such, at which nodes they may be. */
  turnsWith(
    run: string,
    verdict: TurnVerdict,
    { limit, nodes }: { readonly limit: number; readonly nodes?: readonly string[] | undefined },
  ): readonly FoundTurn[] {
    const counted = VERDICT_COLUMNS[verdict] ?? "turns";
    const id = this.#idOf(run) ?? -1;
    const { unindexed } = this.#database.dialect;
    const [wanted, values] =
      nodes === undefined
        ? [`run = ? AND ${counted} > 0 AND ${unindexed("verdict")} = ?`, [id, verdict]]
        : [
            `${unindexed("run")} = ? AND verdict = ? AND node IN (${nodes.map(() => "?").join(", ")}) AND conversation BETWEEN ? AND ?`,
            [id, verdict, ...nodes, ...this.#idRange(id)],
          ];
    const order =
      nodes === undefined ? "position, id, turn" : `${unindexed("position")}, ${unindexed("id")}, turn`;
    return this.#all<FoundTurn>(
      `SELECT name AS conversation, scenario, subject, turn, node FROM conversation JOIN turn ON turn.conversation = conversation.id
       WHERE ${wanted} ORDER BY ${order} LIMIT ?`,
      ...values,
      limit,
    );
  }

  /** Turns with one of the verdicts, drawn without replacement, each as likely as any other; `random` gives numbers from 0 and below 1. */
  sampleTurns(
    run: string,
    verdicts: readonly TurnVerdict[],
    { count, random }: { readonly count: number; readonly random: () => number },
  ): readonly FoundTurn[] {
    const conversations = this.#all<{ id: number; size: number }>(
      `SELECT id, ${verdicts.map((verdict) => VERDICT_COLUMNS[verdict]).join(" + ")} AS size FROM conversation WHERE run = ? ORDER BY position, id`,
      this.#idOf(run) ?? -1,
    );
    const all = conversations.reduce((sum, { size }) => sum + size, 0);
    const places = new Set<number>();
    // Some are drawn twice.
    for (let draw = 0; draw < 10 * all && places.size < Math.min(count, all); draw++)
      places.add(Math.floor(random() * all));
    const found = new Map<number, FoundTurn | undefined>();
    let [next, before] = [0, 0];
    for (const place of [...places].sort((one, other) => one - other)) {
      while (place >= before + (conversations[next]?.size ?? all)) before += conversations[next++]?.size ?? 0;
      const [turn] = this.#all<FoundTurn>(
        `SELECT name AS conversation, scenario, subject, turn, node FROM turn JOIN conversation ON turn.conversation = conversation.id
         WHERE conversation.id = ? AND ${this.#database.dialect.unindexed("verdict")} IN (${verdicts.map(() => "?").join(", ")}) ORDER BY turn LIMIT 1 OFFSET ?`,
        conversations[next]?.id ?? -1,
        ...verdicts,
        place - before,
      );
      found.set(place, turn);
    }
    return [...places].flatMap((place) => found.get(place) ?? []);
  }

  /** One conversation; undefined if there is none. */
  conversation(run: string, conversation: string): ConversationColumns | undefined {
    const id = this.#idOf(run);
    if (id === undefined) return undefined;
    const sql = "SELECT * FROM conversation WHERE run = ? AND name = ?";
    return this.#all<ConversationColumns>(sql, id, conversationKey(conversation))[0];
  }

  /** The names of the conversations before and after one, in the order of results. */
  neighbours(
    run: string,
    { position, id: own }: PlaceInRun,
  ): { readonly previous: string | null; readonly next: string | null } {
    const id = this.#idOf(run) ?? -1;
    const [before] = this.#all<{ name: string }>(
      "SELECT name FROM conversation WHERE run = ? AND (position, id) < (?, ?) ORDER BY position DESC, id DESC LIMIT 1",
      id,
      position,
      own,
    );
    const [after] = this.#all<{ name: string }>(
      "SELECT name FROM conversation WHERE run = ? AND (position, id) > (?, ?) ORDER BY position, id LIMIT 1",
      id,
      position,
      own,
    );
    return { previous: before?.name ?? null, next: after?.name ?? null };
  }

  /** The conversations that differ from one in their subject only; of the subjects, the first ones. */
  siblings(
    run: string,
    columns: ConversationColumns,
    subjects: readonly string[],
  ): readonly Pick<ConversationColumns, "name" | "subject">[] {
    const id = this.#idOf(run) ?? -1;
    const asked = subjects.slice(0, MOST_SIBLINGS);
    const same = ["row", "row_id", "variant", "arm"].filter((column) =>
      this.#hasColumn("conversation", column),
    );
    // Written from cells: each of these columns is a text, a number or null.
    const own = columns as unknown as Readonly<Record<string, Value>>;
    // The index of items has the replicate of each subject; without one, all of the scenario are looked at.
    const hasItem = typeof own.item === "string";
    const off = hasItem ? this.#database.dialect.unindexed : (column: string): string => column;
    return this.#all(
      `SELECT name, subject FROM conversation WHERE run = ? ${hasItem ? "AND item = ?" : ""} AND subject IN (${asked.map(() => "?").join(", ")})
       AND replicate = ? AND ${off("scenario")} = ? AND judge = ?
       ${same.map((column) => `AND "${column}" ${own[column] === null ? "IS NULL" : "= ?"}`).join(" ")} ORDER BY ${off("position")}, ${off("id")} LIMIT ${MOST_SIBLINGS}`,
      id,
      ...(hasItem ? [own.item as string] : []),
      ...asked,
      columns.replicate,
      columns.scenario,
      columns.judge,
      ...same.flatMap((column) => own[column] ?? []),
    );
  }

  close(): void {
    this.#database.close();
  }

  #withTurns(rows: readonly ConversationColumns[]): readonly BrowsedConversation[] {
    const edge = this.#hasColumn("turn", "edge") ? "edge" : "NULL AS edge";
    return rows.map((columns) => ({
      columns,
      turns: this.#all<BrowsedTurn>(
        `SELECT turn, node, verdict, ${edge} FROM turn WHERE conversation = ? ORDER BY turn`,
        columns.id,
      ),
      outcomes: this.#all<OutcomeColumns>(
        "SELECT name, kind, value, status FROM outcome WHERE conversation = ?",
        columns.id,
      ),
    }));
  }

  /** A file of an earlier version lacks some columns. */
  #hasColumn(table: "conversation" | "turn", column: string): boolean {
    return this.#guarded(() => this.#database.hasColumn(table, column));
  }

  #idOf(run: string): number | undefined {
    return this.#all<{ id: number }>("SELECT id FROM run WHERE name = ?", run)[0]?.id;
  }

  #all<Row>(sql: string, ...values: readonly Value[]): readonly Row[] {
    return this.#guarded(() => this.#database.all<Row>(sql, ...values));
  }

  #guarded<Result>(read: () => Result): Result {
    try {
      return read();
    } catch (error) {
      throw storeError(error, this.path);
    }
  }
}

/** Opens a store for looking at it. Throws `StoreError` if it is not a store that this release can read. */
export async function openRunBrowser(path: string, options?: BrowseOptions): Promise<RunBrowser> {
  return new RunBrowser(await openSqlDatabase(path, { readOnly: true }), options);
}
