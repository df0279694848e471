import type { ConversationStatus } from "../../core/state/state.ts";
import type { JsonObject } from "../../core/values/json.ts";
import { cellSummary, itemKey } from "../cell.ts";
import type { Conversation } from "../fold/conversation.ts";
import { type OutcomeScore, outcomeScore } from "../fold/tally.ts";
import type { TurnVerdict } from "../turn.ts";
import type { SqlDatabase } from "./sql-database.ts";
import type { ConversationScore, ScoredTurn, ScoreOptions } from "./store.ts";

/** The scores of conversations that are in memory, as `readScores` reads them. */
export function* memoryScores(
  conversations: readonly Conversation[],
  { turns = false, rowValues = false }: ScoreOptions,
): Generator<ConversationScore> {
  for (const folded of [...conversations].sort((one, other) => one.cell.index - other.cell.index)) {
    const { conversation, cell, scenarioHash, status, outcomes, verdicts, finishedTurns } = folded;
    const disturbed = { status, unjudged: verdicts.unjudged };
    yield {
      ...cellSummary(cell),
      conversation,
      scenarioHash,
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
  ...["row_id", "variant", "arm", "parent", "row_values"],
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
];

/** Numbers for what a text would say: reading a text takes longer. */
const OUTCOMES = `SELECT conversation, name, CASE WHEN kind = 'boolean' THEN 1 ELSE 0 END, value,
  CASE status WHEN 'decided' THEN 0 WHEN 'inconclusive' THEN 1 ELSE 2 END
  FROM outcome WHERE conversation BETWEEN ? AND ?`;
const STATUSES = ["decided", "inconclusive", "not_applicable"] as const;
type OutcomeValues = readonly [number, string, number, number | null, number];

const TURNS = `SELECT conversation, node, verdict FROM turn WHERE conversation BETWEEN ? AND ? AND verdict IS NOT NULL
  ORDER BY conversation, turn`;
type TurnValues = readonly [number, string, TurnVerdict];

/** Conversations are read in portions: a statement that stays open would keep the connection from writing. */
const LEAST = 512;

/** The scores of a run, straight from columns: no event is read. */
export function* readScores(
  database: SqlDatabase,
  run: number,
  { turns = false, rowValues = false }: ScoreOptions,
): Generator<ConversationScore> {
  const isRead = (name: string, place: number): boolean =>
    (name !== "row_values" || rowValues) && (place < 11 || database.hasColumn("conversation", name));
  const columns = COLUMNS.map((name, place) => (isRead(name, place) ? name : "NULL")).join(", ");
  const select = `SELECT ${columns} FROM conversation WHERE run = ? AND (position, id) > (?, ?) ORDER BY position, id LIMIT ?`;
  const most = Math.max(LEAST, database.portions.most);
  const shared = sharedTexts();
  const variants = new Map<string, ConversationScore["variant"]>();
  const rows = new SharedRows();
  let [position, after] = [Number.NEGATIVE_INFINITY, 0];
  for (;;) {
    const portion = database.raw<ScoreValues>(select, run, position, after, most);
    const places = new Map(portion.map(([id], place) => [id, place]));
    const outcomes = portion.map(() => new Map<string, OutcomeScore>());
    const scored = portion.map((): ScoredTurn[] => []);
    for (const [first, last] of idRanges(portion)) {
      for (const [id, name, isBoolean, value, code] of database.raw<OutcomeValues>(OUTCOMES, first, last)) {
        const place = places.get(id);
        if (place === undefined) continue;
        const [, , , , , , , , , status, unjudged] = portion[place] as ScoreValues;
        const kept = isBoolean === 1 && value !== null ? value === 1 : value;
        const outcome = { value: kept, status: STATUSES[code] ?? "inconclusive" };
        outcomes[place]?.set(shared(name), outcomeScore(outcome, { status, unjudged }));
      }
      if (turns)
        for (const [id, node, verdict] of database.raw<TurnValues>(TURNS, first, last))
          scored[places.get(id) ?? -1]?.push({
            node: shared(node),
            verdict: shared(verdict) as TurnVerdict,
          });
    }
    for (const [place, values] of portion.entries()) {
      const [, name, index, scenario, hash, subject, judge, replicate, rowIndex, status] = values;
      const [, , , , , , , , , , , row, variant, arm, parent, json] = values;
      if (variant !== null && !variants.has(variant)) variants.set(variant, JSON.parse(variant));
      yield {
        index,
        scenario: shared(scenario),
        subject: shared(subject),
        judge: shared(judge),
        replicate,
        row,
        rowIndex,
        variant: variant === null ? null : (variants.get(variant) ?? null),
        arm,
        parent,
        item: shared(itemKey({ scenario, row, rowIndex })),
        conversation: name,
        scenarioHash: shared(hash),
        ...(rowValues ? { rowValues: rows.of(json) } : {}),
        status,
        outcomes: outcomes[place] as Map<string, OutcomeScore>,
        turns: scored[place] as ScoredTurn[],
      };
    }
    const last = portion.at(-1);
    if (last === undefined || portion.length < most) return;
    [after, , position] = last;
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
  const ids = portion.map(([id]) => id).sort((one, other) => one - other);
  const ranges: [number, number][] = [];
  for (const id of ids) {
    const last = ranges.at(-1);
    if (last !== undefined && id - last[1] <= 64) last[1] = id;
    else ranges.push([id, id]);
  }
  return ranges;
}
