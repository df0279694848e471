import { isRecord } from "../core/values/json.ts";
import type { ResultRow, RunSummary, Store } from "../journal/store/store.ts";
import { definitionsOf } from "../journal/transfer/stored-definitions.ts";
import { type OutcomeRates, outcomeRates } from "./outcome-rates.ts";

/** What the results of a run say, with outcomes in the order in which the authors of its scenarios wrote them. */
export function runRates(
  store: Store,
  { run, start }: RunSummary,
  rows?: readonly ResultRow[],
): OutcomeRates {
  // What was planned for the whole run says nothing about a part of it.
  const rates = rows === undefined ? outcomeRates(store.results(run), start) : outcomeRates(rows);
  const places = new Map<string, number>();
  for (const { definition } of definitionsOf(store, run))
    for (const name of outcomeNames(definition)) if (!places.has(name)) places.set(name, places.size);
  const placeOf = ({ outcome }: { readonly outcome: string }): number => places.get(outcome) ?? places.size;
  const outcomes = [...rates.outcomes].sort((one, other) => placeOf(one) - placeOf(other));
  return { ...rates, outcomes };
}

function outcomeNames(definition: string): readonly string[] {
  const { outcomes } = JSON.parse(definition) as { readonly outcomes?: unknown };
  return Array.isArray(outcomes) ? outcomes.filter(isRecord).map(({ name }) => String(name)) : [];
}
