import { checkPrices, loadPrices, type Prices } from "../limit/prices.ts";
import type { AnyModel } from "./model-call.ts";
import type { ResolvedModels } from "./resolve-models.ts";
import type { RunOptions } from "./run-options.ts";

/** The price library is loaded only if a model has a price. */
export async function pricesFor({ budget }: RunOptions, models: ResolvedModels): Promise<Prices> {
  const all = allModels(models);
  const prices = all.some(({ price }) => typeof price === "object" && price !== null)
    ? await loadPrices()
    : FREE_OR_UNKNOWN;
  if (budget?.usd !== undefined) checkPrices(prices, all);
  return prices;
}

const FREE_OR_UNKNOWN: Prices = {
  cost: ({ price }) => (price === null ? 0 : null),
  isKnown: ({ price }) => price === null,
};

/** All models that a run may ask. */
export function allModels({ subjects, judges, overrides }: ResolvedModels): readonly AnyModel[] {
  return [
    ...[...subjects.values()].map(({ model }) => model),
    ...[...judges.values()].flatMap(({ models }) => models),
    ...overrides.values(),
  ];
}
