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
import type { ConversationScore, Store } from "../../../engine/journal/store/store.ts";
import { storedRun } from "../../../engine/journal/transfer/stored-run.ts";
import {
  type GroupValues,
  groupedScores,
  grouper,
  groupName,
  needsRowValues,
  withinSubject,
} from "./grouping.ts";
import { followedTo, isVerified, rateEstimate } from "./rate-line.ts";
import { type RatesOptions, wantedScores } from "./rates.ts";
import { type RunFacts, runFacts } from "./run-facts.ts";

/** The states of a turn. */
export const STATES = ["right", "wrong", "unreadable"] as const;
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
  const observedBySubject = groupedScores(verified, groupsOf).map(({ group, members: own }) => ({
    group,
    own,
    followed: own.map((score) => followedBy(score, facts)),
  }));
  const groups = observedBySubject.map(({ own, followed }) => ({
    ...asTimes(followed, own, facts),
    clusters: own.map(({ item }) => item),
  }));
  const longest = scores.reduce((most, { turns }) => Math.max(most, turns.filter(isVerified).length), 0);
  return {
    subjects: observedBySubject.map(({ group, own, followed }) =>
      subjectSequences(group, own, { followed, facts, longest }),
    ),
    logRank: observedBySubject.length < 2 ? null : logRank(groups),
    clusteredLogRank: observedBySubject.length < 2 ? null : clusteredLogRank(groups),
  };
}

/** The nodes of the first outcome that says "all turns are right"; all nodes if there is none. */
function nodesOf(score: ConversationScore, facts: RunFacts): readonly string[] | null {
  const [first] = facts.scenarios.get(score.scenario)?.sequences.values() ?? [];
  return first ?? null;
}

/** How many turns of a conversation a curve of survival looks at. */
function lengthOf(score: ConversationScore, facts: RunFacts): number {
  const nodes = nodesOf(score, facts);
  return score.turns.filter((turn) => isVerified(turn) && (nodes === null || nodes.includes(turn.node)))
    .length;
}

/** A completed conversation has lasted; one that was cut short was observed until then. */
function followedBy(score: ConversationScore, facts: RunFacts): Followed {
  return followedTo(score, nodesOf(score, facts), score.status === "completed" ? true : "error");
}

function asTimes(
  followed: readonly Followed[],
  scores: readonly ConversationScore[],
  facts: RunFacts,
): { times: number[]; observed: boolean[] } {
  return {
    // A conversation that is unreadable at turn 3 was observed up to turn 2.
    times: followed.map(({ at, wrong }, i) =>
      at === null ? lengthOf(scores[i] as ConversationScore, facts) : wrong ? at : at - 1,
    ),
    observed: followed.map(({ wrong }) => wrong),
  };
}

function subjectSequences(
  group: GroupValues,
  scores: readonly ConversationScore[],
  {
    followed,
    facts,
    longest,
  }: { readonly followed: readonly Followed[]; readonly facts: RunFacts; readonly longest: number },
): SubjectSequences {
  const items = scores.map(({ item }) => item);
  const lists = scores.map((score) =>
    score.turns
      .filter(isVerified)
      .map(
        ({ verdict }): State => (verdict === "pass" ? "right" : verdict === "fail" ? "wrong" : "unreadable"),
      ),
  );
  const verdicts = lists.map((list) =>
    list.map((state) => (state === "unreadable" ? null : state === "right")),
  );
  const { times, observed } = asTimes(followed, scores, facts);
  const last = lists.reduce((most, list) => Math.max(most, list.length), 0);
  return {
    subject: groupName(group),
    group,
    conversations: scores.length,
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
    const { low = null, high = null } = lifeTableRate(until, items) ?? {};
    return {
      turn,
      atRisk: times.filter((time) => time >= turn).length,
      events: step?.events ?? 0,
      survival,
      interval: low === null || high === null ? null : { low, high },
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
  const values: number[] = [];
  const clusters: string[] = [];
  let unread = 0;
  for (const [i, list] of verdicts.entries()) {
    const verdict = list[turn];
    if (verdict === undefined) continue;
    if (verdict === null) unread++;
    else {
      values.push(Number(verdict));
      clusters.push(items[i] as string);
    }
  }
  const { estimate, interval } = rateEstimate(values, clusters);
  return { turn: turn + 1, rate: estimate, interval, n: values.length, unread };
}
