import { type ConversationStatus, isFinished } from "../../../core/state/state.ts";
import type { RunFailure } from "../../../engine/journal/failure.ts";
import { foldConversation } from "../../../engine/journal/fold/conversation.ts";
import type { JudgeHealth } from "../../../engine/journal/judge-health.ts";
import type { ConversationFilter, ConversationScore, Store } from "../../../engine/journal/store/store.ts";
import { storedRun } from "../../../engine/journal/transfer/stored-run.ts";
import { wantedScores } from "./rates.ts";
import { type RunCounts, resultsOf, runCounts } from "./run-counts.ts";
import { runFacts } from "./run-facts.ts";

/** Conversations that ended early in the same way. */
export interface FailureGroup {
  readonly status: ConversationStatus;
  /** Null if the journal has only the status. */
  readonly failure: RunFailure | null;
  readonly count: number;
  /** The first conversation of the group. */
  readonly example: string;
}

/** A conversation in which an outcome went badly. */
interface FalseConversation {
  readonly score: ConversationScore;
  /** The names of the outcomes that are bad: false, or true where that is bad. */
  readonly outcomes: readonly string[];
  readonly path: readonly string[];
}

/** What went wrong in a run; what the subjects did, what could not be read and what broke are kept apart. */
export interface RunFailures extends Pick<RunCounts, "sum" | "unread" | "judges"> {
  readonly underWay: number;
  readonly cutShort: number;
  /** The most frequent first. */
  readonly groups: readonly FailureGroup[];
  /** How many conversations have an outcome that is false. */
  readonly falseConversations: number;
  /** The first of them. */
  readonly examples: readonly FalseConversation[];
  /** How well each judge worked, over the whole run. */
  readonly health: readonly JudgeHealth[];
}

/** Which conversations are looked at, and how many with false outcomes are listed. */
export interface FailuresOptions extends ConversationFilter {
  readonly limit?: number;
}

/** How many conversations are listed if nothing else is said. */
export const LISTED = 20;

/** Reads the events of conversations that failed, or are listed; all others are only counted. */
export function runFailures(store: Store, run: string, options: FailuresOptions = {}): RunFailures {
  const { limit = LISTED, ...filter } = options;
  const { run: name, judges: health } = storedRun(store, run);
  const facts = runFacts(store, [name]);
  const fold = ({ conversation }: ConversationScore): ReturnType<typeof foldConversation> =>
    foldConversation(store.events(name, conversation));
  const groups = new Map<string, { -readonly [Key in keyof FailureGroup]: FailureGroup[Key] }>();
  const examples: FalseConversation[] = [];
  let [underWay, cutShort, falseConversations] = [0, 0, 0];
  for (const score of wantedScores(store.scores(name), filter)) {
    const { scenario, conversation, status } = score;
    if (status === null) underWay++;
    else if (!isFinished(status)) {
      cutShort++;
      const { failure = null } = fold(score);
      const { stage, category, statusCode, message } = failure ?? {};
      const key = JSON.stringify([status, stage, category, statusCode, message]);
      const group = groups.get(key);
      if (group === undefined) groups.set(key, { status, failure, count: 1, example: conversation });
      else group.count++;
    }
    const bad = badValues(facts.scenarios.get(scenario)?.good);
    const outcomes = facts.outcomes.filter((outcome) => {
      const value = score.outcomes.get(outcome);
      return typeof value === "boolean" && value === bad(outcome);
    });
    if (outcomes.length === 0) continue;
    falseConversations++;
    if (examples.length < limit) examples.push({ score, outcomes, path: fold(score).path });
  }
  const { sum, unread, judges } = runCounts(resultsOf(store, name, filter));
  return {
    ...{ sum, unread, judges, underWay, cutShort, falseConversations, examples, health },
    groups: [...groups.values()].sort((one, other) => other.count - one.count),
  };
}

/**
 * The value with which an outcome went badly, or undefined if none does. Where a scenario gives no outcome a direction, false
 * is taken for bad; where it does, the others are neither.
 */
function badValues(
  directions: ReadonlyMap<string, boolean> | undefined,
): (name: string) => boolean | undefined {
  if (directions === undefined || directions.size === 0) return () => false;
  return (name) => {
    const good = directions.get(name);
    return good === undefined ? undefined : !good;
  };
}
