import { memoize } from "../../../core/lazy.ts";
import type { ConversationStatus } from "../../../core/state/state.ts";
import type { OutcomeScore } from "../fold/tally.ts";
import { OUTCOMES, type OutcomeValues, readScores, SharedItems, SharedTurns, scoreOf } from "./scores.ts";
import type { SqlDatabase } from "./sql-database.ts";
import type { ConversationScore, ScoreOptions } from "./store.ts";

/** So many conversations are grouped by one query, which takes half a second at most. */
const AT_ONCE = 50_000;

/** What conversations that are alike have in common; files of earlier versions lack the last three columns, which are then null. */
const SAME: readonly string[] = 'scenario scenario_hash subject judge status "row" row_id variant arm'.split(
  " ",
);
const FIRST_LATER = 6;

/** The columns of a group: those, two texts for outcomes and turns, and how many there are. */
type GroupValues = readonly [
  scenario: string,
  scenarioHash: string,
  subject: string,
  judge: string,
  // Written by an event's status.
  status: ConversationStatus | null,
  rowIndex: number | null,
  row: string | null,
  variant: string | null,
  arm: string | null,
  disturbed: 0 | 1,
  outcomes: string | null,
  turns: string | null,
  count: number,
  position: number,
  id: number,
  name: string,
  replicate: number,
];

interface Alike {
  readonly score: ConversationScore;
  count: number;
}

/**
 * The scores of a run for rates, straight from a query that groups them: conversations that differ only in name, place, replicate and
 * parent are one object, given as often as there are. They come in the order of their first one.
 */
export function* readAlikeScores(
  database: SqlDatabase,
  run: number,
  options: ScoreOptions,
): Generator<ConversationScore> {
  const { turns = false, subject } = options;
  const known = new Map<string, Alike>();
  const shared = new SharedParts(database, turns);
  const sql = groupsSql(database, options);
  const own = subject === undefined ? [] : [subject];
  let after = Number.NEGATIVE_INFINITY;
  for (;;) {
    const end = database.value<number>(
      `SELECT position FROM conversation WHERE run = ? AND position > ? ORDER BY position LIMIT 1 OFFSET ${AT_ONCE - 1}`,
      ...[run, after],
    );
    let found = 0;
    const groups = database.raw<GroupValues>(sql, run, after, end ?? Number.POSITIVE_INFINITY, ...own);
    for (const values of groups) {
      const alike = memoize(known, JSON.stringify(values.slice(0, 12)), () => ({
        score: shared.score(values),
        count: 0,
      }));
      alike.count += values[12];
      found += values[12];
    }
    // Where nearly all differ, as with a number of its own for each, to group them is no help.
    if (after === Number.NEGATIVE_INFINITY && groups.length > 0.75 * found)
      return yield* readScores(database, run, options);
    if (end === undefined) break;
    after = end;
  }
  const inOrder = [...known.values()].sort((one, other) => one.score.index - other.score.index);
  for (const { score, count } of inOrder) for (let given = 0; given < count; given++) yield score;
}

/** Counts conversations that are alike. Texts have the length of each name, so that different outcomes never give the same text. */
function groupsSql(database: SqlDatabase, { turns = false, subject }: ScoreOptions): string {
  const { joined, exact } = database.dialect;
  const same = SAME.map((column, place) =>
    place < FIRST_LATER || database.hasColumn("conversation", column) ? column : "NULL",
  );
  const outcome = `CASE outcome.status WHEN 'decided' THEN
      CASE outcome.kind WHEN 'boolean' THEN CASE outcome.value WHEN 1 THEN 't' WHEN 0 THEN 'f' ELSE '' END ELSE coalesce(${exact("outcome.value")}, '') END
    ELSE outcome.status END || ' ' || length(outcome.name) || ' ' || outcome.name`;
  const turn = "turn.verdict || length(turn.node) || ' ' || turn.node";
  const outcomes = `(SELECT ${joined(outcome, "outcome.name")} FROM outcome WHERE outcome.conversation = conversation.id)`;
  const sequence = turns
    ? `(SELECT ${joined(turn, "turn.turn")} FROM turn WHERE turn.conversation = conversation.id AND turn.verdict IS NOT NULL)`
    : "''";
  const key = [...same, "CASE WHEN unjudged > 0 THEN 1 ELSE 0 END", outcomes, sequence];
  return `SELECT ${key.join(", ")}, count(*), min(position), min(id), min(name), min(replicate) FROM conversation
    WHERE run = ? AND position > ? AND position <= ? ${subject === undefined ? "" : "AND subject = ?"}
    GROUP BY ${key.map((_, place) => place + 1).join(", ")}`;
}

/** What groups have in common: each text is read once. */
class SharedParts {
  readonly #database: SqlDatabase;
  readonly #items = new SharedItems();
  readonly #outcomes = new Map<string, ReadonlyMap<string, OutcomeScore>>();
  readonly #turns = new Map<string, ConversationScore["turns"]>();
  readonly #variants = new Map<string, ConversationScore["variant"]>();
  readonly #sequences: SharedTurns | undefined;

  constructor(database: SqlDatabase, turns: boolean) {
    this.#database = database;
    this.#sequences = turns ? new SharedTurns(database) : undefined;
  }

  /** The score of a group. Its texts are only keys: what they say is read from one of its conversations. */
  score(values: GroupValues): ConversationScore {
    const [scenario, scenarioHash, subject, judge, status, rowIndex, row, variant, arm, unjudged] = values;
    const [, , , , , , , , , , outcomes, turns, , index, id, conversation, replicate] = values;
    const place = { scenario, row, rowIndex };
    const text = JSON.stringify([status, unjudged, outcomes]);
    return {
      ...{ ...place, subject, judge, arm, replicate, index, conversation, scenarioHash, status },
      parent: null,
      variant: variant === null ? null : memoize(this.#variants, variant, () => JSON.parse(variant)),
      item: this.#items.of(place),
      itemHash: null,
      outcomes: memoize(this.#outcomes, text, () => this.#outcomesOf(id, { status, unjudged })),
      turns: memoize(this.#turns, turns ?? "", () => this.#sequences?.of([[id, id]]).get(id) ?? []),
    };
  }

  #outcomesOf(
    id: number,
    disturbed: { readonly status: ConversationStatus | null; readonly unjudged: number },
  ): ReadonlyMap<string, OutcomeScore> {
    const rows = this.#database.raw<OutcomeValues>(OUTCOMES, id, id);
    return new Map(rows.map(([, name, value, code]) => [name, scoreOf(value, code, disturbed)]));
  }
}
