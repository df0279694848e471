import { variantText } from "../cell.ts";
import type { RunFailure } from "../failure.ts";
import { type Conversation, foldConversation } from "../fold/conversation.ts";
import type { ConversationSummary, Store } from "../store/store.ts";
import type { FinishedTurn, Turn, TurnVerdict } from "../turn.ts";
import { storedRun } from "./stored-run.ts";

/** What a cell of a table can hold. */
export type CellValue = string | number | boolean | null;

/** A flat row of plain data. */
export type TableRow = Readonly<Record<string, CellValue>>;

/** Rows that all have the same columns, read from the store as they are asked for, as often as one likes. */
export interface Table<Row extends TableRow = TableRow> extends Iterable<Row> {
  /** In the order of files; there also if there is no row. */
  readonly columns: readonly (keyof Row & string)[];
}

/** What tells conversations apart, the same in all tables. */
export type CellColumns = {
  readonly run: string;
  readonly conversation: string;
  readonly scenario: string;
  /** The id of the dataset's row; null without a dataset. */
  readonly row: string | null;
  /** Position of the row, from 0. */
  readonly row_index: number | null;
  /** `challenger=aus, order=a`; null without variants. */
  readonly variant: string | null;
  /** The arm of a fork, and the conversation that it continues. */
  readonly arm: string | null;
  readonly parent: number | null;
  /** The same in conversations that are compared in pairs: scenario and row. */
  readonly item: string;
  /** The hash of what the scenario uses of the row; null without a row. */
  readonly item_hash: string | null;
  readonly subject: string;
  readonly judge: string;
  readonly replicate: number;
  /** How the conversation ended; null while it has not. */
  readonly status: string | null;
};

/** The columns of `CellColumns`. */
export const CELL_COLUMNS: readonly (keyof CellColumns)[] = [
  "run",
  "conversation",
  "scenario",
  "row",
  "row_index",
  "variant",
  "arm",
  "parent",
  "item",
  "item_hash",
  "subject",
  "judge",
  "replicate",
  "status",
];

/** A table with some rows for each conversation of a run, of which one at a time is in memory. */
function tableOf<Row extends CellColumns>(
  store: Store,
  run: string,
  {
    columns,
    rows,
  }: {
    readonly columns: readonly (Exclude<keyof Row, keyof CellColumns> & string)[];
    readonly rows: (conversation: Conversation) => Iterable<Omit<Row, keyof CellColumns>>;
  },
): Table<Row> {
  const name = storedRun(store, run).run;
  return {
    columns: [...CELL_COLUMNS, ...columns],
    *[Symbol.iterator]() {
      for (const summary of store.conversations(name)) {
        const conversation = foldConversation(store.events(name, summary.conversation));
        const cell = cellColumns(summary, conversation);
        // Both parts of the row, and nothing else.
        for (const row of rows(conversation)) yield { ...cell, ...row } as Row;
      }
    },
  };
}

/** Where a conversation stands, in columns. */
export function cellColumns(summary: ConversationSummary, { status }: Conversation): CellColumns {
  const {
    run,
    conversation,
    scenario,
    row,
    rowIndex,
    arm,
    parent,
    item,
    itemHash,
    subject,
    judge,
    replicate,
  } = summary;
  const variant = variantText(summary.variant);
  const place = {
    run,
    conversation,
    scenario,
    row,
    row_index: rowIndex,
    variant,
    arm,
    parent,
    item,
    item_hash: itemHash,
  };
  return { ...place, subject, judge, replicate, status };
}

/** What failed, in columns. */
export type FailureColumns = {
  readonly failure_category: string | null;
  readonly failure_stage: string | null;
  readonly failure_message: string | null;
};

/** A failure in columns; nulls if there is none. */
export function failureColumns(failure: RunFailure | undefined): FailureColumns {
  return {
    failure_category: failure?.category ?? null,
    failure_stage: failure?.stage ?? null,
    failure_message: failure?.message ?? null,
  };
}

