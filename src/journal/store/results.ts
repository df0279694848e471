import { type ConversationStatus, isFinished, isUnscored } from "../../core/state/state.ts";
import type { Conversation } from "../fold/conversation.ts";
import type { OutcomeEvent } from "../run-event.ts";
import { addSpending, NOTHING_SPENT, type Spending } from "../spending.ts";
import { spendingOf, sumOrNull } from "./conversation-columns.ts";
import type { NodeTurns, ResultRow, RunSummary } from "./store.ts";

/** What some conversations of one scenario, subject and judge that ended in the same way have in common. */
export interface StatusGroup {
  readonly scenario: string;
  readonly subject: string;
  readonly judge: string;
  readonly status: ConversationStatus | null;
  readonly conversations: number;
  readonly turns: ResultRow["turns"];
  readonly spending: Spending;
}

/** One outcome of conversations of one scenario, subject and judge. */
export interface OutcomeGroup {
  readonly scenario: string;
  readonly subject: string;
  readonly judge: string;
  readonly name: string;
  readonly result: ResultRow["outcomes"][string];
}

/** The turns with a template at a node, in conversations of one scenario, subject and judge. */
export interface NodeGroup extends NodeTurns {
  readonly scenario: string;
  readonly subject: string;
  readonly judge: string;
  readonly node: string;
}

type Line = { -readonly [Key in keyof ResultRow]: ResultRow[Key] };

/** Puts the lines of a results table together, in the order of the groups. */
export function resultRows(
  groups: Iterable<StatusGroup>,
  outcomes: Iterable<OutcomeGroup>,
  nodes: Iterable<NodeGroup>,
): readonly ResultRow[] {
  const lines = new Map<string, Line>();
  for (const group of groups) {
    const { scenario, subject, judge, status, conversations, turns, spending } = group;
    const line = lines.get(keyOf(group)) ?? {
      scenario,
      subject,
      judge,
      conversations: 0,
      statuses: {},
      turns: NO_TURNS,
      outcomes: {},
      spending: NOTHING_SPENT,
      nodes: {},
    };
    lines.set(keyOf(group), line);
    line.conversations += conversations;
    if (status !== null)
      line.statuses = { ...line.statuses, [status]: (line.statuses[status] ?? 0) + conversations };
    line.turns = addTurns(line.turns, turns);
    line.spending = addSpending(line.spending, spending);
  }
  for (const group of outcomes) {
    const line = lines.get(keyOf(group));
    // A computed key sets no prototype, whatever an outcome is called.
    if (line !== undefined) line.outcomes = { ...line.outcomes, [group.name]: group.result };
  }
  for (const group of nodes) {
    const line = lines.get(keyOf(group));
    const { node, turns, unreadable, unjudged } = group;
    if (line !== undefined) line.nodes = { ...line.nodes, [node]: { turns, unreadable, unjudged } };
  }
  return [...lines.values()];
}

const NO_TURNS: ResultRow["turns"] = Object.freeze({
  passed: 0,
  failed: 0,
  unreadable: 0,
  unjudged: 0,
  unverified: 0,
});

function addTurns(left: ResultRow["turns"], right: ResultRow["turns"]): ResultRow["turns"] {
  return {
    passed: left.passed + right.passed,
    failed: left.failed + right.failed,
    unreadable: left.unreadable + right.unreadable,
    unjudged: left.unjudged + right.unjudged,
    unverified: left.unverified + right.unverified,
    ...notVerified((left.notVerified ?? 0) + (right.notVerified ?? 0)),
  };
}

function keyOf({ scenario, subject, judge }: Pick<StatusGroup, "scenario" | "subject" | "judge">): string {
  return JSON.stringify([scenario, subject, judge]);
}

/**
 * An outcome of a conversation; disturbed if something else than replies kept the conversation from being decided, later if it
 * was stopped as asked, or is not scored: what it leaves open is then not an error, because a resume decides it, or because its
 * status says it.
 */
type CountedOutcome = OutcomeEvent & { readonly isDisturbed: boolean; readonly isLater: boolean };

