import type { RunFailure } from "../failure.ts";
import { type Conversation, foldConversation } from "../fold/conversation.ts";
import type { ConversationSummary, Store } from "../store/store.ts";
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
  /** Position of the dataset's row, from 0; null without a dataset. */
  readonly row: number | null;
  /** Null: there are no variants yet. */
  readonly variant: string | null;
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
  "variant",
  "subject",
  "judge",
  "replicate",
  "status",
];

/** A table with some rows for each conversation of a run, of which one at a time is in memory. */
export function tableOf<Row extends CellColumns>(
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

function cellColumns(summary: ConversationSummary, { status }: Conversation): CellColumns {
  const { run, conversation, scenario, row, subject, judge, replicate } = summary;
  return { run, conversation, scenario, row, variant: null, subject, judge, replicate, status };
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
