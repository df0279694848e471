import type { Clock } from "../../core/environment.ts";
import { failureOf } from "../../journal/failure.ts";
import type { CallEnd, RunEventBody } from "../../journal/run-event.ts";
import { addSpending, NOTHING_SPENT, type Spending } from "../../journal/spending.ts";
import { callIdentity } from "../../models/call-identity.ts";
import type { ModelReply } from "../../models/model.ts";
import { ModelError } from "../../models/model-error.ts";
import { estimatedUsage } from "../../models/simulated/simulated-model.ts";
import { maskSecretsIn } from "../../secrets/mask-secrets.ts";
import type { BudgetTicket, CallBudget, CallCost } from "./budget.ts";
import type { Answered, CallCache, MadeCall, ModelCall, ToolUse } from "./call-cache.ts";
import type { Limits } from "./limits.ts";
import type { Prices } from "./prices.ts";

/** What every call of a run goes through: budget, limits, retries, prices, events. */
export interface CallerParts {
  readonly limits: Limits;
  readonly budget: CallBudget;
  readonly prices: Prices;
  readonly clock: Clock;
  readonly callTimeoutMs: number | null;
  /** True if calls that send nothing may be given up sooner. */
  readonly adaptsTimeout: boolean;
  /** Null without a store. */
  readonly cache: CallCache | null;
  readonly emit: (event: RunEventBody) => void;
}

/** Makes the calls of a run. */
export class Caller {
  readonly #parts: CallerParts;
  #total: Spending = NOTHING_SPENT;

  constructor(parts: CallerParts) {
    this.#parts = parts;
  }

  /** What all calls of the run have used so far. */
  get spending(): Spending {
    return this.#total;
  }

  /** Divides the caps of accounts among processes that share them: see `Limits`. */
  share(workers: (account: string) => number): void {
    this.#parts.limits.share(workers);
  }

  /** Cancels all calls that wait in a queue or for a retry. */
  stopWaiting(message: string): void {
    this.#parts.limits.stopWaiting(new ModelError("cancelled", message));
  }

  /** Asks a model; throws `ModelError` if there is no answer. */
  async call(call: ModelCall): Promise<Answered> {
    const { model, request, context, shared } = call;
    const { conversation, turn, purpose } = context;
    const { emit } = this.#parts;
    const identity = callIdentity(model, request, context);
    emit({ type: "call-start", conversation, turn, call: call.call, purpose, model: model.name, identity });
    const ask = (): Promise<MadeCall> => this.#ask(call, identity);
    const start = this.#parts.clock.now();
    try {
      const made = shared === undefined ? await ask() : await shared.answer(identity, context.signal, ask);
      return this.#answered(call, made, this.#since(start));
    } catch (error) {
      const failure = failureOf(error, { stage: purpose, node: context.node, turn });
      const latencyMs = this.#since(start);
      emit({ ...callEnd(call), cached: false, latencyMs, failure });
      throw error;
    }
  }

  /** A simulated model costs nothing and follows from its seed, so it is not cached. */
  #ask(call: ModelCall, identity: string): Promise<MadeCall> {
    const { cache } = this.#parts;
    if (cache === null || call.skipsCache === true || "simulate" in call.model) return this.#make(call);
    return cache.answer(call, identity, () => this.#make(call));
  }

