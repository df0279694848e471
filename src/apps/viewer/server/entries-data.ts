import { type ConversationStatus, isFinished } from "../../../core/state/state.ts";
import { isRecord } from "../../../core/values/json.ts";
import { placeTexts } from "../../../engine/journal/cell.ts";
import { type CellTally, type OutcomeScore, outcomeScore } from "../../../engine/journal/fold/tally.ts";
import type { Cell } from "../../../engine/journal/run-event.ts";
import type {
  BrowsedConversation,
  BrowseFilter,
  FoundTurn,
  PairFilter,
  PlaceInRun,
} from "../../../engine/journal/store/browsed-run.ts";
import { cellOf, type OutcomeColumns } from "../../../engine/journal/store/conversation-columns.ts";
import type { RunBrowser } from "../../../engine/journal/store/run-browser.ts";
import type { Store } from "../../../engine/journal/store/store.ts";
import { definitionsOf } from "../../../engine/journal/transfer/stored-run.ts";
import type { TurnVerdict } from "../../../engine/journal/turn.ts";
import type { ConversationEntry, ConversationsAnswer, PairsAnswer } from "../answers.ts";
import type { EntryFilter } from "../entry-filter.ts";
import type { Viewed } from "./run-data.ts";

/** A page of pairs of conversations. */
export function pairsAnswer(
  browser: RunBrowser,
  filter: PairFilter,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): PairsAnswer {
  const place = after === undefined ? undefined : placeOf(after);
  const { pairs, next } = browser.pairs(filter, { after: place, limit });
  return {
    pairs: pairs.map(({ one, other }) => ({ a: conversationEntry(one), b: conversationEntry(other) })),
    next: next === null ? null : `${next.position}.${next.id}`,
  };
}

/** Fewer turns, outcomes or conversations than this are looked for by themselves. */
const FEW = 2_000;

/** At no more nodes than this are turns looked for. */
const MOST_NODES = 1_000;

/** A page of the conversations of a run. */
export function conversationsAnswer(
  { store, browser }: Pick<Viewed, "store" | "browser">,
  run: string,
  {
    filter,
    after,
    limit,
  }: { readonly filter: EntryFilter; readonly after: string | undefined; readonly limit: number },
): ConversationsAnswer {
  const place = after === undefined ? undefined : placeOf(after);
  const browsed = plannedFilter(store, run, browseFilter(filter));
  const page = browser.page(run, browsed, { after: place, limit });
  const next = page.next === null ? null : `${page.next.position}.${page.next.id}`;
  return { conversations: page.conversations.map(conversationEntry), next };
}

/** How the conversations of a filter are found: by what the counts say that there are the fewest of. */
function plannedFilter(store: Store, run: string, filter: BrowseFilter): BrowseFilter {
  const tallies = store.tallies(run);
  const counts = (["status", "subject", "scenario"] as const)
    .filter((key) => filter[key] !== undefined)
    .map((key) => ({ key, count: countConversations(tallies, { [key]: filter[key] }) }))
    .sort((one, other) => one.count - other.count);
  const walk = counts[0]?.key;
  const isFew = filter.sort !== undefined && countConversations(tallies, filter) < FEW;
  const starts = [
    { start: "turns", count: countTurns(tallies, filter) },
    { start: "outcome", count: countOutcomes(tallies, filter) },
  ] as const;
  const [fewest] = [...starts].sort((one, other) => one.count - other.count);
  const planned = { ...filter, isFew, ...(walk === undefined ? {} : { walk }) };
  if (fewest === undefined || fewest.count >= FEW) return planned;
  if (fewest.start === "outcome" || filter.node !== undefined) return { ...planned, start: fewest.start };
  const nodes = nodesOf(store, run, filter.scenario);
  return nodes.length > MOST_NODES ? planned : { ...planned, start: "turns", nodes };
}

/** The first turns of a run with a verdict. */
export function turnsWith(
  { store, browser }: Pick<Viewed, "store" | "browser">,
  run: string,
  { verdict, limit }: { readonly verdict: TurnVerdict; readonly limit: number },
): readonly FoundTurn[] {
  const isRare = countTurns(store.tallies(run), { verdict }) < FEW;
  const nodes = isRare ? nodesOf(store, run) : [];
  const isListed = isRare && nodes.length <= MOST_NODES;
  return browser.turnsWith(run, verdict, { limit, ...(isListed ? { nodes } : {}) });
}

/** The nodes of the scenarios of a run, or of one of them. */
function nodesOf(store: Store, run: string, only?: string): readonly string[] {
  const nodes = new Set<string>();
  for (const { scenario, definition } of definitionsOf(store, run)) {
    const data: unknown = only === undefined || scenario === only ? JSON.parse(definition) : undefined;
    if (isRecord(data) && isRecord(data.nodes)) for (const node of Object.keys(data.nodes)) nodes.add(node);
  }
  return [...nodes];
}

