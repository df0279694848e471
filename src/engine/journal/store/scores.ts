import type { ConversationStatus } from "../../../core/state/state.ts";
import type { JsonObject } from "../../../core/values/json.ts";
import { outcomeScore } from "../fold/tally.ts";
import type { OutcomeEvent } from "../run-event.ts";
import type { TurnVerdict } from "../turn.ts";
import { outcomeValue } from "./conversation-columns.ts";
import type { SqliteDatabase, SqlValue } from "./sqlite-database.ts";
import type { ConversationScore, ScoredTurn, ScoreOptions } from "./store.ts";

/** The columns of a conversation that are read. A list of values is read in half the time of an object. */
const COLUMNS = `id, name, position, scenario, scenario_hash, subject, judge, replicate, "row", row_id, row_name, variant, arm,
  conversation.parent, item, item_hash, status, unjudged`;

/** Those columns, and the values of the row if they were asked for. */
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
  row: string | null,
  rowName: string | null,
  variant: string | null,
  arm: string | null,
  parent: number | null,
  item: string,
  itemHash: string | null,
  // Written by an event's status.
  status: ConversationStatus | null,
  unjudged: number,
  rowValues: string | null,
];

type OutcomeValues = readonly [
  conversation: number,
  name: string,
  kind: string,
  value: number | null,
  status: OutcomeEvent["status"],
];

/** Conversations are read in portions: a statement that stays open would keep the connection from writing. */
const PORTION = 512;

type TurnValues = readonly [conversation: number, node: string, verdict: TurnVerdict];

/** The scores of a run, straight from columns: no event is read. What many conversations have in common is one object. */
export function* readScores(
  database: SqliteDatabase,
  run: number,
  { turns = false, rowValues = false, subject }: ScoreOptions,
): Generator<ConversationScore> {
  const owned = `conversation.run = ? ${subject === undefined ? "" : "AND subject = ?"} AND (position, conversation.id) > (?, ?)`;
  const conversations = `SELECT ${COLUMNS}, ${rowValues ? "row_values" : "NULL"} FROM conversation WHERE ${owned}
    ORDER BY position, id LIMIT ${PORTION}`;
  const partsOf = (columns: string, table: string): string =>
    `SELECT conversation, ${columns} FROM conversation JOIN ${table} ON conversation = conversation.id
     WHERE ${owned} AND (position, conversation.id) <= (?, ?)`;
  const outcomes = partsOf("outcome.name, kind, value, outcome.status", "outcome");
  const sequences = `${partsOf("node, verdict", "turn")} AND verdict IS NOT NULL ORDER BY conversation, turn`;
  const owner: readonly SqlValue[] = subject === undefined ? [run] : [run, subject];
  const text = interned((value) => value);
  const variantOf = interned((json) => JSON.parse(json) as NonNullable<ConversationScore["variant"]>);
  // Written by `placeColumns`.
  const valuesOf = interned((json) => JSON.parse(json) as JsonObject);
  const sequenceOf = interned((json) =>
    (JSON.parse(json) as [string, TurnVerdict][]).map(([node, verdict]): ScoredTurn => ({ node, verdict })),
  );
  let after: readonly [position: number, id: number] = [Number.NEGATIVE_INFINITY, 0];
  for (;;) {
    const portion = database.raw<ScoreValues>(conversations, ...owner, ...after);
    const last = portion.at(-1);
    if (last === undefined) return;
    const upTo = [last[2], last[0]] as const;
    const range = [...owner, ...after, ...upTo];
    const decided = byConversation(database.raw<OutcomeValues>(outcomes, ...range));
    const taken = byConversation(turns ? database.raw<TurnValues>(sequences, ...range) : []);
    for (const values of portion) {
      const [id, conversation, index, scenario, scenarioHash, own, judge, replicate, rowIndex, row] = values;
      const [, , , , , , , , , , rowName, variant, arm, parent, item, itemHash, status, unjudged, rowJson] =
        values;
      const scored = { status, unjudged };
      yield {
        ...{ index, conversation, replicate, row, rowIndex, arm, parent, itemHash, status },
        scenario: text(scenario),
        scenarioHash: text(scenarioHash),
        subject: text(own),
        judge: text(judge),
        item: text(item),
        rowName: rowName === null ? null : text(rowName),
        variant: variant === null ? null : variantOf(variant),
        ...(rowValues ? { rowValues: rowJson === null ? null : valuesOf(rowJson) } : {}),
        outcomes: new Map(
          (decided.get(id) ?? []).map(([, name, kind, value, as]) => [
            text(name),
            outcomeScore({ value: outcomeValue({ kind, value }), status: as }, scored),
          ]),
        ),
        turns: turns ? sequenceOf(JSON.stringify((taken.get(id) ?? []).map(([, ...turn]) => turn))) : [],
      };
    }
    if (portion.length < PORTION) return;
    after = upTo;
  }
}

function byConversation<Values extends readonly [number, ...unknown[]]>(
  rows: readonly Values[],
): ReadonlyMap<number, readonly Values[]> {
  return Map.groupBy(rows, ([conversation]) => conversation);
}

/** So many values are remembered: conversations that have them in common are mostly near each other. */
const MOST_REMEMBERED = 10_000;

/** Makes the value of each text once. */
function interned<Value>(make: (text: string) => Value): (text: string) => Value {
  const known = new Map<string, Value>();
  return (text) => {
    let value = known.get(text);
    if (value === undefined) {
      if (known.size >= MOST_REMEMBERED) known.clear();
      value = make(text);
      known.set(text, value);
    }
    return value;
  };
}
