import { RunError } from "../../../engine/journal/failure.ts";
import type { RunSummary, Store } from "../../../engine/journal/store/store.ts";
import { type Comparison, compareAll, runSide } from "../../../insight/report/data/compare-sides.ts";
import { rates } from "../../../insight/report/data/rates.ts";
import { runRates, shownRates } from "../../../insight/report/data/run-rates.ts";
import { type RunSequences, sequences } from "../../../insight/report/data/sequences.ts";
import { sentence } from "../../../insight/report/text/comparison-text.ts";
import { doubtTexts } from "../../../insight/report/text/doubt-text.ts";
import type { ComparisonAnswer, GroupsAnswer, RatesAnswer } from "../answers.ts";
import { disagreements } from "./review-data.ts";
import { coverageAnswer } from "./scenario-data.ts";

/** Two subjects, of one run or of two. */
interface ComparedSides {
  readonly run: string;
  readonly a: string;
  readonly withRun: string;
  readonly b: string;
}

/** A request whose answer looks at every conversation of a run. */
export type HeavyRequest =
  | { readonly kind: "curves" | "rates"; readonly run: string }
  | { readonly kind: "disagreements"; readonly run: string; readonly count: number }
  | { readonly kind: "coverage"; readonly run: string; readonly scenario: string }
  | { readonly kind: "groups"; readonly run: string; readonly by: readonly string[] }
  | ({ readonly kind: "comparison" } & ComparedSides);

/** Computes an answer; the run must be there. */
export async function heavyAnswer(store: Store, request: HeavyRequest): Promise<unknown> {
  // The server has checked that it exists.
  const summary = store.run(request.run) as RunSummary;
  switch (request.kind) {
    case "curves":
      return curvesAnswer(store, summary);
    case "rates":
      return ratesAnswer(store, summary);
    case "coverage":
      return coverageAnswer(store, request.run, request.scenario);
    case "groups":
      return groupsAnswer(store, request.run, request.by);
    case "disagreements":
      return disagreements(store, request.run, request.count);
    case "comparison":
      return comparisonAnswer(store, request);
  }
}

/** The rates of a run with intervals that know which conversations belong together. */
export function ratesAnswer(store: Store, summary: RunSummary): RatesAnswer {
  const { best, unread: _, ...found } = shownRates(runRates(store, summary));
  return { rates: found, best: Object.fromEntries(best ?? []), warnings: doubtTexts(found) };
}

/** The most lines of a table. */
const MOST_LINES = 2_000;

/** The rates of a run by group. */
export function groupsAnswer(store: Store, run: string, by: readonly string[]): GroupsAnswer {
  const report = rates(store, run, { by });
  const lines = report.lines.slice(0, MOST_LINES);
  return { ...report, lines, more: report.lines.length - lines.length };
}

/** Two subjects compared, each line with its sentence. */
export function comparisonAnswer(store: Store, { run, a, withRun, b }: ComparedSides): ComparisonAnswer {
  const side = (of: string, subject: string): ReturnType<typeof runSide> => {
    const own = runSide(store, of, subject);
    return run === withRun ? own : { ...own, label: `${subject}, run ${of}` };
  };
  try {
    // One pair of sides gives one comparison.
    const [comparison] = compareAll([[side(run, a), side(withRun, b)]]) as readonly [Comparison];
    const lines = comparison.lines.map((line) => ({
      ...line,
      onlyA: line.onlyA.length,
      onlyB: line.onlyB.length,
      sentence: sentence(line, comparison),
    }));
    return { ...comparison, lines };
  } catch (error) {
    if (error instanceof RunError) return { problem: error.message };
    throw error;
  }
}

/** Turns after this one are counted, but not drawn one by one. */
const MOST_TURNS = 60;

/** The sequences of verdicts in a run, as `show --sequences` has them, in the order of its subjects. */
export function curvesAnswer(store: Store, { run, start }: Pick<RunSummary, "run" | "start">): RunSequences {
  const { subjects, ...tests } = sequences(store, run);
  const placeOf = (subject: string): number => start.subjects.indexOf(subject);
  return {
    ...tests,
    subjects: [...subjects]
      .sort((one, other) => placeOf(one.group.subject ?? "") - placeOf(other.group.subject ?? ""))
      .map((one) => ({
        ...one,
        survival: one.survival.slice(0, MOST_TURNS),
        accuracy: one.accuracy.slice(0, MOST_TURNS),
      })),
  };
}