/** A conversation in columns. */
export type ConversationRow = CellColumns &
  FailureColumns & {
    readonly failure_node: string | null;
    readonly failure_turn: number | null;
    /** Finished turns, and how many have which verdict. */
    readonly turns: number;
    readonly passed: number;
    readonly failed: number;
    readonly unreadable: number;
    readonly unjudged: number;
    readonly unverified: number;
    readonly not_verified: number;
    /** The nodes in order, with spaces in between. */
    readonly path: string;
    readonly attempts: number;
    /** ISO 8601, in UTC. */
    readonly started_at: string | null;
    readonly ended_at: string | null;
    readonly calls: number | null;
    readonly cached: number | null;
    readonly tokens: number | null;
    readonly cost: number | null;
    /** Of that, what the simulated user took. */
    readonly simulator_calls: number | null;
    readonly simulator_cost: number | null;
  };

type ConversationPart = Omit<ConversationRow, keyof CellColumns>;

const CONVERSATION_COLUMNS: readonly (keyof ConversationPart)[] = [
  "failure_category",
  "failure_stage",
  "failure_message",
  "failure_node",
  "failure_turn",
  "turns",
  "passed",
  "failed",
  "unreadable",
  "unjudged",
  "unverified",
  "not_verified",
  "path",
  "attempts",
  "started_at",
  "ended_at",
  "calls",
  "cached",
  "tokens",
  "cost",
  "simulator_calls",
  "simulator_cost",
];

/** The conversations of a run, one row each, in the order of results. */
export function conversationTable(store: Store, run: string): Table<ConversationRow> {
  return tableOf<ConversationRow>(store, run, {
    columns: CONVERSATION_COLUMNS,
    rows: (conversation) => [columnsOf(conversation)],
  });
}

function columnsOf(conversation: Conversation): ConversationPart {
  const { failure, verdicts, path, attempt, startedAt, endedAt, status } = conversation;
  // While the conversation goes on, calls under way are not counted yet.
  const spending = status === null ? undefined : conversation.spending;
  return {
    ...failureColumns(failure),
    failure_node: failure?.node ?? null,
    failure_turn: failure?.turn ?? null,
    turns: path.length,
    passed: verdicts.pass,
    failed: verdicts.fail,
    unreadable: verdicts.unreadable,
    unjudged: verdicts.unjudged,
    unverified: verdicts.unverified,
    not_verified: verdicts.not_verified,
    path: path.join(" "),
    attempts: attempt,
    started_at: timeOf(startedAt),
    ended_at: timeOf(endedAt),
    calls: spending?.calls ?? null,
    cached: spending?.cached ?? null,
    tokens: spending?.tokens ?? null,
    cost: spending?.cost ?? null,
    simulator_calls: spending === undefined ? null : conversation.simulator.calls,
    simulator_cost: spending === undefined ? null : conversation.simulator.cost,
  };
}

/** The latest time that a date can be. */
const LAST_TIME = 8.64e15;

function timeOf(at: number | null): string | null {
  return at === null || Math.abs(at) > LAST_TIME ? null : new Date(at).toISOString();
}

/** A turn in columns. */
export type TurnRow = CellColumns &
  FailureColumns & {
    /** From 1. */
    readonly turn: number;
    readonly node: string;
    readonly agent: string | null;
    /** Null if the turn was not finished; the columns of the failure then say why. */
    readonly verdict: TurnVerdict | null;
    readonly score: number | null;
    readonly refused: boolean | null;
    readonly question: string | null;
    readonly reply: string | null;
    readonly finish: string | null;
    readonly next: string | null;
    /** JSON: what was read, by field. */
    readonly parsed: string | null;
    /** JSON: true, false or null, by field. */
    readonly fields: string | null;
    /** JSON: the values of traits, by name. */
    readonly rubric: string | null;
    readonly tool_calls: number | null;
    readonly calls: number | null;
    readonly cached: number | null;
    readonly tokens: number | null;
    readonly cost: number | null;
  };

