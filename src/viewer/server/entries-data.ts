import type { ConversationStatus } from "../../core/state/state.ts";
import type { OutcomeColumns } from "../../journal/store/conversation-columns.ts";
import type {
  BrowsedConversation,
  BrowseFilter,
  PlaceInRun,
  RunBrowser,
} from "../../journal/store/run-browser.ts";
import type { ConversationEntry, ConversationsAnswer, EntryFilter, OutcomeValue } from "../answers.ts";

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
export function conversationEntry({ columns, turns, outcomes }: BrowsedConversation): ConversationEntry {
  const { name, position, scenario, subject, judge, replicate, status } = columns;
  return {
    conversation: name,
    index: position,
    scenario,
    subject,
    judge,
    replicate,
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

function browseFilter({ status, outcome, edge, ...same }: EntryFilter): BrowseFilter {
  return {
    ...same,
    ...(status === undefined ? {} : { status: status === "running" ? null : status }),
    ...(outcome === undefined ? {} : { outcome: outcomeFilter(outcome) }),
    ...(edge === undefined ? {} : { edge: Number(edge) }),
  };
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
