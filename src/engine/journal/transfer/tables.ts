import { lazy } from "../../../core/lazy.ts";
import type { JsonValue } from "../../../core/values/json.ts";
import { variantText } from "../cell.ts";
import type { RunFailure } from "../failure.ts";
import { foldCalls, type MadeCall } from "../fold/calls.ts";
import { type Conversation, foldConversation } from "../fold/conversation.ts";
import type { OutcomeEvent, RunEvent } from "../run-event.ts";
import type { ConversationSummary, Store } from "../store/store.ts";
import type { Turn } from "../turn.ts";
import { storedDefinitions, storedRun } from "./stored-run.ts";

/** What a cell of a table can hold. */
export type CellValue = string | number | boolean | null;

/** A flat row of plain data. */
export type TableRow = Readonly<Record<string, CellValue>>;

/** The type of a column in a file that has types. */
export type ColumnType = "BOOLEAN" | "INT32" | "DOUBLE" | "STRING" | "JSON";

/** Rows that all have the same columns, read from the store as they are asked for, as often as one likes. */
export interface Table<Row extends TableRow = TableRow> extends Iterable<Row> {
  /** In the order of files; there also if there is no row. */
  readonly columns: readonly (keyof Row & string)[];
  /** The types of columns that have the same type in every run; that of the others depends on their values. */
  readonly types?: Readonly<Record<string, ColumnType>>;
}

/** A conversation, from which rows are made. */
interface Source {
  readonly summary: ConversationSummary;
  readonly conversation: Conversation;
  readonly events: readonly RunEvent[];
}

/** The columns of a table in the order of files, each with its value for what a row is about. */
type ColumnsOf<Item, Row> = { readonly [Name in keyof Row]: (item: Item) => Row[Name] };

type RowOf<Columns extends ColumnsOf<never, TableRow>> = {
  readonly [Name in keyof Columns]: ReturnType<Columns[Name]>;
};

/** What tells conversations apart, the same in all tables. */
const CELL = {
  run: ({ summary }: Source) => summary.run,
  conversation: ({ summary }: Source) => summary.conversation,
  scenario: ({ summary }: Source) => summary.scenario,
  /** The id of the dataset's row; null without a dataset. */
  row: ({ summary }: Source) => summary.row,
  /** Position of the row, from 0. */
  row_index: ({ summary }: Source) => summary.rowIndex,
  /** `challenger=aus, order=a`; null without variants. */
  variant: ({ summary }: Source) => variantText(summary.variant),
  /** The arm of a fork, and the conversation that it continues. */
  arm: ({ summary }: Source) => summary.arm,
  parent: ({ summary }: Source) => summary.parent,
  /** The same in conversations that are compared in pairs: scenario and row. */
  item: ({ summary }: Source) => summary.item,
  /** The hash of what the scenario uses of the row; null without a row. */
  item_hash: ({ summary }: Source) => summary.itemHash,
  subject: ({ summary }: Source) => summary.subject,
  judge: ({ summary }: Source) => summary.judge,
  replicate: ({ summary }: Source) => summary.replicate,
  /** How the conversation ended; null while it has not. */
  status: ({ conversation }: Source) => conversation.status,
};

/** What tells conversations apart, the same in all tables. */
export type CellColumns = RowOf<typeof CELL>;

/** What failed. */
const FAILURE = {
  failure_category: ({ failure }: MayFail) => failure?.category ?? null,
  failure_stage: ({ failure }: MayFail) => failure?.stage ?? null,
  failure_message: ({ failure }: MayFail) => failure?.message ?? null,
};

interface MayFail {
  readonly failure?: RunFailure | undefined;
}

