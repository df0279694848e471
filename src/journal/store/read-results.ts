import type BetterSqlite3 from "better-sqlite3";
import type { ConversationStatus } from "../../core/state/state.ts";
import type { Spending } from "../spending.ts";
import { spendingOf } from "./conversation-columns.ts";
import { type OutcomeGroup, resultRows, type StatusGroup } from "./result-rows.ts";
import type { ResultRow } from "./store.ts";
import { sumOrNull } from "./store-reader.ts";

type GroupColumns = Pick<StatusGroup, "scenario" | "subject" | "judge" | "conversations"> &
  ResultRow["turns"] &
  Spending & { readonly status: ConversationStatus | null };

type OutcomeColumns = Pick<OutcomeGroup, "scenario" | "subject" | "judge" | "name"> &
  ResultRow["outcomes"][string];

const GROUPS = `
SELECT scenario, subject, judge, status, count(*) AS conversations,
  total(passed) AS passed, total(failed) AS failed, total(unreadable) AS unreadable,
  total(unjudged) AS unjudged, total(unverified) AS unverified,
  total(calls) AS calls, total(cached) AS cached, ${sumOrNull("tokens")}, ${sumOrNull("cost")}
FROM conversation WHERE run = ? GROUP BY scenario, subject, judge, status ORDER BY min(position)`;

/** True of a conversation that something else than its replies kept from being decided. */
const WAS_DISTURBED = `(coalesce(conversation.status, '') NOT IN ('completed', 'limit_reached') OR unjudged > 0)`;

const OUTCOMES = `
SELECT scenario, subject, judge, outcome.name AS name,
  count(*) FILTER (WHERE outcome.status = 'decided' AND kind = 'boolean' AND value = 1) AS yes,
  count(*) FILTER (WHERE outcome.status = 'decided' AND kind = 'boolean' AND value = 0) AS no,
  count(*) FILTER (WHERE outcome.status = 'decided' AND kind = 'number') AS numbers,
  avg(value) FILTER (WHERE outcome.status = 'decided' AND kind = 'number') AS mean,
  count(*) FILTER (WHERE outcome.status = 'inconclusive' AND NOT ${WAS_DISTURBED}) AS inconclusive,
  count(*) FILTER (WHERE outcome.status = 'inconclusive' AND ${WAS_DISTURBED}) AS infrastructure
FROM conversation JOIN outcome ON outcome.conversation = conversation.id
WHERE run = ? GROUP BY scenario, subject, judge, outcome.name ORDER BY outcome.name`;

/** The results of a run by scenario, subject and judge, added up by the database. */
export function readResults(database: BetterSqlite3.Database, run: number): readonly ResultRow[] {
  const groups = database.prepare<[number], GroupColumns>(GROUPS).all(run);
  const outcomes = database.prepare<[number], OutcomeColumns>(OUTCOMES).all(run);
  return resultRows(
    groups.map((columns) => {
      const { scenario, subject, judge, status, conversations } = columns;
      const { passed, failed, unreadable, unjudged, unverified } = columns;
      const turns = { passed, failed, unreadable, unjudged, unverified };
      return { scenario, subject, judge, status, conversations, turns, spending: spendingOf(columns) };
    }),
    outcomes.map(({ scenario, subject, judge, name, ...result }) => {
      return { scenario, subject, judge, name, result };
    }),
  );
}