type TurnColumns = Omit<TurnRow, keyof CellColumns>;

const TURN_COLUMNS: readonly (keyof TurnColumns)[] = [
  "turn",
  "node",
  "agent",
  "verdict",
  "score",
  "refused",
  "failure_category",
  "failure_stage",
  "failure_message",
  "question",
  "reply",
  "finish",
  "next",
  "parsed",
  "fields",
  "rubric",
  "tool_calls",
  "calls",
  "cached",
  "tokens",
  "cost",
];

/** The turns of a run, one row each, in the order of results. */
export function turnTable(store: Store, run: string): Table<TurnRow> {
  return tableOf<TurnRow>(store, run, { columns: TURN_COLUMNS, rows: turnRows });
}

function* turnRows({ finishedTurns, unfinished, failure }: Conversation): Generator<TurnColumns> {
  for (const turn of finishedTurns) yield finished(turn);
  if (unfinished === undefined) return;
  // A failure without a turn ended the whole conversation, and so this turn, too.
  const isHere = failure?.turn === undefined || failure.turn === unfinished.turn;
  yield { ...NOTHING, ...begun(unfinished), ...failureColumns(isHere ? failure : undefined) };
}

const NOTHING: Omit<TurnColumns, "turn" | "node" | "agent" | keyof FailureColumns> = {
  verdict: null,
  score: null,
  refused: null,
  question: null,
  reply: null,
  finish: null,
  next: null,
  parsed: null,
  fields: null,
  rubric: null,
  tool_calls: null,
  calls: null,
  cached: null,
  tokens: null,
  cost: null,
};

function begun({
  turn,
  node,
  agent,
  questionText,
}: Turn): Pick<TurnColumns, "turn" | "node" | "agent" | "question"> {
  return { turn, node, agent: agent ?? null, question: questionText ?? null };
}

function finished(result: Turn & FinishedTurn): TurnColumns {
  const { turn, node, agent, score, refused, questionText, reply, finish, next, judgeFailure } = result;
  const { parsed, fields, rubric, toolCalls, spending } = result;
  const verdicts = Object.entries(fields).map(([name, field]) => [name, field.result] as const);
  return {
    turn,
    node,
    agent: agent ?? null,
    verdict: result.verdict ?? null,
    score,
    refused,
    ...failureColumns(judgeFailure),
    question: questionText,
    reply,
    finish,
    next,
    parsed: JSON.stringify(parsed),
    fields: JSON.stringify(Object.fromEntries(verdicts)),
    rubric: JSON.stringify(rubric),
    tool_calls: toolCalls?.length ?? 0,
    calls: spending.calls,
    cached: spending.cached,
    tokens: spending.tokens,
    cost: spending.cost,
  };
}

/** What an outcome says about a conversation, in columns. */
export type OutcomeRow = CellColumns &
  FailureColumns & {
    readonly outcome: string;
    /** True, false, a number, or null if nothing can be said. */
    readonly value: boolean | number | null;
    /** `decided`, `inconclusive` or `not_applicable`. A number that is inconclusive is what can be proved. */
    readonly certainty: "decided" | "inconclusive" | "not_applicable";
    readonly reason: string | null;
  };

type OutcomePart = Omit<OutcomeRow, keyof CellColumns>;

const OUTCOME_COLUMNS: readonly (keyof OutcomePart)[] = [
  "failure_category",
  "failure_stage",
  "failure_message",
  "outcome",
  "value",
  "certainty",
  "reason",
];

/** The outcomes of a run, one row for each of each conversation, in the order of results. */
export function outcomeTable(store: Store, run: string): Table<OutcomeRow> {
  return tableOf<OutcomeRow>(store, run, {
    columns: OUTCOME_COLUMNS,
    rows: ({ outcomes, failure }) =>
      [...outcomes.values()].map(({ name, value, status, reason }) => ({
        ...failureColumns(failure),
        outcome: name,
        value,
        certainty: status,
        reason: reason ?? null,
      })),
  });
}