  /** Uses a tool; it counts as a call without a cost. */
  async useTool<Used>(tool: ToolUse<Used>): Promise<Used> {
    const { context, call } = tool;
    const { conversation, turn, node, signal } = context;
    const { emit, clock, budget } = this.#parts;
    emit({ type: "call-start", conversation, turn, call, purpose: "tool", model: tool.tool });
    const start = clock.now();
    const end = { type: "call-end", conversation, turn, call } as const;
    try {
      const ticket = await this.#admit({ name: tool.tool });
      budget.charge(ticket, { usd: 0, tokens: 0 });
      const used = await tool.use(signal);
      emit({ ...end, attempts: 1, cached: false, latencyMs: this.#since(start) });
      return used;
    } catch (error) {
      const failure = failureOf(error, { stage: "tool", node, turn });
      emit({ ...end, cached: false, latencyMs: this.#since(start), failure });
      throw error;
    }
  }

  #answered(call: ModelCall, { reply, attempts, cached }: MadeCall, latencyMs: number): Answered {
    const isCached = cached || reply.cached === true;
    const { usage } = reply;
    const cost = isCached ? 0 : this.#parts.prices.cost(call.model, usage);
    const tokens = isCached ? 0 : usage === undefined ? null : usage.inputTokens + usage.outputTokens;
    const spending = { calls: isCached ? 0 : 1, cached: isCached ? 1 : 0, tokens, cost };
    this.#total = addSpending(this.#total, spending);
    this.#parts.emit({
      ...callEnd(call),
      attempts,
      cached: isCached,
      latencyMs,
      ...(usage === undefined ? {} : { usage }),
      cost,
    });
    return { reply, spending };
  }

  #since(start: number): number {
    return Math.round((this.#parts.clock.now() - start) * 100) / 100;
  }

  /** The expected cost of a call, before one has finished. */
  #estimate({ model, request }: ModelCall): CallCost {
    const usage = estimatedUsage(request, EXPECTED_REPLY);
    return {
      usd: this.#parts.prices.cost(model, usage),
      tokens: usage.inputTokens + usage.outputTokens,
    };
  }

  /** Permission for a call; throws `ModelError` if it may exceed the budget. */
  #admit(model: { readonly name: string }, estimate?: CallCost): BudgetTicket | Promise<BudgetTicket> {
    const { budget } = this.#parts;
    const permitted = (ticket: BudgetTicket | null): BudgetTicket => {
      if (ticket === null) throw new ModelError("budget", budget.reason());
      return ticket;
    };
    const admitted = budget.admit(model, estimate);
    return admitted instanceof Promise ? admitted.then(permitted) : permitted(admitted);
  }

  async #make(call: ModelCall): Promise<MadeCall> {
    const { model, context } = call;
    const { limits, budget, prices, callTimeoutMs, emit } = this.#parts;
    const { conversation, turn } = context;
    const admitted = this.#admit(model, budget.needsEstimates ? this.#estimate(call) : undefined);
    const ticket = admitted instanceof Promise ? await admitted : admitted;
    try {
      const { reply, attempts } = await limits.call((signal) => ask(call, signal), {
        account: model.account,
        key: `${conversation} ${call.call}`,
        signal: context.signal,
        timeoutMs: model.isPatient === true ? null : callTimeoutMs,
        ...(this.#parts.adaptsTimeout ? { adaptsTo: model.name } : {}),
        onRetry: (retry) =>
          emit({ type: "retry", conversation, turn, call: call.call, ...maskSecretsIn(retry) }),
      });
      if (reply.cached === true) budget.refund(ticket);
      else budget.charge(ticket, { usd: prices.cost(model, reply.usage), tokens: tokensOf(reply) });
      return { reply, attempts, cached: false };
    } catch (error) {
      budget.charge(ticket, { usd: 0, tokens: 0 });
      throw error;
    }
  }
}

/** As long as a usual reply. */
const EXPECTED_REPLY = "x".repeat(2000);

function ask({ model, request, context, simulation }: ModelCall, signal: AbortSignal): Promise<ModelReply> {
  const inCall = { ...context, signal };
  // A server may repeat a key that it was sent: it is masked before anything sees the reply.
  if (!("simulate" in model)) return model.reply(request, inCall).then(maskSecretsIn);
  if (simulation !== undefined) return model.simulate(request, inCall, simulation);
  throw new ModelError("bad_request", `${model.name} is simulated and can only be a subject.`);
}

function callEnd({ context, call }: ModelCall): Pick<CallEnd, "type" | "conversation" | "turn" | "call"> {
  return { type: "call-end", conversation: context.conversation, turn: context.turn, call };
}

function tokensOf({ usage }: ModelReply): number {
  return usage === undefined ? 0 : usage.inputTokens + usage.outputTokens;
}
