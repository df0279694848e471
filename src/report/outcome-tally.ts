import type { ResultRow } from "../journal/store.ts";
import { testedKey } from "./subject-totals.ts";

/** True or false, a number, or never decided, so that nobody knows. */
export type OutcomeKind = "assertion" | "number" | "undecided";

/** How many conversations an outcome is what in; the sum is that of the numbers. */
export type OutcomeCounts = Readonly<
  Record<"yes" | "no" | "numbers" | "sum" | "inconclusive" | "infrastructure", number>
>;

/** No conversation. */
export const NO_COUNTS: OutcomeCounts = Object.freeze({
  yes: 0,
  no: 0,
  numbers: 0,
  sum: 0,
  inconclusive: 0,
  infrastructure: 0,
});

/** The counts of an outcome, by `testedKey`. */
export interface OutcomeTally {
  readonly outcome: string;
  readonly kind: OutcomeKind;
  readonly counts: ReadonlyMap<string, OutcomeCounts>;
}

/**
 * Adds up the outcomes of rows over scenarios. One that is an assertion in one scenario and a number in another gives two
 * tallies. What is not decided stands where the outcome's decided values in the same scenario stand; if there are none, where
 * those of other scenarios do.
 */
export function tallyOutcomes(rows: readonly ResultRow[]): readonly OutcomeTally[] {
  const { overall, within } = findKinds(rows);
  const tallies = new Map<string, Map<OutcomeKind, Map<string, OutcomeCounts>>>();
  for (const [outcome, kinds] of overall)
    tallies.set(outcome, new Map(inOrder(kinds).map((kind) => [kind, new Map<string, OutcomeCounts>()])));
  for (const row of rows) {
    const tested = testedKey(row);
    for (const [outcome, result] of Object.entries(row.outcomes)) {
      const own = within.get(scenarioKey(row.scenario, outcome));
      const kinds = own === undefined || own.size === 0 ? overall.get(outcome) : own;
      for (const kind of inOrder(kinds)) {
        const counts = tallies.get(outcome)?.get(kind);
        counts?.set(tested, addResult(counts.get(tested) ?? NO_COUNTS, result));
      }
    }
  }
  return [...tallies].flatMap(([outcome, byKind]) =>
    [...byKind].map(([kind, counts]) => ({ outcome, kind, counts })),
  );
}

type Kinds = Map<string, Set<OutcomeKind>>;

/** The kinds that an outcome has anywhere, and within each scenario. */
function findKinds(rows: readonly ResultRow[]): { readonly overall: Kinds; readonly within: Kinds } {
  const overall: Kinds = new Map();
  const within: Kinds = new Map();
  const note = (kinds: Kinds, key: string, found: readonly OutcomeKind[]): void => {
    kinds.set(key, new Set([...(kinds.get(key) ?? []), ...found]));
  };
  for (const { scenario, outcomes } of rows) {
    for (const [outcome, { yes, no, numbers }] of Object.entries(outcomes)) {
      const found: OutcomeKind[] = [];
      if (yes + no > 0) found.push("assertion");
      if (numbers > 0) found.push("number");
      note(overall, outcome, found);
      note(within, scenarioKey(scenario, outcome), found);
    }
  }
  return { overall, within };
}

function scenarioKey(scenario: string, outcome: string): string {
  return JSON.stringify([scenario, outcome]);
}

function inOrder(kinds: ReadonlySet<OutcomeKind> | undefined): readonly OutcomeKind[] {
  const found = (["assertion", "number"] as const).filter((kind) => kinds?.has(kind));
  return found.length === 0 ? ["undecided"] : found;
}

/** A mean is given back its weight, so that scenarios with more conversations count for more. */
function addResult(counts: OutcomeCounts, result: ResultRow["outcomes"][string]): OutcomeCounts {
  return {
    yes: counts.yes + result.yes,
    no: counts.no + result.no,
    numbers: counts.numbers + result.numbers,
    sum: counts.sum + (result.mean ?? 0) * result.numbers,
    inconclusive: counts.inconclusive + result.inconclusive,
    infrastructure: counts.infrastructure + result.infrastructure,
  };
}
