import { type BoundedMean, boundedMean } from "../../../core/statistics/bounded-mean.ts";
import { type Followed, lifeTableRate } from "../../../core/statistics/life-table.ts";
import type { Interval } from "../../../core/statistics/proportions.ts";
import {
  numberOfFlips,
  type TransitionMatrix,
  transitionMatrix,
  turnOfFlip,
} from "../../../core/statistics/sequences.ts";
import { clusteredLogRank, kaplanMeier, logRank, medianSurvival } from "../../../core/statistics/survival.ts";
import type { ConversationScore, ScoredTurn, Store } from "../../../engine/journal/store/store.ts";
import { storedRun } from "../../../engine/journal/transfer/stored-run.ts";
import {
  type GroupValues,
  groupedScores,
  grouper,
  groupName,
  needsRowValues,
  withinSubject,
} from "./grouping.ts";
import { followedTo, intervalOf, isVerified, rateEstimate } from "./rate-line.ts";
import { type RatesOptions, wantedScores } from "./rates.ts";
import { type RunFacts, runFacts } from "./run-facts.ts";

/** The states of a turn. */
export const STATES = ["right", "wrong", "unread"] as const;
type State = (typeof STATES)[number];

/** How many conversations have had no wrong answer up to a turn. */
export interface SurvivalPoint {
  readonly turn: number;
  readonly atRisk: number;
  readonly events: number;
  readonly survival: number;
  /** Cluster-robust; null with one item. */
  readonly interval: Interval | null;
}

/** A rate with what it is computed from. */
export interface TurnAccuracy {
  readonly turn: number;
  readonly rate: number | null;
  readonly interval: Interval | null;
  readonly n: number;
  readonly unread: number;
}

/** The sequences of turns of one subject, or of a group of its conversations. */
export interface SubjectSequences {
  /** With groups, their values after it. */
  readonly subject: string;
  readonly group: GroupValues;
  readonly conversations: number;
  readonly items: number;
  /** Over the turns of the first outcome that says "all turns are right"; without one, over all. */
  readonly survival: readonly SurvivalPoint[];
  /** The turn at which half of them have given a wrong answer; null if that is not reached. */
  readonly median: number | null;
  /** From here on, all verified turns count. */
  readonly turnOfFlip: (BoundedMean & { readonly n: number; readonly inconclusive: number }) | null;
  readonly numberOfFlips: (BoundedMean & { readonly n: number; readonly inconclusive: number }) | null;
  readonly transitions: TransitionMatrix;
  readonly accuracy: readonly TurnAccuracy[];
}

/** The sequences of a run. */
export interface RunSequences {
  readonly subjects: readonly SubjectSequences[];
  /** The test that all subjects last equally long, if conversations were independent. */
  readonly logRank: ReturnType<typeof logRank>;
  /** The same with items as clusters, whatever subjects they are shared by. Null with too few items. */
  readonly clusteredLogRank: ReturnType<typeof clusteredLogRank>;
}

/** How right answers last over turns: survival, flips, transitions and accuracy by turn, for each subject, or each group in it. */
export function sequences(
  store: Store,
  run: string,
  { by = [], filter = {} }: Pick<RatesOptions, "by" | "filter"> = {},
): RunSequences {
  const { run: name } = storedRun(store, run);
  const scores = store.scores(name, { turns: true, rowValues: needsRowValues(by) });
  return sequencesOf(wantedScores(scores, filter), runFacts(store, [name]), by);
}

/** The same for scores that have been read. */
export function sequencesOf(
  scores: readonly ConversationScore[],
  facts: RunFacts,
  by: readonly string[] = [],
): RunSequences {
  const groupsOf = grouper(withinSubject(by, scores), scores, facts);
  const verified = scores.filter(({ turns }) => turns.some(isVerified));
  const groups = groupedScores(verified, groupsOf).map(({ group, members }): ObservedGroup => {
    const seen = members.map((score) => observe(score, facts));
    return {
      ...{ group, members },
      clusters: members.map(({ item }) => item),
      times: seen.map(({ time }) => time),
      observed: seen.map(({ isWrong }) => isWrong),
    };
  });
  const longest = scores.reduce((most, { turns }) => Math.max(most, turns.filter(isVerified).length), 0);
  return {
    subjects: groups.map((one) => subjectSequences(one, longest)),
    logRank: groups.length < 2 ? null : logRank(groups),
    clusteredLogRank: groups.length < 2 ? null : clusteredLogRank(groups),
  };
}

