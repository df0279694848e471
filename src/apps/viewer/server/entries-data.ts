import type { ConversationStatus } from "../../../core/state/state.ts";
import { placeTexts } from "../../../engine/journal/cell.ts";
import { outcomeScore } from "../../../engine/journal/fold/tally.ts";
import type { Cell } from "../../../engine/journal/run-event.ts";
import { cellOf, outcomeValue } from "../../../engine/journal/store/conversation-columns.ts";
import type {
  BrowsedConversation,
  BrowseFilter,
  PairFilter,
  PlaceInRun,
  RunBrowser,
} from "../../../engine/journal/store/run-browser.ts";
import type { ConversationEntry, ConversationsAnswer, PairsAnswer } from "../answers.ts";
import type { EntryFilter } from "../entry-filter.ts";

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

/** A page of the conversations of a run. */
export function conversationsAnswer(
  browser: RunBrowser,
  run: string,
  {
    filter,
    after,
    limit,
  }: { readonly filter: EntryFilter; readonly after: string | undefined; readonly limit: number },
): ConversationsAnswer {
  const place = after === undefined ? undefined : placeOf(after);
  const page = browser.page(run, browseFilter(filter), { after: place, limit });
  const next = page.next === null ? null : `${page.next.position}.${page.next.id}`;
  return { conversations: page.conversations.map(conversationEntry), next };
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
    outcomes: Object.fromEntries(
      outcomes.map((outcome) => [
        outcome.name,
        outcomeScore({ value: outcomeValue(outcome), status: outcome.status }, scored),
      ]),
    ),
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
