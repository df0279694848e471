import type {
  CallRetry,
  ConversationStart,
  Hop,
  RunEvent,
  TurnReply,
  TurnStart,
  Warning,
} from "../journal/run-event.ts";
import { type ConversationFacts, conversationFacts } from "../journal/transfer/conversation-facts.ts";
import type { TurnResult } from "../journal/turn-result.ts";

/** All that the journal tells about one turn, finished or not. */
export interface StoryTurn {
  /** From 1. */
  readonly turn: number;
  readonly node: string;
  /** What was sent. Missing in a run that verifies stored replies again. */
  readonly start?: TurnStart;
  readonly reply?: TurnReply;
  /** Missing while the turn has not been read and verified. */
  readonly result?: TurnResult;
  readonly hop?: Hop;
  readonly retries: readonly CallRetry[];
  readonly warnings: readonly Warning[];
}

/** The journal of a conversation, told turn by turn; where it was taken up again, what was said last counts. */
export interface ConversationStory {
  /** Null if the conversation has not begun. */
  readonly start: ConversationStart | null;
  readonly facts: ConversationFacts;
  readonly turns: readonly StoryTurn[];
}

interface Draft {
  start?: TurnStart;
  reply?: TurnReply;
  hop?: Hop;
  retries: CallRetry[];
  /** By their text: a turn that is begun again may warn again. */
  readonly warnings: Map<string, Warning>;
}

/** Reads the journal of one conversation. */
export function conversationStory(events: Iterable<RunEvent>): ConversationStory {
  const all = [...events];
  const drafts = new Map<number, Draft>();
  let start: ConversationStart | null = null;
  for (const event of all) {
    if (event.type === "conversation-start") start = event;
    else tell(drafts, event);
  }
  const facts = conversationFacts(all);
  return { start, facts, turns: turnsOf(facts, drafts) };
}

function tell(drafts: Map<number, Draft>, event: RunEvent): void {
  if (!("turn" in event) || event.turn === undefined) return;
  const draft: Draft = drafts.get(event.turn) ?? { retries: [], warnings: new Map() };
  drafts.set(event.turn, draft);
  switch (event.type) {
    case "turn-start":
      // A question that is asked again: what came of it before, and after it, counts no more.
      for (let later = event.turn + 1; drafts.delete(later); later++);
      drafts.set(event.turn, { start: event, retries: [], warnings: draft.warnings });
      break;
    case "turn-reply":
      draft.reply = event;
      break;
    case "hop":
      draft.hop = event;
      break;
    case "retry":
      draft.retries.push(event);
      break;
    case "warning":
      draft.warnings.set(event.message, event);
  }
}

function turnsOf(
  { turns, unfinished, end }: ConversationFacts,
  drafts: ReadonlyMap<number, Draft>,
): readonly StoryTurn[] {
  const told = turns.map((result) =>
    storyTurn(result.turn, result.node, { result, ...drafts.get(result.turn) }),
  );
  const isFinished = new Set(turns.map(({ turn }) => turn));
  for (const [turn, draft] of drafts) {
    const { start } = draft;
    if (start === undefined || isFinished.has(turn)) continue;
    // Several turns can be under way, but only one can be left over.
    if (end === null || turn === unfinished?.turn) told.push(storyTurn(turn, start.node, draft));
  }
  return told.sort((one, other) => one.turn - other.turn);
}

function storyTurn(
  turn: number,
  node: string,
  { result, start, reply, hop, retries = [], warnings }: Partial<Draft> & { readonly result?: TurnResult },
): StoryTurn {
  return {
    turn,
    node,
    ...(start === undefined ? {} : { start }),
    ...(reply === undefined ? {} : { reply }),
    ...(result === undefined ? {} : { result }),
    ...(hop === undefined ? {} : { hop }),
    retries,
    warnings: [...(warnings?.values() ?? [])],
  };
}
