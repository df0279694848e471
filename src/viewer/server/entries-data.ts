import { type ConversationStatus, isFinished } from "../../core/state/state.ts";
import type {
  BrowsedConversation,
  BrowseFilter,
  PairFilter,
  PlaceInRun,
} from "../../journal/store/browsed-run.ts";
import { cellOf, type OutcomeColumns } from "../../journal/store/conversation-columns.ts";
import type { RunBrowser } from "../../journal/store/run-browser.ts";
import type { Store } from "../../journal/store/store.ts";
import type { ConversationEntry, ConversationsAnswer, OutcomeValue, PairsAnswer } from "../answers.ts";
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

/** Fewer turns or conversations than this are looked for by themselves. */
const FEW = 2_000;

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
  const browsed = browseFilter(filter);
  const isRare = isTurnFilter(browsed) && countTurns(store, run, browsed) < FEW;
  const isFew = browsed.sort !== undefined && countConversations(store, run, browsed) < FEW;
  const page = browser.page(run, { ...browsed, isRare, isFew }, { after: place, limit });
  const next = page.next === null ? null : `${page.next.position}.${page.next.id}`;
  return { conversations: page.conversations.map(conversationEntry), next };
}

function isTurnFilter({ node, edge }: BrowseFilter): boolean {
  return node !== undefined || edge !== undefined;
}

/** How many conversations a filter means, at most. */
function countConversations(
  store: Store,
  run: string,
  { scenario, subject, judge, status }: BrowseFilter,
): number {
  let found = 0;
  for (const tally of store.tallies(run)) {
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

/** How many turns a filter means, at most. */
function countTurns(
  store: Store,
  run: string,
  { scenario, subject, node, verdict, edge }: BrowseFilter,
): number {
  let found = 0;
  for (const tally of store.tallies(run)) {
    if (scenario !== undefined && tally.scenario !== scenario) continue;
    if (subject !== undefined && tally.subject !== subject) continue;
    if (edge !== undefined) found += tally.edges.get(edge) ?? 0;
    else
      for (const turn of tally.turns)
        if (turn.node === node && (verdict === undefined || turn.verdict === verdict)) found += turn.count;
  }
  return found;
}

/** A conversation as lists show it. */
export function conversationEntry({ columns, turns, outcomes }: BrowsedConversation): ConversationEntry {
  const { name, status } = columns;
  return {
    ...cellOf(columns),
    conversation: name,
    // Written from an event's status.
    status: status as ConversationStatus | null,
    turns: turns.map(({ node, verdict, edge }) => [node, verdict, edge] as const),
    outcomes: Object.fromEntries(outcomes.map((outcome) => [outcome.name, outcomeValue(outcome)])),
    tokens: columns.tokens,
    cost: columns.cost,
    startedAt: columns.started_at,
    endedAt: columns.ended_at,
  };
}

/** What an outcome came to. */
export function outcomeValue({ kind, value, status }: Omit<OutcomeColumns, "name">): OutcomeValue {
  if (status !== "decided" || value === null)
    return status === "not_applicable" ? "not_applicable" : "inconclusive";
  return kind === "boolean" ? value === 1 : value;
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
  return { name, value: value === "not_applicable" ? value : "inconclusive" };
}

/** `12.34`: a position and a row of the table. A position may be a fraction. */
function placeOf(text: string): PlaceInRun {
  const at = text.lastIndexOf(".");
  return { position: Number(text.slice(0, at)), id: Number(text.slice(at + 1)) };
}