const CONVERSATION = {
  ...FAILURE,
  failure_node: ({ failure }: Conversation) => failure?.node ?? null,
  failure_turn: ({ failure }: Conversation) => failure?.turn ?? null,
  /** Finished turns, and how many have which verdict. */
  turns: ({ path }: Conversation) => path.length,
  passed: ({ verdicts }: Conversation) => verdicts.pass,
  failed: ({ verdicts }: Conversation) => verdicts.fail,
  unreadable: ({ verdicts }: Conversation) => verdicts.unreadable,
  unjudged: ({ verdicts }: Conversation) => verdicts.unjudged,
  unverified: ({ verdicts }: Conversation) => verdicts.unverified,
  not_verified: ({ verdicts }: Conversation) => verdicts.not_verified,
  /** The nodes in order, with spaces in between. */
  path: ({ path }: Conversation) => path.join(" "),
  attempts: ({ attempt }: Conversation) => attempt,
  /** ISO 8601, in UTC. */
  started_at: ({ startedAt }: Conversation) => timeOf(startedAt),
  ended_at: ({ endedAt }: Conversation) => timeOf(endedAt),
  // While the conversation goes on, calls under way are not counted yet.
  calls: ({ status, spending }: Conversation) => (status === null ? null : spending.calls),
  cached: ({ status, spending }: Conversation) => (status === null ? null : spending.cached),
  tokens: ({ status, spending }: Conversation) => (status === null ? null : spending.tokens),
  cost: ({ status, spending }: Conversation) => (status === null ? null : spending.cost),
  /** Of that, what the simulated user took. */
  simulator_calls: ({ status, simulator }: Conversation) => (status === null ? null : simulator.calls),
  simulator_cost: ({ status, simulator }: Conversation) => (status === null ? null : simulator.cost),
};

/** A conversation in columns. */
export type ConversationRow = CellColumns & RowOf<typeof CONVERSATION>;

/**
 * The conversations of a run, one row each, in the order of results. Beside the fixed columns there is one for each factor
 * (`variant.challenger`), each column of the dataset (`row.level`) and each outcome (`outcome.resisted`; null unless it is decided).
 */
export function conversationTable(store: Store, run: string): Table<ConversationRow & TableRow> {
  return tableOf<Conversation, RowOf<typeof CONVERSATION>>(store, run, {
    columns: CONVERSATION,
    itemsOf: ({ conversation }) => [conversation],
    hasOutcomes: true,
  });
}

/** A turn, and what failed in it. One that was asked and not finished has a question only. */
interface TableTurn extends Turn, MayFail {}

const TURN = {
  /** From 1. */
  turn: ({ turn }: TableTurn) => turn,
  node: ({ node }: TableTurn) => node,
  agent: ({ agent }: TableTurn) => agent ?? null,
  /** Null if the turn was not finished and nothing failed. */
  verdict: (turn: TableTurn) => verdictText(turn),
  score: ({ score }: TableTurn) => score ?? null,
  refused: ({ refused }: TableTurn) => refused ?? null,
  ...FAILURE,
  question: ({ questionText }: TableTurn) => questionText ?? null,
  reply: ({ reply }: TableTurn) => reply ?? null,
  finish: ({ finish }: TableTurn) => finish ?? null,
  next: ({ next }: TableTurn) => next ?? null,
  /** JSON: what was read, by field. */
  parsed: ({ parsed }: TableTurn) => jsonOf(parsed),
  /** JSON: true, false or null, by field. */
  fields: ({ fields }: TableTurn) =>
    jsonOf(
      fields &&
        Object.fromEntries(Object.entries(fields).map(([name, { result }]) => [name, result] as const)),
    ),
  /** JSON: the values of traits, by name. */
  rubric: ({ rubric }: TableTurn) => jsonOf(rubric),
  tool_calls: ({ fields, toolCalls }: TableTurn) => (fields === undefined ? null : (toolCalls?.length ?? 0)),
  calls: ({ spending }: TableTurn) => spending?.calls ?? null,
  cached: ({ spending }: TableTurn) => spending?.cached ?? null,
  tokens: ({ spending }: TableTurn) => spending?.tokens ?? null,
  cost: ({ spending }: TableTurn) => spending?.cost ?? null,
};

/** A turn in columns. */
export type TurnRow = CellColumns & RowOf<typeof TURN>;

/** The verdict on a turn as people read it: an error is a turn that something failed in, not a wrong answer. */
function verdictText({ verdict, failure }: TableTurn): string | null {
  switch (verdict) {
    case "pass":
      return "right";
    case "fail":
      return "wrong";
    case "unverified":
    case "not_verified":
      return "not verified";
    case "unreadable":
      return "unread";
    default:
      return failure === undefined ? (verdict === undefined ? null : "unread") : "error";
  }
}

/** The turns of a run, one row each, in the order of results. */
export function turnTable(store: Store, run: string): Table<TurnRow & TableRow> {
  return tableOf<TableTurn, RowOf<typeof TURN>>(store, run, {
    columns: TURN,
    itemsOf: ({ conversation }) => turnsOf(conversation),
  });
}