/** The results of conversations that are in memory, as `readResults` adds them up. */
export function memoryResults(conversations: readonly Conversation[]): readonly ResultRow[] {
  const sorted = [...conversations].sort((one, other) => one.cell.index - other.cell.index);
  const groups = sorted.map(({ cell, status, verdicts, spending }) => {
    const { scenario, subject, judge } = cell;
    const { pass: passed, fail: failed, unreadable, unjudged, unverified } = verdicts;
    const turns = {
      passed,
      failed,
      unreadable,
      unjudged,
      unverified,
      ...notVerified(verdicts.not_verified),
    };
    return { scenario, subject, judge, status, conversations: 1, turns, spending };
  });
  return resultRows(groups, outcomeGroups(sorted), nodeGroups(sorted));
}

function nodeGroups(conversations: readonly Conversation[]): readonly NodeGroup[] {
  const found = new Map<string, { -readonly [Key in keyof NodeGroup]: NodeGroup[Key] }>();
  for (const { cell, finishedTurns } of conversations) {
    const { scenario, subject, judge } = cell;
    for (const { node, verdict } of finishedTurns) {
      if (verdict === undefined || verdict === "unverified") continue;
      const key = JSON.stringify([scenario, subject, judge, node]);
      const group = found.get(key) ?? {
        scenario,
        subject,
        judge,
        node,
        turns: 0,
        unreadable: 0,
        unjudged: 0,
      };
      found.set(key, group);
      group.turns++;
      if (verdict === "unreadable" || verdict === "unjudged") group[verdict]++;
    }
  }
  return [...found.values()].sort((one, other) => (one.node < other.node ? -1 : 1));
}

function outcomeGroups(conversations: readonly Conversation[]): readonly OutcomeGroup[] {
  const found = new Map<string, { readonly group: Omit<OutcomeGroup, "result">; values: CountedOutcome[] }>();
  for (const { cell, status, verdicts, outcomes } of conversations) {
    const { scenario, subject, judge } = cell;
    const isDisturbed = verdicts.unjudged > 0 || !isFinished(status);
    const isLater = status === "cancelled" || status === "budget_exhausted" || isUnscored(status);
    for (const outcome of outcomes.values()) {
      const { name } = outcome;
      const key = JSON.stringify([scenario, subject, judge, name]);
      const known = found.get(key) ?? { group: { scenario, subject, judge, name }, values: [] };
      known.values.push({ ...outcome, isDisturbed, isLater });
      found.set(key, known);
    }
  }
  return [...found.values()].map(({ group, values }) => ({ ...group, result: counted(values) }));
}

function counted(outcomes: readonly CountedOutcome[]): OutcomeGroup["result"] {
  const decided = outcomes.filter(({ status }) => status === "decided").map(({ value }) => value);
  const open = outcomes.filter(({ status, isLater }) => status === "inconclusive" && !isLater);
  const infrastructure = open.filter(({ isDisturbed }) => isDisturbed).length;
  const numbers = decided.filter((value) => typeof value === "number");
  return {
    yes: decided.filter((value) => value === true).length,
    no: decided.filter((value) => value === false).length,
    numbers: numbers.length,
    mean: numbers.length === 0 ? null : numbers.reduce((sum, value) => sum + value, 0) / numbers.length,
    inconclusive: open.length - infrastructure,
    infrastructure,
    ...notApplicable(outcomes.filter(({ status }) => status === "not_applicable").length),
  };
}

function notVerified(count: number): Pick<ResultRow["turns"], "notVerified"> {
  return count === 0 ? {} : { notVerified: count };
}

function notApplicable(count: number): Pick<OutcomeGroup["result"], "notApplicable"> {
  return count === 0 ? {} : { notApplicable: count };
}

import type BetterSqlite3 from "better-sqlite3";

type GroupColumns = Pick<StatusGroup, "scenario" | "subject" | "judge" | "conversations"> &
  ResultRow["turns"] &
  Spending & { readonly status: ConversationStatus | null; readonly gated: number };

type OutcomeColumns = Pick<OutcomeGroup, "scenario" | "subject" | "judge" | "name"> &
  ResultRow["outcomes"][string];

