import type { RunSummary, Store } from "../../journal/store/store.ts";
import { sequences } from "../../report/data/sequences.ts";
import type { CurvesAnswer } from "../answers.ts";

/** Turns after this one are counted, but not drawn one by one. */
const MOST_TURNS = 60;

/** The sequences of verdicts in a run, as `show --sequences` has them, in the order of its subjects. */
export function curvesAnswer(store: Store, { run, start }: Pick<RunSummary, "run" | "start">): CurvesAnswer {
  const { subjects, ...tests } = sequences(store, run);
  const placeOf = (subject: string): number => start.subjects.indexOf(subject);
  return {
    ...tests,
    subjects: [...subjects]
      .sort((one, other) => placeOf(one.subject) - placeOf(other.subject))
      .map((one) => ({
        ...one,
        survival: one.survival.slice(0, MOST_TURNS),
        accuracy: one.accuracy.slice(0, MOST_TURNS),
      })),
  };
}
