import type { TurnVerdict } from "../turn.ts";
import type { ConversationColumns, OutcomeColumns } from "./conversation-columns.ts";
import { conversationKey } from "./encode-event.ts";
import { openDatabase } from "./open-database.ts";
import { otherWriter, thisWriter } from "./run-writer.ts";
import type { SqliteDatabase } from "./sqlite-database.ts";

/** The order of results, or the number of turns, the cost, or the time that a conversation took. */
type SortedBy = "position" | "turns" | "cost" | "time";

/** Which conversations of a run are meant; what is left out is not looked at. */
export interface BrowseFilter {
  readonly scenario?: string;
  readonly subject?: string;
  readonly judge?: string;
  readonly row?: string;
  readonly arm?: string;
  readonly replicate?: number;
  /** Null for conversations that have not ended; `cut_short` for all that ended early. */
  readonly status?: string | null;
  readonly outcome?: {
    readonly name: string;
    /** `decided`: whatever its value is. */
    readonly value: boolean | "decided" | "inconclusive" | "not_applicable";
  };
  /** Conversations with a turn at this node, with this verdict, that left it by this edge. */
  readonly node?: string;
  readonly verdict?: string;
  readonly edge?: number;
  /** What they are sorted by (default `position`). By anything else, only conversations that have ended are listed. */
  readonly sort?: SortedBy;
  /** True to begin with the last conversation. */
  readonly isReversed?: boolean;
}

/** A turn of a browsed conversation. */
interface BrowsedTurn {
  readonly turn: number;
  readonly node: string;
  readonly verdict: TurnVerdict | null;
  readonly edge: number | null;
}

/** A conversation with its turns and outcomes, without texts. */
export interface BrowsedConversation {
  readonly columns: ConversationColumns;
  readonly turns: readonly BrowsedTurn[];
  readonly outcomes: readonly OutcomeColumns[];
}

/** A turn, and where it is. */
export interface FoundTurn {
  readonly conversation: string;
  readonly scenario: string;
  readonly subject: string;
  readonly turn: number;
  readonly node: string;
}

/** Which pairs are meant. */
export interface PairFilter {
  readonly run: string;
  readonly subject: string;
  /** The subject that it is compared with, in the same run or in another. */
  readonly against: string;
  readonly withRun?: string;
  readonly scenario?: string;
  readonly outcome?: string;
  /** Only pairs in which the outcome is true in the first one (`a`), or in the second. */
  readonly side?: "a" | "b";
}

/** Two conversations that are compared. */
interface BrowsedPair {
  readonly one: BrowsedConversation;
  readonly other: BrowsedConversation;
}

/** Where a page of conversations ends. */
export interface PlaceInRun {
  /** The position in the run, or what else the page is sorted by. */
  readonly position: number;
  readonly id: number;
}

/** The page of a list after a place. */
interface PageAfter {
  readonly after?: PlaceInRun | undefined;
  readonly limit: number;
}

/** A page of conversations. */
interface BrowsedPage {
  readonly conversations: readonly BrowsedConversation[];
  /** Null if there are no more. */
  readonly next: PlaceInRun | null;
}

type Value = string | number | null;

/** What lists are sorted by, as indexes have it (`BROWSING_INDEXES`). What is not known comes before all else. */
const SORT_KEYS: Readonly<Record<SortedBy, string>> = {
  position: "position",
  turns: "turns",
  cost: "coalesce(cost, -1)",
  time: "coalesce(ended_at - started_at, -1)",
};

/** The column of a conversation that counts a verdict. */
const VERDICT_COLUMNS: Readonly<Record<TurnVerdict, string>> = {
  pass: "passed",
  fail: "failed",
  unreadable: "unreadable",
  unjudged: "unjudged",
  unverified: "unverified",
  not_verified: "not_verified",
};

/** With so many subjects, the same item of others is chosen from a list. */
const MOST_SIBLINGS = 100;

/** Reads a store in pages, for people who look at runs. It never writes. */
export class RunBrowser {
  readonly path: string;
  readonly #database: SqliteDatabase;

  constructor(database: SqliteDatabase) {
    this.#database = database;
    this.path = database.path;
  }

  /** True while a process writes the run. */
  isBeingWritten(run: string): boolean {
    const [found] = this.#all<{ writer: string | null }>("SELECT writer FROM run WHERE name = ?", run);
    if (found === undefined || found.writer === null) return false;
    return otherWriter(found.writer) !== null || found.writer === thisWriter();
  }

  /** Changes with everything that is written by another connection. */
  version(): number {
    return this.#database.version();
  }