/** A file of an earlier version has no such column, and no such turns. */
function groupsQuery(database: BetterSqlite3.Database): string {
  const columns = database.pragma("table_info(conversation)") as readonly { readonly name: string }[];
  const gated = columns.some(({ name }) => name === "not_verified") ? "total(not_verified)" : "0";
  return `
SELECT scenario, subject, judge, status, count(*) AS conversations,
  total(passed) AS passed, total(failed) AS failed, total(unreadable) AS unreadable,
  total(unjudged) AS unjudged, total(unverified) AS unverified, ${gated} AS gated,
  total(calls) AS calls, total(cached) AS cached, ${sumOrNull("tokens")}, ${sumOrNull("cost")}
FROM conversation WHERE run = ? GROUP BY scenario, subject, judge, status ORDER BY min(position)`;
}

/** True of a conversation that something else than its replies kept from being decided. */
const WAS_DISTURBED = `(coalesce(conversation.status, '') NOT IN ('completed', 'limit_reached') OR unjudged > 0)`;

/** True of a conversation that was stopped as asked, or is not scored. What it leaves open is not an error. */
const IS_LATER = `coalesce(conversation.status, '') IN ('cancelled', 'budget_exhausted', 'simulator_fault', 'record_mismatch')`;

const OUTCOMES = `
SELECT scenario, subject, judge, outcome.name AS name,
  count(*) FILTER (WHERE outcome.status = 'decided' AND kind = 'boolean' AND value = 1) AS yes,
  count(*) FILTER (WHERE outcome.status = 'decided' AND kind = 'boolean' AND value = 0) AS no,
  count(*) FILTER (WHERE outcome.status = 'decided' AND kind = 'number') AS numbers,
  avg(value) FILTER (WHERE outcome.status = 'decided' AND kind = 'number') AS mean,
  count(*) FILTER (WHERE outcome.status = 'inconclusive' AND NOT ${WAS_DISTURBED}) AS inconclusive,
  count(*) FILTER (WHERE outcome.status = 'inconclusive' AND ${WAS_DISTURBED} AND NOT ${IS_LATER}) AS infrastructure,
  count(*) FILTER (WHERE outcome.status = 'not_applicable') AS notApplicable
FROM conversation JOIN outcome ON outcome.conversation = conversation.id
WHERE run = ? GROUP BY scenario, subject, judge, outcome.name ORDER BY outcome.name`;

const NODES = `
SELECT scenario, subject, judge, turn.node AS node, count(*) AS turns,
  count(*) FILTER (WHERE verdict = 'unreadable') AS unreadable, count(*) FILTER (WHERE verdict = 'unjudged') AS unjudged
FROM conversation JOIN turn ON turn.conversation = conversation.id
WHERE run = ? AND verdict IS NOT NULL AND verdict != 'unverified'
GROUP BY scenario, subject, judge, turn.node ORDER BY turn.node`;

/** The results of a run by scenario, subject and judge, added up by the database. */
export function readResults(database: BetterSqlite3.Database, run: number): readonly ResultRow[] {
  const groups = database.prepare<[number], GroupColumns>(groupsQuery(database)).all(run);
  const outcomes = database.prepare<[number], OutcomeColumns>(OUTCOMES).all(run);
  return resultRows(
    groups.map((columns) => {
      const { scenario, subject, judge, status, conversations } = columns;
      const { passed, failed, unreadable, unjudged, unverified, gated } = columns;
      const turns = { passed, failed, unreadable, unjudged, unverified, ...notVerified(gated) };
      return { scenario, subject, judge, status, conversations, turns, spending: spendingOf(columns) };
    }),
    outcomes.map(({ scenario, subject, judge, name, notApplicable: elsewhere = 0, ...counts }) => {
      return { scenario, subject, judge, name, result: { ...counts, ...notApplicable(elsewhere) } };
    }),
    database.prepare<[number], NodeGroup>(NODES).all(run),
  );
}

/** How many conversations have ended how. */
export function statusesOf(
  rows: readonly { readonly status: ConversationStatus | null; readonly count: number }[],
): RunSummary["statuses"] {
  const statuses: Partial<Record<ConversationStatus, number>> = {};
  for (const { status, count } of rows)
    if (status !== null) statuses[status] = (statuses[status] ?? 0) + count;
  return statuses;
}