function* turnsOf({ finishedTurns, unfinished, failure }: Conversation): Generator<TableTurn> {
  for (const turn of finishedTurns) yield { ...turn, failure: turn.judgeFailure };
  if (unfinished === undefined) return;
  const { turn, node, agent, questionText } = unfinished;
  // A failure without a turn ended the whole conversation, and so this turn, too.
  const isHere = failure?.turn === undefined || failure.turn === turn;
  yield {
    turn,
    node,
    ...(agent === undefined ? {} : { agent }),
    ...(questionText === undefined ? {} : { questionText }),
    failure: isHere ? failure : undefined,
  };
}

/** An outcome, and what failed in its conversation. */
type TableOutcome = OutcomeEvent & MayFail;

const OUTCOME = {
  ...FAILURE,
  outcome: ({ name }: TableOutcome) => name,
  /** True, false, a number, or null if nothing can be said. */
  value: ({ value }: TableOutcome) => value,
  /** `decided`, `inconclusive` or `not_applicable`. A number that is inconclusive is what can be proved. */
  certainty: ({ status }: TableOutcome) => status,
  reason: ({ reason }: TableOutcome) => reason ?? null,
};

/** What an outcome says about a conversation, in columns. */
export type OutcomeRow = CellColumns & RowOf<typeof OUTCOME>;

/** The outcomes of a run, one row for each of each conversation, in the order of results. */
export function outcomeTable(store: Store, run: string): Table<OutcomeRow & TableRow> {
  return tableOf<TableOutcome, RowOf<typeof OUTCOME>>(store, run, {
    columns: OUTCOME,
    itemsOf: ({ conversation: { outcomes, failure } }) =>
      [...outcomes.values()].map((outcome): TableOutcome => ({ ...outcome, failure })),
  });
}

const CALL = {
  failure_category: ({ end }: MadeCall) => end?.failure?.category ?? null,
  failure_stage: ({ end }: MadeCall) => end?.failure?.stage ?? null,
  failure_message: ({ end }: MadeCall) => end?.failure?.message ?? null,
  /** From 1. */
  turn: ({ turn }: MadeCall) => turn,
  /** Unique within its conversation: `3.subject.1`. */
  call: ({ call }: MadeCall) => call,
  purpose: ({ purpose }: MadeCall) => purpose,
  model: ({ model }: MadeCall) => model,
  /** True if the answer was known already; null while the call is under way. */
  cached: ({ end }: MadeCall) => end?.cached ?? null,
  attempts: ({ end }: MadeCall) => end?.attempts ?? null,
  /** ISO 8601, in UTC. */
  started_at: ({ startedAt }: MadeCall) => timeOf(startedAt),
  ended_at: ({ end }: MadeCall) => timeOf(end?.at ?? null),
  // The latency of a known answer says nothing.
  latency_ms: ({ end }: MadeCall) => (end === undefined || end.cached ? null : end.latencyMs),
  input_tokens: ({ end }: MadeCall) => end?.usage?.inputTokens ?? null,
  output_tokens: ({ end }: MadeCall) => end?.usage?.outputTokens ?? null,
  cache_read_tokens: ({ end }: MadeCall) => end?.usage?.cacheReadTokens ?? null,
  cache_write_tokens: ({ end }: MadeCall) => end?.usage?.cacheWriteTokens ?? null,
  reasoning_tokens: ({ end }: MadeCall) => end?.usage?.reasoningTokens ?? null,
  cost: ({ end }: MadeCall) => end?.cost ?? null,
};

/** A call of a model or tool in columns. */
export type CallRow = CellColumns & RowOf<typeof CALL>;

/** The calls of a run, one row for each, in the order of results and then of time. */
export function callTable(store: Store, run: string): Table<CallRow & TableRow> {
  return tableOf<MadeCall, RowOf<typeof CALL>>(store, run, {
    columns: CALL,
    itemsOf: ({ events }) => foldCalls(events),
    types: { cached: "BOOLEAN" },
  });
}

/** The types of columns that are not texts. */
const TYPES: Readonly<Record<string, ColumnType>> = {
  ...typed("INT32", CELL, ["row_index", "parent", "replicate"]),
  ...typed("INT32", CONVERSATION, [
    "failure_turn",
    "turns",
    "passed",
    "failed",
    "unreadable",
    "unjudged",
    "unverified",
    "not_verified",
    "attempts",
    "calls",
    "cached",
    "tokens",
    "simulator_calls",
  ]),
  ...typed("DOUBLE", CONVERSATION, ["cost", "simulator_cost"]),
  ...typed("INT32", TURN, ["turn", "tool_calls"]),
  ...typed("DOUBLE", TURN, ["score"]),
  ...typed("BOOLEAN", TURN, ["refused"]),
  ...typed("JSON", OUTCOME, ["value"]),
  ...typed("INT32", CALL, [
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "reasoning_tokens",
  ]),
  ...typed("DOUBLE", CALL, ["latency_ms"]),
};

