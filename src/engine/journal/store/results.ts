import type { ConversationStatus } from "../../../core/state/state.ts";
import { type CellTally, sumOfSpending } from "../fold/tally.ts";
import { JudgeTally, judgeHealth } from "../judge-health.ts";
import type { Spending } from "../spending.ts";
import type { TurnVerdict } from "../turn.ts";
import type { NodeTurns, ResultRow, RunSummary } from "./store.ts";

/** The results of a run by scenario, subject and judge, in the order of the tallies. */
export function resultRows(tallies: readonly CellTally[]): readonly ResultRow[] {
  const groups = Map.groupBy(tallies, ({ scenario, subject, judge }) =>
    JSON.stringify([scenario, subject, judge]),
  );
  return [...groups.values()].map(resultRow);
}

function resultRow(group: CellTally[]): ResultRow {
  // A group is made with its first tally.
  const [{ scenario, subject, judge }] = group as [CellTally];
  return {
    scenario,
    subject,
    judge,
    conversations: group.reduce((sum, { conversations }) => sum + conversations, 0),
    ...armsIn(group),
    statuses: statusesOf(group),
    turns: turnsOf(group),
    readers: readersOf(group),
    outcomes: outcomesOf(group),
    spending: sumOfSpending(group),
    ...simulatorIn(group),
    nodes: nodesOf(group),
  };
}

/** How many conversations have ended how. */
function statusesOf(tallies: readonly CellTally[]): RunSummary["statuses"] {
  const counts = new Map<ConversationStatus, number>();
  for (const { status, count } of tallies.flatMap((tally) => tally.statuses))
    counts.set(status, (counts.get(status) ?? 0) + count);
  // In one order, whichever conversation ended first.
  const places = [...counts].sort(([one], [other]) => placeOf(one) - placeOf(other));
  return Object.fromEntries(places);
}

const ORDER: readonly ConversationStatus[] = ["completed", "limit_reached"];

function placeOf(status: ConversationStatus): number {
  const place = ORDER.indexOf(status);
  return place === -1 ? ORDER.length : place;
}

/** What the tallies of a run say about it as a whole. */
export function summaryOf(
  tallies: readonly CellTally[],
): Pick<RunSummary, "statuses" | "spending" | "judges" | "unjudged" | "unreadable" | "arms" | "simulator"> {
  const judges = new JudgeTally();
  for (const tally of tallies) judges.merge(tally.judges);
  return {
    statuses: statusesOf(tallies),
    spending: sumOfSpending(tallies),
    judges: judges.counts.map(judgeHealth),
    unjudged: tallies.reduce((sum, { unjudged }) => sum + unjudged, 0),
    unreadable: tallies.reduce((sum, { unreadable }) => sum + unreadable, 0),
    ...armsIn(tallies),
    ...simulatorIn(tallies),
  };
}

/** What simulated users took; absent if there were none. */
function simulatorIn(tallies: readonly CellTally[]): { readonly simulator?: Spending } {
  const simulator = sumOfSpending(tallies.map((tally) => ({ spending: tally.simulator })));
  return simulator.calls + simulator.cached === 0 ? {} : { simulator };
}

/** In how many arms conversations continue; absent if in none. */
function armsIn(tallies: readonly CellTally[]): { readonly arms?: number } {
  const arms = tallies.reduce((sum, tally) => sum + tally.arms, 0);
  return arms === 0 ? {} : { arms };
}

function turnsOf(group: readonly CellTally[]): ResultRow["turns"] {
  const counts: Partial<Record<TurnVerdict, number>> = {};
  for (const { verdict, count } of group.flatMap(({ turns }) => turns))
    counts[verdict] = (counts[verdict] ?? 0) + count;
  const { pass = 0, fail = 0, unreadable = 0, unjudged = 0, unverified = 0 } = counts;
  const { not_verified: notVerified = 0 } = counts;
  const gated = notVerified === 0 ? {} : { notVerified };
  return { passed: pass, failed: fail, unreadable, unjudged, unverified, ...gated };
}

function readersOf(group: readonly CellTally[]): ResultRow["readers"] {
  const counts: Record<string, number> = {};
  for (const [reader, count] of group.flatMap(({ readers }) => [...readers]))
    counts[reader] = (counts[reader] ?? 0) + count;
  return counts;
}

type Growing<Part> = { -readonly [Key in keyof Part]: Part[Key] };

function nodesOf(group: readonly CellTally[]): ResultRow["nodes"] {
  const nodes = new Map<string, Growing<NodeTurns>>();
  for (const { node, verdict, count } of group.flatMap(({ turns }) => turns)) {
    if (verdict === "unverified") continue;
    const turns = nodes.get(node) ?? { turns: 0, unreadable: 0, unjudged: 0 };
    nodes.set(node, turns);
    turns.turns += count;
    if (verdict === "unreadable" || verdict === "unjudged") turns[verdict] += count;
  }
  return byName(nodes);
}

type OutcomeCounts = ResultRow["outcomes"][string];

function outcomesOf(group: readonly CellTally[]): ResultRow["outcomes"] {
  const counts = group.flatMap(({ outcomes }) => outcomes);
  const values = Map.groupBy(counts, ({ name }) => name);
  return byName(new Map([...values].map(([name, counted]) => [name, outcomeCounts(counted)])));
}

function outcomeCounts(values: CellTally["outcomes"]): OutcomeCounts {
  const count = (wanted: CellTally["outcomes"][number]["value"]): number =>
    values.reduce((sum, { value, count: times }) => (value === wanted ? sum + times : sum), 0);
  // From the least to the largest, so that the mean does not depend on the order of the conversations.
  const numbers = values
    .flatMap(({ value, count: times }) => (typeof value === "number" ? [{ value, times }] : []))
    .sort((one, other) => one.value - other.value);
  const decided = numbers.reduce((sum, { times }) => sum + times, 0);
  const notApplicable = count("not_applicable");
  return {
    yes: count(true),
    no: count(false),
    numbers: decided,
    mean: decided === 0 ? null : numbers.reduce((sum, { value, times }) => sum + value * times, 0) / decided,
    inconclusive: count("inconclusive"),
    infrastructure: count("error"),
    ...(notApplicable === 0 ? {} : { notApplicable }),
  };
}

/** As a record, in the order of names. A computed key sets no prototype, whatever a name is. */
function byName<Value>(map: ReadonlyMap<string, Value>): Readonly<Record<string, Value>> {
  return Object.fromEntries([...map].sort(([one], [other]) => (one < other ? -1 : 1)));
}
