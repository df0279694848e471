import { memoize } from "../../../core/lazy.ts";
import type { ConversationStatus } from "../../../core/state/state.ts";
import type { JsonObject } from "../../../core/values/json.ts";
import { cellSummary, itemKey } from "../cell.ts";
import type { Conversation } from "../fold/conversation.ts";
import { type OutcomeScore, outcomeScore } from "../fold/tally.ts";
import type { TurnVerdict } from "../turn.ts";
import type { SqlDatabase, SqlValue } from "./sql-database.ts";
import type { ConversationScore, ScoredTurn, ScoreOptions } from "./store.ts";

/** The scores of conversations that are in memory, as `readScores` reads them. */
export function* memoryScores(
  conversations: readonly Conversation[],
  { turns = false, rowValues = false, subject }: ScoreOptions,
): Generator<ConversationScore> {
  for (const folded of [...conversations].sort((one, other) => one.cell.index - other.cell.index)) {
    if (subject !== undefined && folded.cell.subject !== subject) continue;
    const { conversation, cell, scenarioHash, itemHash, status, outcomes, verdicts, finishedTurns } = folded;
    const disturbed = { status, unjudged: verdicts.unjudged };
    yield {
      ...cellSummary(cell),
      conversation,
      scenarioHash,
      itemHash,
      ...(rowValues ? { rowValues: folded.rowValues } : {}),
      status,
      outcomes: new Map([...outcomes].map(([name, outcome]) => [name, outcomeScore(outcome, disturbed)])),
      turns: turns ? finishedTurns.flatMap(scoredTurn) : [],
    };
  }
}

function scoredTurn({ node, verdict }: Conversation["finishedTurns"][number]): readonly ScoredTurn[] {
  return verdict === undefined ? [] : [{ node, verdict }];
}

/** The columns of a conversation that are read, in order; files of earlier versions lack the last ones, which are then null. */
const COLUMNS: readonly string[] = [
  ...'id name position scenario scenario_hash subject judge replicate "row" status unjudged'.split(" "),
  ...["row_id", "variant", "arm", "parent", "row_values", "item_hash"],
];

/** Those columns. A list of values is read in half the time of an object. */
type ScoreValues = readonly [
  id: number,
  name: string,
  position: number,
  scenario: string,
  scenarioHash: string,
  subject: string,
  judge: string,
  replicate: number,
  rowIndex: number | null,
  // Written by an event's status.
  status: ConversationStatus | null,
  unjudged: number,
  row: string | null,
  variant: string | null,
  arm: string | null,
  parent: number | null,
  rowValues: string | null,
  itemHash: string | null,
];

/** The outcomes of some conversations, with a number for what two texts would say: reading a text takes longer. */
export const OUTCOMES = `SELECT conversation, name, value,
  CASE status WHEN 'decided' THEN CASE kind WHEN 'boolean' THEN 0 ELSE 1 END WHEN 'inconclusive' THEN 2 ELSE 3 END
  FROM outcome WHERE conversation BETWEEN ? AND ?`;
const STATUSES = ["decided", "decided", "inconclusive", "not_applicable"] as const;
/** Those columns. */
export type OutcomeValues = readonly [conversation: number, name: string, value: number | null, code: number];

/** One text for all turns of a conversation. It has the length of each name, so that different turns never give the same text. */
const SEQUENCE = "verdict || ' ' || length(node) || ' ' || node";
const TURNS = "SELECT node, verdict FROM turn WHERE conversation = ? AND verdict IS NOT NULL ORDER BY turn";

const UNDISTURBED = { status: null, unjudged: 0 } as const;

/** Conversations are read in portions: a statement that stays open would keep the connection from writing. */
const LEAST = 512;

