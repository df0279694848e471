import type { ConversationStatus } from "../../core/state/state.ts";
import { addSpending, NOTHING_SPENT, type Spending } from "../spending.ts";
import type { ResultRow } from "./store.ts";

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

type Line = { -readonly [Key in keyof ResultRow]: ResultRow[Key] };

/** Puts the lines of a results table together, in the order of the groups. */
export function resultRows(
  groups: Iterable<StatusGroup>,
  outcomes: Iterable<OutcomeGroup>,
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
  };
}

function keyOf({ scenario, subject, judge }: Pick<StatusGroup, "scenario" | "subject" | "judge">): string {
  return JSON.stringify([scenario, subject, judge]);
}