/** The conversations of a group: until which turn each was followed, and whether it was wrong there. */
interface ObservedGroup {
  readonly group: GroupValues;
  readonly members: readonly ConversationScore[];
  /** Their items. */
  readonly clusters: readonly string[];
  readonly times: readonly number[];
  readonly observed: readonly boolean[];
}

/** Follows the turns of the first outcome that says "all turns are right"; without one, all turns. */
function observe(
  score: ConversationScore,
  { scenarios }: RunFacts,
): { readonly time: number; readonly isWrong: boolean } {
  const [nodes = null] = scenarios.get(score.scenario)?.sequences.values() ?? [];
  // A completed conversation has lasted; one that was cut short was observed until then.
  const { at, wrong } = followedTo(score, nodes, score.status === "completed" ? true : "error");
  const isLooked = ({ node, verdict }: ScoredTurn): boolean =>
    isVerified({ verdict }) && (nodes === null || nodes.includes(node));
  // A conversation that is unreadable at turn 3 was observed up to turn 2.
  const time = at === null ? score.turns.filter(isLooked).length : wrong ? at : at - 1;
  return { time, isWrong: wrong };
}

function subjectSequences(
  { group, members, clusters: items, times, observed }: ObservedGroup,
  longest: number,
): SubjectSequences {
  const lists = members.map(({ turns }) =>
    turns
      .filter(isVerified)
      .map(({ verdict }): State => (verdict === "pass" ? "right" : verdict === "fail" ? "wrong" : "unread")),
  );
  const verdicts = lists.map((list) => list.map((state) => (state === "unread" ? null : state === "right")));
  const last = lists.reduce((most, list) => Math.max(most, list.length), 0);
  return {
    subject: groupName(group),
    group,
    conversations: members.length,
    items: new Set(items).size,
    survival: survivalPoints(items, { times, observed }),
    median: medianSurvival(times, observed),
    turnOfFlip: knownMean(verdicts.map(turnOfFlip), items, longest),
    numberOfFlips: knownMean(verdicts.map(numberOfFlips), items, longest - 1),
    transitions: transitionMatrix(lists, STATES),
    accuracy: Array.from({ length: last }, (_, i) => accuracyAt(i, verdicts, items)),
  };
}

/** Every turn up to the last, with a cluster-robust interval. */
function survivalPoints(
  items: readonly string[],
  { times, observed }: { readonly times: readonly number[]; readonly observed: readonly boolean[] },
): readonly SurvivalPoint[] {
  const steps = new Map(kaplanMeier(times, observed).map((step) => [step.time, step]));
  const last = times.reduce((most, time) => Math.max(most, time), 0);
  let survival = 1;
  return Array.from({ length: last }, (_, i) => {
    const turn = i + 1;
    const step = steps.get(turn);
    survival = step?.survival ?? survival;
    // Later turns do not count yet. A conversation observed up to an earlier turn is not at risk at the next.
    const until = times.map((time, j): Followed => {
      if (observed[j] === true) return time <= turn ? { at: time, wrong: true } : LASTS;
      return time < turn ? { at: time + 1, wrong: false } : LASTS;
    });
    const found = lifeTableRate(until, items);
    return {
      turn,
      atRisk: times.filter((time) => time >= turn).length,
      events: step?.events ?? 0,
      survival,
      interval: found && intervalOf(found),
    };
  });
}

const LASTS: Followed = Object.freeze({ at: null, wrong: false });

/** The mean of what is known, at most as many as the longest conversation of the run can have. */
function knownMean(
  values: readonly (number | null)[],
  items: readonly string[],
  maximum: number,
): SubjectSequences["turnOfFlip"] {
  const known = values.flatMap((value, i) => (value === null ? [] : [[value, items[i] as string] as const]));
  const result = boundedMean(
    known.map(([value]) => value),
    known.map(([, item]) => item),
    { maximum },
  );
  return result === null ? null : { ...result, n: known.length, inconclusive: values.length - known.length };
}

function accuracyAt(
  turn: number,
  verdicts: readonly (readonly (boolean | null)[])[],
  items: readonly string[],
): TurnAccuracy {
  const reached = verdicts.flatMap((list, i) => {
    const verdict = list[turn];
    return verdict === undefined ? [] : [{ verdict, item: items[i] as string }];
  });
  const read = reached.filter(({ verdict }) => verdict !== null);
  const { estimate: rate, interval } = rateEstimate(
    read.map(({ verdict }) => Number(verdict)),
    read.map(({ item }) => item),
  );
  return { turn: turn + 1, rate, interval, n: read.length, unread: reached.length - read.length };
}
