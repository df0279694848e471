import type { Store } from "../store/store.ts";
import { type CellColumns, type FailureColumns, failureColumns, type Table, tableOf } from "./table.ts";

/** What an outcome says about a conversation, in columns. */
export type OutcomeRow = CellColumns &
  FailureColumns & {
    readonly outcome: string;
    /** True, false, a number, or null if nothing can be said. */
    readonly value: boolean | number | null;
    /** `decided` or `inconclusive`. A number that is inconclusive is what can be proved. */
    readonly certainty: "decided" | "inconclusive";
    readonly reason: string | null;
  };

type Columns = Omit<OutcomeRow, keyof CellColumns>;

const COLUMNS: readonly (keyof Columns)[] = [
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
    columns: COLUMNS,
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