/** How many conversations a filter means, at most. */
function countConversations(
  tallies: readonly CellTally[],
  { scenario, subject, judge, status }: BrowseFilter,
): number {
  let found = 0;
  for (const tally of tallies) {
    if (scenario !== undefined && tally.scenario !== scenario) continue;
    if (subject !== undefined && tally.subject !== subject) continue;
    if (judge !== undefined && tally.judge !== judge) continue;
    if (status === undefined) found += tally.conversations;
    else
      for (const one of tally.statuses)
        if (one.status === status || (status === "cut_short" && !isFinished(one.status))) found += one.count;
  }
  return found;
}

/** How many turns of a run a filter means, at most, of all subjects: an index has those together. */
function countTurns(tallies: readonly CellTally[], { scenario, node, verdict, edge }: BrowseFilter): number {
  if (node === undefined && verdict === undefined && edge === undefined) return Number.POSITIVE_INFINITY;
  let found = 0;
  for (const tally of tallies) {
    // The nodes of different scenarios often have the same names; an edge without a node is looked for in all of them.
    if (edge !== undefined) found += tally.edges.get(edge) ?? 0;
    else if (scenario === undefined || tally.scenario === scenario || node !== undefined)
      for (const turn of tally.turns)
        if ((node === undefined || turn.node === node) && (verdict === undefined || turn.verdict === verdict))
          found += turn.count;
  }
  return found;
}

/** How many conversations of a run have the outcome of a filter, at most. */
function countOutcomes(tallies: readonly CellTally[], { outcome }: BrowseFilter): number {
  if (outcome === undefined) return Number.POSITIVE_INFINITY;
  const { name, value } = outcome;
  let found = 0;
  for (const tally of tallies)
    for (const one of tally.outcomes) {
      if (one.name !== name) continue;
      // What is not decided is told apart only where it is counted.
      const isOpen = typeof one.value === "string" && one.value !== "not_applicable";
      const isMeant =
        value === "decided" ? typeof one.value !== "string" : value === "inconclusive" && isOpen;
      if (one.value === value || isMeant) found += one.count;
    }
  return found;
}

/** A conversation as lists show it. */
function conversationEntry({ columns, turns, outcomes }: BrowsedConversation): ConversationEntry {
  const cell = cellOf(columns);
  // Written from an event's status.
  const status = columns.status as ConversationStatus | null;
  const scored = { status, unjudged: columns.unjudged };
  return {
    ...cell,
    conversation: columns.name,
    place: placeText(cell),
    status,
    turns: turns.map(({ node, verdict, edge }) => [node, verdict, edge] as const),
    outcomes: Object.fromEntries(outcomes.map((outcome) => [outcome.name, scoreOf(outcome, scored)])),
    tokens: columns.tokens,
    cost: columns.cost,
    startedAt: columns.started_at,
    endedAt: columns.ended_at,
  };
}

/** What distinguishes a conversation within its scenario and subject, in words. */
export function placeText(cell: Cell): string {
  return [...placeTexts(cell), `replicate ${cell.replicate}`].join(", ");
}

function scoreOf(
  { kind, value, status }: Omit<OutcomeColumns, "name">,
  conversation: Parameters<typeof outcomeScore>[1],
): OutcomeScore {
  return outcomeScore(
    { value: kind === "boolean" && value !== null ? value === 1 : value, status },
    conversation,
  );
}

function browseFilter({ status, outcome, edge, order, ...same }: EntryFilter): BrowseFilter {
  return {
    ...same,
    ...orderOf(order, status),
    ...(status === undefined ? {} : { status: status === "running" ? null : status }),
    ...(outcome === undefined ? {} : { outcome: outcomeFilter(outcome) }),
    ...(edge === undefined ? {} : { edge: Number(edge) }),
  };
}

/** What a list is sorted by. What has not ended yet has only its place in the run. */
function orderOf(
  order: string | undefined,
  status: string | undefined,
): Pick<BrowseFilter, "sort" | "isReversed"> {
  const sort = order?.replace(/^-/, "");
  if ((sort !== "turns" && sort !== "cost" && sort !== "time") || status === "running")
    return order === "last" ? { isReversed: true } : {};
  return { sort, isReversed: order !== sort };
}

/** `resisted:false`; the name may have colons of its own. */
function outcomeFilter(text: string): NonNullable<BrowseFilter["outcome"]> {
  const at = text.lastIndexOf(":");
  const [name, value] = [text.slice(0, at), text.slice(at + 1)];
  if (value === "true" || value === "false") return { name, value: value === "true" };
  return { name, value: value === "not_applicable" || value === "decided" ? value : "inconclusive" };
}

/** `12.34`: a position and a row of the table. A position may be a fraction. */
function placeOf(text: string): PlaceInRun {
  const at = text.lastIndexOf(".");
  return { position: Number(text.slice(0, at)), id: Number(text.slice(at + 1)) };
}
