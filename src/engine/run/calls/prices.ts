import type { calcPrice, PriceCalculation } from "@pydantic/genai-prices";
import type { ModelCard, Usage } from "../../models/model.ts";
import { ModelError } from "../../models/model-error.ts";

/** What calls cost. */
export interface Prices {
  /** In USD; null if the price or what was used is unknown. */
  cost(card: Pick<ModelCard, "price">, usage: Usage | undefined): number | null;
  /** True if the price is known, or if there is none to pay. */
  isKnown(card: Pick<ModelCard, "price">): boolean;
}

/** Loads the price library, if a model has a price. */
export async function loadPrices(models: readonly Pick<ModelCard, "price">[]): Promise<Prices> {
  const isPriced = models.some(({ price }) => typeof price === "object" && price !== null);
  if (!isPriced) return FREE_OR_UNKNOWN;
  const { calcPrice } = await import("@pydantic/genai-prices");
  return new LibraryPrices(calcPrice);
}

const FREE_OR_UNKNOWN: Prices = {
  cost: ({ price }) => (price === null ? 0 : null),
  isKnown: ({ price }) => price === null,
};

/** Throws if the price of a model is unknown: a budget in USD could not be kept. */
export function requirePrices(prices: Prices, models: readonly Pick<ModelCard, "name" | "price">[]): void {
  const unknown = models.filter((model) => !prices.isKnown(model)).map((model) => model.name);
  if (unknown.length === 0) return;
  const names = [...new Set(unknown)].join(", ");
  throw new ModelError(
    "budget",
    `A budget in USD cannot be kept because no price is known for ${names}. Set a budget in tokens or calls instead.`,
  );
}

type CalculatePrice = typeof calcPrice;
type Tariff = (usage: Usage) => number;

class LibraryPrices implements Prices {
  readonly #calculate: CalculatePrice;
  readonly #tariffs = new Map<string, Tariff | null>();

  constructor(calculate: CalculatePrice) {
    this.#calculate = calculate;
  }

  isKnown({ price }: Pick<ModelCard, "price">): boolean {
    return price === null || (price !== undefined && this.#tariff(price) !== null);
  }

  cost({ price }: Pick<ModelCard, "price">, usage: Usage | undefined): number | null {
    if (price === null) return 0;
    if (price === undefined || usage === undefined) return null;
    const tariff = this.#tariff(price);
    if (tariff === null || !isUsable(usage)) return null;
    try {
      return tariff(usage);
    } catch {
      // The library refuses figures that contradict each other, such as more cached input than input.
      return null;
    }
  }

  #tariff(price: NonNullable<ModelCard["price"]>): Tariff | null {
    const key = `${price.provider} ${price.model}`;
    const known = this.#tariffs.get(key);
    if (known !== undefined) return known;
    const tariff = this.#lookUp(price);
    this.#tariffs.set(key, tariff);
    return tariff;
  }

  #lookUp(price: NonNullable<ModelCard["price"]>): Tariff | null {
    const calculate = (usage: Record<string, number>): PriceCalculation | null =>
      this.#calculate(usage, price.model, { providerId: price.provider });
    const found = calculate({ input_tokens: 0, output_tokens: 0 });
    if (found === null) return null;
    const perRequest = found.model_price.requests_kcount === undefined ? {} : { requests: 1 };
    const exact: Tariff = (usage) => calculate({ ...libraryUsage(usage), ...perRequest })?.total_price ?? 0;
    return isLinear(found) ? linearTariff(exact) : exact;
  }
}

/** Input of the library includes what was cached, as ours does. */
function libraryUsage(usage: Usage): Record<string, number> {
  return {
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cache_read_tokens: usage.cacheReadTokens ?? 0,
    cache_write_tokens: usage.cacheWriteTokens ?? 0,
  };
}

/** True if every token costs the same, at any time and however many there are. */
function isLinear({ model, model_price }: PriceCalculation): boolean {
  return (
    !Array.isArray(model.prices) && Object.values(model_price).every((price) => typeof price === "number")
  );
}

/** The library needs 0.1 ms for a price. Where prices are linear, its answers for five cases give all others. */
function linearTariff(exact: Tariff): Tariff {
  const [million, none] = [1_000_000, { inputTokens: 0, outputTokens: 0 }];
  const call = exact(none);
  const each = (usage: Usage): number => (exact(usage) - call) / million;
  const input = each({ ...none, inputTokens: million });
  const output = each({ ...none, outputTokens: million });
  const read = each({ ...none, inputTokens: million, cacheReadTokens: million });
  const write = each({ ...none, inputTokens: million, cacheWriteTokens: million });
  return ({ inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 }) => {
    const plain = inputTokens - cacheReadTokens - cacheWriteTokens;
    if (plain < 0) return exact({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens });
    return call + plain * input + cacheReadTokens * read + cacheWriteTokens * write + outputTokens * output;
  };
}

function isUsable({ inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 }: Usage): boolean {
  return [inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens].every(
    (tokens) => Number.isFinite(tokens) && tokens >= 0,
  );
}