  /** The first conversations after a place, in the order of an index. What only some of them are is looked for one by one. */
  page(run: string, filter: BrowseFilter = {}, { after, limit }: PageAfter = { limit: 100 }): BrowsedPage {
    const { isReversed = false, sort = "position" } = filter;
    const key = SORT_KEYS[sort];
    const [past, direction] = isReversed ? ["<", "DESC"] : [">", "ASC"];
    const { conditions, values } = conditionsOf(filter);
    if (sort !== "position") conditions.push("status IS NOT NULL");
    if (after !== undefined) {
      conditions.push(`(${key}, id) ${past} (?, ?)`);
      values.push(after.position, after.id);
    }
    const rows = this.#all<ConversationColumns & { readonly place: number }>(
      `SELECT *, ${key} AS place FROM conversation WHERE run = ? ${allOf(conditions)}
       ORDER BY ${key} ${direction}, id ${direction} LIMIT ?`,
      ...[this.#idOf(run), ...values, limit + 1],
    );
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.at(-1) : undefined;
    return {
      conversations: shown.map((columns) => this.#withTurns(columns)),
      next: last === undefined ? null : { position: last.place, id: last.id },
    };
  }

  /** The columns of the rows of a scenario by which results can be grouped, as its first conversations have them. */
  rowColumns(run: string, scenario: string): readonly string[] {
    const rows = this.#all<Pick<ConversationColumns, "row_values">>(
      "SELECT row_values FROM conversation WHERE run = ? AND scenario = ? ORDER BY position LIMIT 10",
      this.#idOf(run),
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
    { after, limit }: PageAfter,
  ): { readonly pairs: readonly BrowsedPair[]; readonly next: PlaceInRun | null } {
    const value = (of: string): string =>
      `(SELECT value FROM outcome WHERE outcome.conversation = ${of}.id AND outcome.name = ? AND outcome.status = 'decided' AND kind = 'boolean')`;
    const differs =
      side === undefined
        ? `AND ${value("one")} != ${value("other")}`
        : `AND ${value("one")} = ${side === "a" ? 1 : 0} AND ${value("other")} = ${side === "a" ? 0 : 1}`;
    const rows = this.#all<{ readonly one: number; readonly other: number; readonly position: number }>(
      `SELECT one.id AS one, other.id AS other, one.position AS position FROM conversation AS one
       JOIN conversation AS other ON other.item = one.item AND other.run = ? AND other.subject = ?
         AND other.replicate = one.replicate AND other.id != one.id
         AND other.variant IS one.variant AND other.arm IS one.arm
         ${run === withRun ? "AND other.judge = one.judge" : ""}
       WHERE one.run = ? AND one.subject = ? AND (one.position, one.id) > (?, ?)
         ${scenario === undefined ? "" : "AND one.scenario = ?"} ${outcome === undefined ? "" : differs}
       ORDER BY one.position, one.id LIMIT ?`,
      ...[this.#idOf(withRun), against, this.#idOf(run), subject],
      ...[after?.position ?? Number.NEGATIVE_INFINITY, after?.id ?? 0],
      ...(scenario === undefined ? [] : [scenario]),
      ...(outcome === undefined ? [] : [outcome, outcome]),
      limit + 1,
    );
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.at(-1) : undefined;
    const read = (id: number): readonly BrowsedConversation[] =>
      this.#all<ConversationColumns>("SELECT * FROM conversation WHERE id = ?", id).map((columns) =>
        this.#withTurns(columns),
      );
    return {
      pairs: shown.flatMap((found) => {
        const [[one], [other]] = [read(found.one), read(found.other)];
        // The run may have been deleted a moment ago.
        return one === undefined || other === undefined ? [] : [{ one, other }];
      }),
      next: last === undefined ? null : { position: last.position, id: last.one },
    };
  }