function typed<Columns>(
  type: ColumnType,
  _columns: Columns,
  names: readonly (keyof Columns & string)[],
): Record<string, ColumnType> {
  return Object.fromEntries(names.map((name) => [name, type]));
}

/** The columns that a run has beside the fixed ones. */
interface OwnColumns {
  readonly factors: readonly string[];
  readonly ofRow: readonly string[];
  readonly outcomes: readonly string[];
}

function ownColumns(store: Store, run: string): OwnColumns {
  const [factors, ofRow] = [new Set<string>(), new Set<string>()];
  const definitions = [...storedDefinitions(store, run).values()];
  const outcomes = new Set(definitions.flatMap((definition) => definition.outcomes.map(({ name }) => name)));
  for (const score of store.scores(run, { rowValues: true })) {
    for (const factor in score.variant) factors.add(factor);
    for (const column in score.rowValues) ofRow.add(column);
    for (const outcome of score.outcomes.keys()) outcomes.add(outcome);
  }
  return { factors: [...factors], ofRow: [...ofRow], outcomes: [...outcomes] };
}

/** A table with some rows for each conversation of a run, of which one at a time is in memory. */
function tableOf<Item, Row extends TableRow>(
  store: Store,
  run: string,
  {
    columns,
    itemsOf,
    hasOutcomes = false,
    types = {},
  }: {
    readonly columns: ColumnsOf<Item, Row>;
    readonly itemsOf: (source: Source) => Iterable<Item>;
    readonly hasOutcomes?: boolean;
    readonly types?: Readonly<Record<string, ColumnType>>;
  },
): Table<CellColumns & Row & TableRow> {
  const name = storedRun(store, run).run;
  const own = lazy(() => ownColumns(store, name));
  const fixed = [...Object.keys(CELL), ...Object.keys(columns)];
  return {
    get columns() {
      const { factors, ofRow, outcomes } = own();
      return [
        ...Object.keys(CELL),
        ...factors.map((factor) => `variant.${factor}`),
        ...ofRow.map((column) => `row.${column}`),
        ...(hasOutcomes ? outcomes.map((outcome) => `outcome.${outcome}`) : []),
        ...Object.keys(columns),
      ];
    },
    get types() {
      const ofVariants = own().factors.map((factor) => [`variant.${factor}`, "STRING"]);
      const ofFixed = fixed.map((column) => [column, types[column] ?? TYPES[column] ?? "STRING"]);
      return Object.fromEntries([...ofVariants, ...ofFixed]);
    },
    *[Symbol.iterator]() {
      const { factors, ofRow, outcomes } = own();
      for (const summary of store.conversations(name)) {
        const events = [...store.events(name, summary.conversation)];
        const source = { summary, events, conversation: foldConversation(events) };
        const { rowValues, outcomes: ends } = source.conversation;
        const cell: CellColumns & TableRow = {
          ...inColumns<Source, CellColumns>(CELL, source),
          ...Object.fromEntries(factors.map((each) => [`variant.${each}`, summary.variant?.[each] ?? null])),
          ...Object.fromEntries(ofRow.map((each) => [`row.${each}`, cellOf(rowValues?.[each])])),
          ...(hasOutcomes
            ? Object.fromEntries(outcomes.map((each) => [`outcome.${each}`, decided(ends.get(each))]))
            : {}),
        };
        for (const item of itemsOf(source)) yield { ...cell, ...inColumns<Item, Row>(columns, item) };
      }
    },
  };
}

function inColumns<Item, Row>(columns: ColumnsOf<Item, Row>, item: Item): Row {
  const read = Object.entries<(item: Item) => unknown>(columns);
  return Object.fromEntries(read.map(([name, value]) => [name, value(item)] as const)) as Row;
}

/** What is proved of an outcome that is not decided stands in the table of outcomes. */
function decided(outcome: OutcomeEvent | undefined): CellValue {
  return outcome?.status === "decided" ? outcome.value : null;
}

function cellOf(value: JsonValue | undefined): CellValue {
  return value === undefined || typeof value === "object" ? null : value;
}

/** The latest time that a date can be. */
const LAST_TIME = 8.64e15;

function timeOf(at: number | null): string | null {
  return at === null || Math.abs(at) > LAST_TIME ? null : new Date(at).toISOString();
}

function jsonOf(data: unknown): string | null {
  return data === undefined ? null : JSON.stringify(data);
}
