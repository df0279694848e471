import type { Outcome } from "../../core/outcomes/outcome-check.ts";
import { type ConversationStatus, isFinished } from "../../core/state/state.ts";
import type { RunFailure } from "../../journal/failure.ts";
import { type Conversation, foldConversation } from "../../journal/fold/conversation.ts";
import type { JudgeHealth } from "../../journal/judge-health.ts";
import type { Store } from "../../journal/store/store.ts";
import { definitionsOf, storedRun } from "../../journal/transfer/stored-run.ts";
import { type FinishedTurn, turnVerdict } from "../../journal/turn.ts";
import { type ConversationPlace, conversationPlace, type ReportFilter } from "./subject-totals.ts";

/** Conversations that ended early in the same way. */
export interface FailureGroup {
  readonly status: ConversationStatus;
  /** Null if the journal has only the status. */
  readonly failure: RunFailure | null;
  readonly count: number;
  /** The first conversation of the group. */
  readonly example: string;
}

/** How many turns at a node have no verdict, and whose fault that is. */
export interface UnreadNode {
  readonly scenario: string;
  readonly node: string;
  readonly turns: number;
  readonly unreadable: number;
  /** The judge failed. */
  readonly unjudged: number;
}

/** A conversation in which an outcome went badly. */
interface FalseConversation extends ConversationPlace {
  /** The names of the outcomes that are bad: false, or true where that is bad. */
  readonly outcomes: readonly string[];
  readonly path: readonly string[];
}

/** What went wrong in a run; what the subjects did, what could not be read and what broke are kept apart. */
export interface RunFailures {
  readonly conversations: number;
  readonly underWay: number;
  readonly cutShort: number;
  /** The most frequent first. */
  readonly groups: readonly FailureGroup[];
  /** Conversations that are in none of the groups, because there were too many kinds of failures. */
  readonly ungrouped: number;
  /** All finished turns. */
  readonly turns: number;
  /** Nodes with a turn that was unreadable or not judged, in order of appearance. */
  readonly nodes: readonly UnreadNode[];
  /** How many conversations have an outcome that is false. */
  readonly falseConversations: number;
  /** The first of them. */
  readonly examples: readonly FalseConversation[];
  /** How well each judge worked, over the whole run. */
  readonly judges: readonly JudgeHealth[];
}

/** Which conversations are looked at, and how many are listed. */
export interface FailuresOptions extends ReportFilter {
  /** How many conversations with false outcomes are kept (default 20). */
  readonly limit?: number;
}

/** How many kinds of failures are kept apart: each message may be new. */
const MOST_GROUPS = 1000;

/** Reads a run once, one conversation at a time, and keeps counts and examples only. */
export function runFailures(store: Store, run: string, options: FailuresOptions = {}): RunFailures {
  const { limit = 20, ...filter } = options;
  const { run: name } = storedRun(store, run);
  const ends = new Ends();
  const nodes = new Nodes();
  const examples: FalseConversation[] = [];
  let falseConversations = 0;
  const directions = directionsOf(store, name);
  for (const summary of store.conversations(name, filter)) {
    const folded = foldConversation(store.events(name, summary.conversation));
    ends.add(folded);
    nodes.add(summary.scenario, folded.finishedTurns);
    const bad = badValues(directions.get(summary.scenario));
    const wrong = [...folded.outcomes.values()].filter(
      ({ name, value, status }) => status === "decided" && value === bad(name),
    );
    if (wrong.length === 0) continue;
    falseConversations++;
    if (examples.length >= limit) continue;
    const names = wrong.map((outcome) => outcome.name);
    examples.push({ ...conversationPlace(summary), outcomes: names, path: folded.path });
  }
  const { judges } = storedRun(store, run);
  return { ...ends.counted(), ...nodes.counted(), falseConversations, examples, judges };
}

type Directions = ReadonlyMap<string, boolean>;

/** Which outcomes of each scenario are good or bad if they are true. */
function directionsOf(store: Store, run: string): ReadonlyMap<string, Directions> {
  return new Map(
    [...definitionsOf(store, run)].map(({ scenario, definition }) => {
      const { outcomes } = JSON.parse(definition) as { readonly outcomes?: readonly Partial<Outcome>[] };
      const found = (outcomes ?? []).flatMap(({ name = "", good }) =>
        good === undefined ? [] : [[name, good] as const],
      );
      return [scenario, new Map(found)] as const;
    }),
  );
}

/**
 * The value with which an outcome went badly, or undefined if none does. Where a scenario gives no outcome a direction, false
 * is taken for bad; where it does, the others are neither.
 */
function badValues(directions: Directions | undefined): (name: string) => boolean | undefined {
  if (directions === undefined || directions.size === 0) return () => false;
  return (name) => {
    const good = directions.get(name);
    return good === undefined ? undefined : !good;
  };
}

/** How conversations ended. */
class Ends {
  #conversations = 0;
  #underWay = 0;
  #cutShort = 0;
  #ungrouped = 0;
  readonly #groups = new Map<string, { -readonly [Key in keyof FailureGroup]: FailureGroup[Key] }>();

  add({ conversation, status, failure }: Conversation): void {
    this.#conversations++;
    if (status === null) this.#underWay++;
    if (status === null || isFinished(status)) return;
    this.#cutShort++;
    const key = JSON.stringify([
      status,
      failure?.stage,
      failure?.category,
      failure?.statusCode,
      failure?.message,
    ]);
    const group = this.#groups.get(key);
    if (group !== undefined) group.count++;
    else if (this.#groups.size >= MOST_GROUPS) this.#ungrouped++;
    else this.#groups.set(key, { status, failure: failure ?? null, count: 1, example: conversation });
  }

  counted(): Pick<RunFailures, "conversations" | "underWay" | "cutShort" | "groups" | "ungrouped"> {
    return {
      conversations: this.#conversations,
      underWay: this.#underWay,
      cutShort: this.#cutShort,
      groups: [...this.#groups.values()].sort((one, other) => other.count - one.count),
      ungrouped: this.#ungrouped,
    };
  }
}

/** Verdicts of turns, by node. */
class Nodes {
  #turns = 0;
  readonly #nodes = new Map<string, { -readonly [Key in keyof UnreadNode]: UnreadNode[Key] }>();

  add(scenario: string, turns: readonly FinishedTurn[]): void {
    for (const turn of turns) {
      this.#turns++;
      const key = JSON.stringify([scenario, turn.node]);
      const node = this.#nodes.get(key) ?? {
        scenario,
        node: turn.node,
        turns: 0,
        unreadable: 0,
        unjudged: 0,
      };
      this.#nodes.set(key, node);
      node.turns++;
      const verdict = turnVerdict(turn);
      if (verdict === "unreadable" || verdict === "unjudged") node[verdict]++;
    }
  }

  counted(): Pick<RunFailures, "turns" | "nodes"> {
    const nodes = [...this.#nodes.values()].filter(({ unreadable, unjudged }) => unreadable + unjudged > 0);
    return { turns: this.#turns, nodes };
  }
}
