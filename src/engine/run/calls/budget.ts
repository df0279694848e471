/** What a run may spend on all its calls together. */
export interface BudgetLimits {
  readonly usd?: number;
  readonly tokens?: number;
  readonly calls?: number;
}

/** What was spent. */
interface Spent {
  readonly usd: number;
  readonly tokens: number;
  readonly calls: number;
}

/** Permission for one call; to be passed to `charge` or `refund` once. */
export interface BudgetTicket {
  readonly model: string;
  readonly estimate: CallCost;
}

/** What a call costs; null if unknown. */
export interface CallCost {
  readonly usd: number | null;
  readonly tokens: number | null;
}

const UNKNOWN_COST: CallCost = Object.freeze({ usd: null, tokens: null });

interface ModelSpending {
  finished: number;
  usd: number;
  tokens: number;
  inFlight: number;
  /** What the calls in flight were estimated to cost. */
  estimatedUsd: number;
  estimatedTokens: number;
}

/** What keeps the calls of a run within its limits: in this process, or in several together. */
export interface CallBudget {
  /** True if `admit` needs an estimate of the cost. */
  readonly needsEstimates: boolean;
  /** Permission for a call, or null if it may exceed the budget. */
  admit(
    model: { readonly name: string },
    estimate?: CallCost,
  ): BudgetTicket | null | Promise<BudgetTicket | null>;
  /** Books what a call has cost. */
  charge(ticket: BudgetTicket, cost: CallCost): void;
  /** The call was not made: its answer was cached. */
  refund(ticket: BudgetTicket): void;
  /** Why a call was refused. */
  reason(): string;
}

/** Keeps the calls of a run within its limits. What calls in flight will probably cost counts as spent. */
export class Budget implements CallBudget {
  readonly #limits: BudgetLimits;
  readonly #models = new Map<string, ModelSpending>();
  readonly #open = new Set<BudgetTicket>();
  #usd = 0;
  #tokens = 0;
  #calls = 0;
  /** For all calls in flight: the mean cost of finished calls of the model, or else the estimate. Updated with each call. */
  #reservedUsd = 0;
  #reservedTokens = 0;
  #refused: keyof BudgetLimits | null = null;

  constructor(limits: BudgetLimits = {}) {
    this.#limits = limits;
  }

  /** True once a call was refused, or nothing is left. */
  get exhausted(): boolean {
    return this.#refused !== null || this.#reached(this.spent) !== null;
  }

  /** True if `admit` needs an estimate of the cost. */
  get needsEstimates(): boolean {
    return this.#limits.usd !== undefined || this.#limits.tokens !== undefined;
  }

  get spent(): Spent {
    return { usd: this.#usd, tokens: this.#tokens, calls: this.#calls };
  }

  /** Permission for a call, or null if it may exceed the budget. The estimate counts until a call of the model has finished. */
  admit(model: { readonly name: string }, estimate: CallCost = UNKNOWN_COST): BudgetTicket | null {
    this.#refused = this.#reached({
      usd: this.#usd + this.#reservedUsd,
      tokens: this.#tokens + this.#reservedTokens,
      calls: this.#calls,
    });
    if (this.#refused !== null) return null;
    const ticket: BudgetTicket = { model: model.name, estimate };
    this.#open.add(ticket);
    this.#calls++;
    this.#change(model.name, (spending) => {
      spending.inFlight++;
      spending.estimatedUsd += amount(estimate.usd);
      spending.estimatedTokens += amount(estimate.tokens);
    });
    return ticket;
  }

  /** Books what a call has cost. An unknown price counts as 0: with a budget in USD, `requirePrices` runs first. */
  charge(ticket: BudgetTicket, cost: CallCost): void {
    if (!this.#open.delete(ticket)) return;
    const [usd, tokens] = [amount(cost.usd), amount(cost.tokens)];
    this.#usd += usd;
    this.#tokens += tokens;
    this.#change(ticket.model, (spending) => {
      spending.inFlight--;
      spending.estimatedUsd -= amount(ticket.estimate.usd);
      spending.estimatedTokens -= amount(ticket.estimate.tokens);
      // A failure or an answer from the cache says nothing about the cost of an answer.
      if (usd === 0 && tokens === 0) return;
      spending.finished++;
      spending.usd += usd;
      spending.tokens += tokens;
    });
  }

  /** The call was not made: its answer was cached. */
  refund(ticket: BudgetTicket): void {
    if (this.#open.has(ticket)) this.#calls--;
    this.charge(ticket, { usd: 0, tokens: 0 });
  }

  /** Why a call was refused. */
  reason(): string {
    const by = this.#refused ?? this.#reached(this.spent);
    if (by === null) return "The budget is not exhausted.";
    const unit = by === "usd" ? "USD" : by;
    const spent = by === "usd" ? this.#usd.toFixed(4) : this.spent[by];
    return `The budget of ${this.#limits[by]} ${unit} is exhausted: ${spent} spent, the rest is reserved for calls in flight.`;
  }

  #reached(spent: Spent): keyof BudgetLimits | null {
    const { usd, tokens, calls } = this.#limits;
    if (calls !== undefined && spent.calls >= calls) return "calls";
    if (usd !== undefined && spent.usd >= usd) return "usd";
    if (tokens !== undefined && spent.tokens >= tokens) return "tokens";
    return null;
  }

  /** Updates the figures of a model, and what is reserved for its calls in flight. */
  #change(model: string, change: (spending: ModelSpending) => void): void {
    let spending = this.#models.get(model);
    if (spending === undefined) {
      spending = { finished: 0, usd: 0, tokens: 0, inFlight: 0, estimatedUsd: 0, estimatedTokens: 0 };
      this.#models.set(model, spending);
    }
    this.#reservedUsd -= reserved(spending, spending.usd, spending.estimatedUsd);
    this.#reservedTokens -= reserved(spending, spending.tokens, spending.estimatedTokens);
    change(spending);
    this.#reservedUsd += reserved(spending, spending.usd, spending.estimatedUsd);
    this.#reservedTokens += reserved(spending, spending.tokens, spending.estimatedTokens);
  }
}

function reserved({ finished, inFlight }: ModelSpending, total: number, estimated: number): number {
  return finished === 0 ? estimated : (total / finished) * inFlight;
}

/** What a provider tells may be anything; a cost is never negative. */
function amount(value: number | null): number {
  return value !== null && Number.isFinite(value) && value > 0 ? value : 0;
}
