import type { BudgetLimits, BudgetTicket, CallBudget, CallCost } from "../run/calls/budget.ts";
import type { Spend, Spent } from "./work-tables.ts";

/** How a shared budget is kept. */
interface SharedBudgetOptions {
  readonly limits: BudgetLimits;
  /** Reserves and settles in one statement: see `WorkTables`. */
  readonly spend: (spend: Spend) => Promise<Spent>;
  readonly fail: (error: unknown) => void;
}

interface Reserved {
  readonly usd: number;
  readonly tokens: number;
}

interface Waiting {
  readonly reserved: Reserved;
  readonly ticket: BudgetTicket;
  readonly resolve: (ticket: BudgetTicket | null) => void;
}

const NOTHING: Reserved = Object.freeze({ usd: 0, tokens: 0 });

/**
 * A budget that the workers of a run share. What calls will probably cost is reserved before they are made, and settled afterwards. While
 * one statement is under way, others gather for the next: a worker has at most one.
 */
export class SharedBudget implements CallBudget {
  readonly #options: SharedBudgetOptions;
  readonly #means = new Map<string, { finished: number; usd: number; tokens: number }>();
  readonly #reserved = new Map<BudgetTicket, Reserved>();
  #waiting: Waiting[] = [];
  #settled = { usd: 0, tokens: 0, calls: 0 };
  #released = { usd: 0, tokens: 0 };
  #flushing: Promise<void> | undefined;
  #spent: Omit<Spent, "permitted"> = { usd: 0, tokens: 0, calls: 0 };

  constructor(options: SharedBudgetOptions) {
    this.#options = options;
  }

  get needsEstimates(): boolean {
    const { usd, tokens } = this.#options.limits;
    return usd !== undefined || tokens !== undefined;
  }

  admit(
    model: { readonly name: string },
    estimate: CallCost = { usd: 0, tokens: 0 },
  ): Promise<BudgetTicket | null> {
    const ticket: BudgetTicket = { model: model.name, estimate };
    return new Promise((resolve) => {
      this.#waiting.push({ ticket, reserved: this.#expected(ticket), resolve });
      this.#flushSoon();
    });
  }

  charge(ticket: BudgetTicket, cost: CallCost): void {
    const reserved = this.#reserved.get(ticket);
    if (reserved === undefined) return;
    this.#reserved.delete(ticket);
    const [usd, tokens] = [amount(cost.usd), amount(cost.tokens)];
    this.#settled.usd += usd;
    this.#settled.tokens += tokens;
    this.#released.usd += reserved.usd;
    this.#released.tokens += reserved.tokens;
    if (usd > 0 || tokens > 0) {
      const mean = this.#means.get(ticket.model) ?? { finished: 0, usd: 0, tokens: 0 };
      this.#means.set(ticket.model, mean);
      mean.finished++;
      mean.usd += usd;
      mean.tokens += tokens;
    }
    this.#flushSoon();
  }

  refund(ticket: BudgetTicket): void {
    if (this.#reserved.has(ticket)) this.#settled.calls--;
    this.charge(ticket, NOTHING);
  }

  reason(): string {
    const { usd, tokens, calls } = this.#options.limits;
    const limits = [
      ...(usd === undefined ? [] : [`${usd} USD`]),
      ...(tokens === undefined ? [] : [`${tokens} tokens`]),
      ...(calls === undefined ? [] : [`${calls} calls`]),
    ];
    const spent = `${this.#spent.usd.toFixed(4)} USD, ${this.#spent.tokens} tokens and ${this.#spent.calls} calls`;
    return `The budget of ${limits.join(", ")} is exhausted: all workers together have spent ${spent}, the rest is reserved for calls in flight.`;
  }

  /** Resolves when everything is settled. */
  async close(): Promise<void> {
    while (this.#flushing !== undefined) await this.#flushing;
  }

  /** What a call will probably cost: the mean of finished calls of its model, or else the estimate. */
  #expected({ model, estimate }: BudgetTicket): Reserved {
    if (!this.needsEstimates) return NOTHING;
    const mean = this.#means.get(model);
    return mean === undefined
      ? { usd: amount(estimate.usd), tokens: amount(estimate.tokens) }
      : { usd: mean.usd / mean.finished, tokens: mean.tokens / mean.finished };
  }

  #flushSoon(): void {
    this.#flushing ??= this.#flush()
      .catch((error) => this.#options.fail(error))
      .finally(() => {
        this.#flushing = undefined;
        if (this.#hasMore) this.#flushSoon();
      });
  }

  get #hasMore(): boolean {
    const { usd, tokens, calls } = this.#settled;
    return this.#waiting.length > 0 || usd !== 0 || tokens !== 0 || calls !== 0 || this.#released.usd !== 0;
  }

  async #flush(): Promise<void> {
    // What comes in this round of the event loop goes together.
    await new Promise((resolve) => setImmediate(resolve));
    const [waiting, settled, released] = [this.#waiting, this.#settled, this.#released];
    this.#waiting = [];
    this.#settled = { usd: 0, tokens: 0, calls: 0 };
    this.#released = { usd: 0, tokens: 0 };
    const { permitted, ...spent } = await this.#options.spend({
      wanted: waiting.map(({ reserved }) => reserved),
      settled,
      released,
    });
    this.#spent = spent;
    for (const [index, { ticket, reserved, resolve }] of waiting.entries()) {
      if (index < permitted) this.#reserved.set(ticket, reserved);
      resolve(index < permitted ? ticket : null);
    }
  }
}

/** Values of providers are not trusted; a cost is never negative. */
function amount(value: number | null): number {
  return value !== null && Number.isFinite(value) && value > 0 ? value : 0;
}