/** The scores of a run, straight from columns: no event is read. */
export function* readScores(
  database: SqlDatabase,
  run: number,
  { turns = false, rowValues = false, subject: wanted }: ScoreOptions,
): Generator<ConversationScore> {
  const isRead = (name: string, place: number): boolean =>
    (name !== "row_values" || rowValues) && (place < 11 || database.hasColumn("conversation", name));
  const columns = COLUMNS.map((name, place) => (isRead(name, place) ? name : "NULL")).join(", ");
  const only = wanted === undefined ? "" : "AND subject = ?";
  const select = `SELECT ${columns} FROM conversation WHERE run = ? ${only} AND (position, id) > (?, ?) ORDER BY position, id LIMIT ?`;
  const most = Math.max(LEAST, database.portions.most);
  const shared = sharedTexts();
  const items = new SharedItems();
  const variants = new Map<string, ConversationScore["variant"]>();
  const sequences = new SharedTurns(database);
  const rows = new SharedRows();
  const beginning = wanted === undefined ? [run] : [run, wanted];
  let from: readonly SqlValue[] = [...beginning, Number.NEGATIVE_INFINITY, 0, most];
  for (;;) {
    const portion = database.raw<ScoreValues>(select, ...from);
    const places = new Map<number, number>();
    for (let place = 0; place < portion.length; place++)
      places.set((portion[place] as ScoreValues)[0], place);
    const outcomes = portion.map(() => new Map<string, OutcomeScore>());
    const ranges = idRanges(portion);
    for (const [first, last] of ranges)
      for (const [id, name, value, code] of database.raw<OutcomeValues>(OUTCOMES, first, last)) {
        const place = places.get(id);
        if (place === undefined) continue;
        const values = portion[place] as ScoreValues;
        // Most are decided.
        const isDecided = value !== null && code < 2;
        const conversation = isDecided ? UNDISTURBED : { status: values[9], unjudged: values[10] };
        outcomes[place]?.set(shared(name), scoreOf(value, code, conversation));
      }
    const scored = turns ? sequences.of(ranges) : NO_SEQUENCES;
    const last = portion.at(-1);
    const isLast = last === undefined || portion.length < most;
    if (!isLast) {
      from = [...beginning, last[2], last[0], most];
      database.ahead?.(select, ...from);
    }
    for (let place = 0; place < portion.length; place++) {
      // By their places: taking a list of sixteen values apart costs more.
      const values = portion[place] as ScoreValues;
      const scenario = shared(values[3]);
      const rowIndex = values[8];
      const row = values[11];
      const variant = values[12];
      if (variant !== null && !variants.has(variant)) variants.set(variant, JSON.parse(variant));
      yield {
        index: values[2],
        scenario,
        subject: shared(values[5]),
        judge: shared(values[6]),
        replicate: values[7],
        row,
        rowIndex,
        variant: variant === null ? null : (variants.get(variant) ?? null),
        arm: values[13],
        parent: values[14],
        item: items.of({ scenario, row, rowIndex }),
        conversation: values[1],
        scenarioHash: shared(values[4]),
        itemHash: values[16],
        ...(rowValues ? { rowValues: rows.of(values[15]) } : {}),
        status: values[9],
        outcomes: outcomes[place] as Map<string, OutcomeScore>,
        turns: scored.get(values[0]) ?? [],
      };
    }
    if (isLast) return;
  }
}

/** What an outcome is worth, from its columns. */
export function scoreOf(
  value: number | null,
  code: number,
  conversation: { readonly status: ConversationStatus | null; readonly unjudged: number },
): OutcomeScore {
  const status = STATUSES[code] ?? "inconclusive";
  if (status === "decided" && value !== null) return code === 0 ? value === 1 : value;
  return outcomeScore({ value, status }, conversation);
}

/** The keys of items, each made once. */
export class SharedItems {
  readonly #known = new Map<string, Map<string | number | null, string>>();

  of(place: Parameters<typeof itemKey>[0]): string {
    const own = memoize(this.#known, place.scenario, () => new Map());
    const row = place.row ?? place.rowIndex ?? null;
    let item = own.get(row);
    if (item === undefined) {
      item = itemKey(place);
      own.set(row, item);
    }
    return item;
  }
}

const NO_SEQUENCES: ReadonlyMap<number, readonly ScoredTurn[]> = new Map();

/** The turns of conversations. Many have the same nodes with the same verdicts: these share one list. */
export class SharedTurns {
  readonly #database: SqlDatabase;
  readonly #known = new Map<string, readonly ScoredTurn[]>();
  readonly #sql: string;

  constructor(database: SqlDatabase) {
    this.#database = database;
    this.#sql = `SELECT conversation, ${database.dialect.joined(SEQUENCE, "turn")} FROM turn
      WHERE conversation BETWEEN ? AND ? AND verdict IS NOT NULL GROUP BY conversation`;
  }

  of(ranges: readonly (readonly [number, number])[]): ReadonlyMap<number, readonly ScoredTurn[]> {
    const found = new Map<number, readonly ScoredTurn[]>();
    for (const [first, last] of ranges)
      for (const [id, text] of this.#database.raw<readonly [number, string]>(this.#sql, first, last))
        found.set(
          id,
          memoize(this.#known, text, () => this.#read(id)),
        );
    return found;
  }

  #read(conversation: number): readonly ScoredTurn[] {
    const turns = this.#database.raw<readonly [string, TurnVerdict]>(TURNS, conversation);
    return turns.map(([node, verdict]) => ({ node, verdict }));
  }
}

/** Gives each text once, however many conversations have it. */
function sharedTexts(): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    const found = known.get(text);
    if (found === undefined) known.set(text, text);
    return found ?? text;
  };
}

/** How many rows are remembered: conversations about the same row often follow each other. */
const MOST_ROWS = 1_000;

/** The values of rows, each object once for conversations about the same row that are near each other. */
class SharedRows {
  readonly #known = new Map<string, JsonObject>();

  of(json: string | null): JsonObject | null {
    if (json === null) return null;
    let values = this.#known.get(json);
    if (values === undefined) {
      // Written by `placeColumns`.
      values = JSON.parse(json) as JsonObject;
      if (this.#known.size >= MOST_ROWS) this.#known.clear();
      this.#known.set(json, values);
    }
    return values;
  }
}

/** The ids of a portion as ranges without large gaps, so that other runs in the same file are not read. */
function idRanges(portion: readonly ScoreValues[]): readonly (readonly [number, number])[] {
  const ids = portion.map(([id]) => id);
  // Results are mostly in the order in which they were written.
  if (ids.some((id, place) => id < (ids[place - 1] ?? 0))) ids.sort((one, other) => one - other);
  const ranges: [number, number][] = [];
  for (const id of ids) {
    const last = ranges.at(-1);
    if (last !== undefined && id - last[1] <= 64) last[1] = id;
    else ranges.push([id, id]);
  }
  return ranges;
}
