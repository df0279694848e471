import type { ConversationStatus } from "../../core/state/state.ts";
import type { JsonObject } from "../../core/values/json.ts";
import { cellSummary } from "../cell.ts";
import type { Conversation } from "../fold/conversation.ts";
import { type OutcomeScore, outcomeScore } from "../fold/tally.ts";
import type { TurnVerdict } from "../turn.ts";
import { type ConversationColumns, cellOf, type OutcomeColumns, outcomeOf } from "./conversation-columns.ts";
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

type ScoreColumns = Pick<
  ConversationColumns,
  | "id"
  | "name"
  | "position"
  | "scenario"
  | "scenario_hash"
  | "subject"
  | "judge"
  | "replicate"
  | "row"
  | "status"
  | "unjudged"
  | "row_id"
  | "variant"
  | "arm"
  | "parent"
  | "row_values"
>;

const COLUMNS = 'id name position scenario scenario_hash subject judge replicate "row" status unjudged'.split(
  " ",
);
/** Columns that files of earlier versions do not have. */
const NEWER = ["row_id", "variant", "arm", "parent"];

type OutcomeValues = readonly [number, string, string, number | null, OutcomeColumns["status"]];
type TurnValues = readonly [number, string, TurnVerdict];

/** Conversations are read in portions: a statement that stays open would keep the connection from writing. */
const PORTION = 512;

/** The scores of a run, straight from columns: no event is read. */
export function* readScores(
  database: SqlDatabase,
  run: number,
  { turns = false, rowValues = false }: ScoreOptions,
): Generator<ConversationScore> {
  const newer = rowValues ? [...NEWER, "row_values"] : NEWER;
  const present = newer.filter((name) => database.hasColumn("conversation", name));
  const columns = [...COLUMNS, ...present].join(", ");
  const selectConversations = `SELECT ${columns} FROM conversation WHERE run = ? AND (position, id) > (?, ?) ORDER BY position, id LIMIT ?`;
  const selectOutcomes =
    "SELECT conversation, name, kind, value, status FROM outcome WHERE conversation BETWEEN ? AND ?";
  const selectTurns = `SELECT conversation, node, verdict FROM turn WHERE conversation BETWEEN ? AND ? AND verdict IS NOT NULL
    ORDER BY conversation, turn`;
  const words = new Map<string, string>();
  /** The same text once in memory, however many conversations have it. */
  const shared = (word: string): string => {
    const known = words.get(word);
    if (known === undefined) words.set(word, word);
    return known ?? word;
  };
  const variants = new Map<string, ConversationScore["variant"]>();
  const rows = new SharedRows();
  let [position, after] = [Number.NEGATIVE_INFINITY, 0];
  for (;;) {
    const portion = database.all<ScoreColumns>(selectConversations, run, position, after, PORTION);
    const byId = new Map(
      portion.map((entry) => [
        entry.id,
        { entry, outcomes: new Map<string, OutcomeScore>(), turns: [] as ScoredTurn[] },
      ]),
    );
    for (const [first, last] of idRanges(portion)) {
      for (const [id, name, kind, value, status] of database.raw<OutcomeValues>(
        selectOutcomes,
        first,
        last,
      )) {
        const found = byId.get(id);
        // Written by an event's status.
        const columnsOfEntry = found?.entry as { status: ConversationStatus | null; unjudged: number };
        if (found)
          found.outcomes.set(
            shared(name),
            outcomeScore(outcomeOf("", { name, kind, value, status }), columnsOfEntry),
          );
      }
      if (turns)
        for (const [id, node, verdict] of database.raw<TurnValues>(selectTurns, first, last))
          byId.get(id)?.turns.push({ node: shared(node), verdict: shared(verdict) as TurnVerdict });
    }
    for (const { entry, outcomes, turns: scored } of byId.values()) {
      const { name, scenario, scenario_hash, subject, judge, status, variant } = entry;
      const place = cellSummary(cellOf({ ...entry, variant: null } as ConversationColumns));
      if (typeof variant === "string" && !variants.has(variant)) variants.set(variant, JSON.parse(variant));
      yield {
        ...place,
        scenario: shared(scenario),
        subject: shared(subject),
        judge: shared(judge),
        item: shared(place.item),
        variant: typeof variant === "string" ? (variants.get(variant) ?? null) : null,
        conversation: name,
        scenarioHash: shared(scenario_hash),
        ...(rowValues ? { rowValues: rows.of(entry.row_values) } : {}),
        status: status as ConversationStatus | null,
        outcomes,
        turns: scored,
      };
    }
    const last = portion.at(-1);
    if (last === undefined || portion.length < PORTION) return;
    [position, after] = [last.position, last.id];
  }
}

/** How many rows are remembered: conversations about the same row often follow each other. */
const MOST_ROWS = 1_000;

/** The values of rows, each object once for conversations about the same row that are near each other. */
class SharedRows {
  readonly #known = new Map<string, JsonObject>();

  of(json: string | null | undefined): JsonObject | null {
    if (json === null || json === undefined) return null;
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
function idRanges(portion: readonly { readonly id: number }[]): readonly (readonly [number, number])[] {
  const ids = portion.map(({ id }) => id).sort((one, other) => one - other);
  const ranges: [number, number][] = [];
  for (const id of ids) {
    const last = ranges.at(-1);
    if (last !== undefined && id - last[1] <= 64) last[1] = id;
    else ranges.push([id, id]);
  }
  return ranges;
}