  /** Turns with one of the verdicts, drawn without replacement, each as likely as any other; `random` gives numbers from 0 and below 1. */
  sampleTurns(
    run: string,
    verdicts: readonly TurnVerdict[],
    { count, random }: { readonly count: number; readonly random: () => number },
  ): readonly FoundTurn[] {
    const conversations = this.#all<{ id: number; size: number }>(
      `SELECT id, ${verdicts.map((verdict) => VERDICT_COLUMNS[verdict]).join(" + ")} AS size FROM conversation WHERE run = ? ORDER BY position, id`,
      this.#idOf(run),
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
         WHERE conversation.id = ? AND verdict IN (${verdicts.map(() => "?").join(", ")}) ORDER BY turn LIMIT 1 OFFSET ?`,
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
    const sql = "SELECT * FROM conversation WHERE run = ? AND name = ?";
    return this.#all<ConversationColumns>(sql, this.#idOf(run), conversationKey(conversation))[0];
  }

  /** The names of the conversations before and after one, in the order of results. */
  neighbours(
    run: string,
    { position, id }: PlaceInRun,
  ): { readonly previous: string | null; readonly next: string | null } {
    const nearest = (past: string, direction: string): string | null => {
      const sql = `SELECT name FROM conversation WHERE run = ? AND (position, id) ${past} (?, ?)
        ORDER BY position ${direction}, id ${direction} LIMIT 1`;
      return this.#all<{ name: string }>(sql, this.#idOf(run), position, id)[0]?.name ?? null;
    };
    return { previous: nearest("<", "DESC"), next: nearest(">", "ASC") };
  }

  /** The conversations that differ from one in their subject only; of the subjects, the first ones. */
  siblings(
    run: string,
    { item, replicate, judge, variant, arm }: ConversationColumns,
    subjects: readonly string[],
  ): readonly Pick<ConversationColumns, "name" | "subject">[] {
    const asked = subjects.slice(0, MOST_SIBLINGS);
    return this.#all(
      `SELECT name, subject FROM conversation WHERE run = ? AND item = ? AND subject IN (${asked.map(() => "?").join(", ")})
       AND replicate = ? AND judge = ? AND variant IS ? AND arm IS ? ORDER BY +position, +id LIMIT ${MOST_SIBLINGS}`,
      ...[this.#idOf(run), item, ...asked, replicate, judge, variant, arm],
    );
  }

  close(): void {
    this.#database.close();
  }

  #withTurns(columns: ConversationColumns): BrowsedConversation {
    const turns = "SELECT turn, node, verdict, edge FROM turn WHERE conversation = ? ORDER BY turn";
    const outcomes = "SELECT name, kind, value, status FROM outcome WHERE conversation = ?";
    return {
      columns,
      turns: this.#all<BrowsedTurn>(turns, columns.id),
      outcomes: this.#all<OutcomeColumns>(outcomes, columns.id),
    };
  }

  /** The row of a run; -1 if there is none. */
  #idOf(run: string): number {
    return this.#all<{ id: number }>("SELECT id FROM run WHERE name = ?", run)[0]?.id ?? -1;
  }

  #all<Row>(sql: string, ...values: readonly Value[]): readonly Row[] {
    return this.#database.all<Row>(sql, ...values);
  }
}

/** What a filter asks of a conversation, in SQL. */
interface Conditions {
  readonly conditions: string[];
  readonly values: Value[];
}

function allOf(conditions: readonly string[]): string {
  return conditions.map((condition) => `AND ${condition}`).join(" ");
}

function conditionsOf(filter: BrowseFilter): Conditions {
  const { status, outcome, row } = filter;
  const conditions: string[] = [];
  const values: Value[] = [];
  const add = (condition: string, ...used: readonly Value[]): void => {
    conditions.push(condition);
    values.push(...used);
  };
  for (const key of ["scenario", "subject", "judge", "arm", "replicate"] as const)
    if (filter[key] !== undefined) add(`${key} = ?`, filter[key]);
  if (row !== undefined) add("row_id = ?", row);
  // As an index has it.
  if (status === "cut_short") add("status NOT IN ('completed', 'limit_reached')");
  else if (status === null) add("status IS NULL");
  else if (status !== undefined) add("status = ?", status);
  if (outcome !== undefined) {
    const [wanted, value] =
      typeof outcome.value === "string"
        ? ["outcome.status = ?", outcome.value]
        : ["outcome.status = 'decided' AND kind = 'boolean' AND value = ?", outcome.value ? 1 : 0];
    add(
      `EXISTS (SELECT 1 FROM outcome WHERE outcome.conversation = conversation.id AND name = ? AND ${wanted})`,
      outcome.name,
      value,
    );
  }
  addTurns(filter, add);
  return { conditions, values };
}

function addTurns(
  { node, verdict, edge }: BrowseFilter,
  add: (condition: string, ...used: readonly Value[]) => void,
): void {
  // How many turns of a conversation have which verdict stands in its own columns, some of which have indexes.
  if (verdict !== undefined && Object.hasOwn(VERDICT_COLUMNS, verdict))
    add(`${VERDICT_COLUMNS[verdict as TurnVerdict]} > 0`);
  const wanted = Object.entries({ node, verdict, edge }).filter(([, value]) => value !== undefined);
  if (wanted.length === 0) return;
  const columns = wanted.map(([column]) => `turn.${column} = ?`).join(" AND ");
  add(
    `EXISTS (SELECT 1 FROM turn WHERE turn.conversation = conversation.id AND turn.verdict IS NOT NULL AND ${columns})`,
    ...wanted.map(([, value]) => value ?? null),
  );
}

/** Opens a store for looking at it. Throws `StoreError` if it is not a store that this release can read. */
export async function openRunBrowser(path: string): Promise<RunBrowser> {
  return new RunBrowser(await openDatabase(path, { readOnly: true }));
}
