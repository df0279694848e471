import type { Cell } from "../journal/run-event.ts";

/** What a run multiplies. */
export interface Factors {
  readonly scenarios: readonly string[];
  /** The number of rows of a scenario's dataset; undefined without one. */
  readonly rows?: number;
  readonly subjects: readonly string[];
  readonly judges: readonly string[];
  readonly replicates: number;
}

/** How many conversations a run has. */
export function countCells({ scenarios, rows = 1, subjects, judges, replicates }: Factors): number {
  return scenarios.length * rows * subjects.length * judges.length * replicates;
}

/**
 * The cells of a run in the order they are begun: the first replicate of everything before the second of anything, so that a
 * run that stops early is balanced. Cells that differ only in the judge come together, because they share their replies.
 * `index` is the position in the results, where replicates stand side by side.
 */
export function* cellGroups(factors: Factors): Generator<readonly Cell[]> {
  const { scenarios, rows, subjects, judges, replicates } = factors;
  for (let replicate = 1; replicate <= replicates; replicate++) {
    for (const [scenarioIndex, scenario] of scenarios.entries()) {
      for (let row = 0; row < (rows ?? 1); row++) {
        for (const [subjectIndex, subject] of subjects.entries()) {
          const place = (scenarioIndex * (rows ?? 1) + row) * subjects.length + subjectIndex;
          yield judges.map((judge, judgeIndex) => ({
            index: (place * judges.length + judgeIndex) * replicates + replicate - 1,
            scenario,
            ...(rows === undefined ? {} : { row }),
            subject,
            judge,
            replicate,
          }));
        }
      }
    }
  }
}
