import type { Conversation } from "../fold/conversation.ts";
import type { Store } from "../store/store.ts";
import type { FinishedTurn, Turn, TurnVerdict } from "../turn.ts";
import { type CellColumns, type FailureColumns, failureColumns, type Table, tableOf } from "./table.ts";

/** A turn in columns. */
export type TurnRow = CellColumns &
  FailureColumns & {
    /** From 1. */
    readonly turn: number;
    readonly node: string;
    readonly agent: string | null;
    /** Null if the turn never came to its end; the columns of the failure then say why. */
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

const COLUMNS: readonly (keyof TurnColumns)[] = [
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
  return tableOf<TurnRow>(store, run, { columns: COLUMNS, rows: turnRows });
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
