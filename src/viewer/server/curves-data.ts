import type { ConversationScore, RunSummary, Store } from "../../journal/store/store.ts";
import { clusteredWilson } from "../../statistics/clusters.ts";
import { transitionMatrix } from "../../statistics/sequences.ts";
import { kaplanMeier, logRank } from "../../statistics/survival.ts";
import type { CurvesAnswer, SubjectCurves } from "../answers.ts";

/** What a turn was, for sequences; turns that nothing verifies are not part of them. */
type TurnState = "right" | "wrong" | "unreadable";

const STATES: readonly TurnState[] = ["right", "wrong", "unreadable"];

/** Turns after this one are counted, but not drawn one by one. */
const MOST_TURNS = 60;

/** The sequences of verdicts in a run: how long right answers last, how right each turn is, what follows what. */
export function curvesAnswer(store: Store, { run, start }: Pick<RunSummary, "run" | "start">): CurvesAnswer {
  const bySubject = new Map<string, Sequence[]>(start.subjects.map((subject) => [subject, []]));
  for (const score of store.scores(run, { turns: true })) {
    const known = bySubject.get(score.subject) ?? [];
    bySubject.set(score.subject, known);
    known.push({ item: score.item, states: statesOf(score) });
  }
  const lives = [...bySubject.values()].map(livesOf);
  const subjects = [...bySubject].map(([subject, sequences], index) =>
    subjectCurves(subject, sequences, lives[index] ?? { times: [], observed: [] }),
  );
  const watched = lives.filter(({ times }) => times.length > 0);
  return { subjects, logRank: watched.length < 2 ? null : logRank(watched) };
}

interface Sequence {
  readonly item: string;
  readonly states: readonly TurnState[];
}

interface Lives {
  readonly times: readonly number[];
  readonly observed: readonly boolean[];
}

function statesOf({ turns }: ConversationScore): readonly TurnState[] {
  return turns.flatMap(({ verdict }): readonly TurnState[] => {
    if (verdict === "pass") return ["right"];
    if (verdict === "fail") return ["wrong"];
    return verdict === "unreadable" || verdict === "unjudged" ? ["unreadable"] : [];
  });
}

/** Of conversations that begin with a right answer: the turn of the first wrong one, or the last that was watched. */
function livesOf(sequences: readonly Sequence[]): Lives {
  const times: number[] = [];
  const observed: boolean[] = [];
  for (const { states } of sequences) {
    if (states[0] !== "right") continue;
    const end = states.findIndex((state) => state !== "right");
    const isWrong = end >= 0 && states[end] === "wrong";
    times.push(isWrong ? end + 1 : end >= 0 ? end : states.length);
    observed.push(isWrong);
  }
  return { times, observed };
}

function subjectCurves(
  subject: string,
  sequences: readonly Sequence[],
  { times, observed }: Lives,
): SubjectCurves {
  const { counts, proportions } = transitionMatrix(
    sequences.map(({ states }) => states),
    STATES,
  );
  return {
    subject,
    atRisk: times.length,
    survival: kaplanMeier(times, observed),
    accuracy: accuracyOf(sequences),
    transitions: { states: STATES, counts, proportions },
  };
}

function accuracyOf(sequences: readonly Sequence[]): SubjectCurves["accuracy"] {
  const longest = Math.min(
    MOST_TURNS,
    sequences.reduce((most, { states }) => Math.max(most, states.length), 0),
  );
  return Array.from({ length: longest }, (_, index) => {
    const values: number[] = [];
    const items: string[] = [];
    let unread = 0;
    for (const { item, states } of sequences) {
      const state = states[index];
      if (state === "unreadable") unread++;
      else if (state !== undefined) {
        values.push(state === "right" ? 1 : 0);
        items.push(item);
      }
    }
    const rate = clusteredWilson(values, items);
    return {
      turn: index + 1,
      rate: rate?.rate ?? null,
      low: rate?.low ?? null,
      high: rate?.high ?? null,
      n: values.length,
      unread,
    };
  });
}
