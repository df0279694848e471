import type { Clock } from "../../../core/environment.ts";
import { maskSecretsIn } from "../../../system/secrets/mask-secrets.ts";
import { failureOf } from "../../journal/failure.ts";
import type { CallEnd, RunEventBody } from "../../journal/run-event.ts";
import { addSpending, NOTHING_SPENT, type Spending } from "../../journal/spending.ts";
import { callIdentity } from "../../models/message-list.ts";
import type { ModelReply } from "../../models/model.ts";
import { ModelError } from "../../models/model-error.ts";
import { estimatedUsage } from "../../models/simulated/simulated-model.ts";
import type { BudgetTicket, CallBudget, CallCost } from "./budget.ts";
import type { AnyModel, CallCache, MadeCall, ModelCall, ToolUse } from "./call-cache.ts";
import { UNHEARD } from "./call-cache.ts";
import type { Limits } from "./limits.ts";
import type { Prices } from "./prices.ts";

/** What every call of a run goes through: budget, limits, retries, prices, events. */
interface CallerParts {
  readonly limits: Limits;
  readonly budget: CallBudget;
  readonly prices: Prices;
  readonly clock: Clock;
  /** The name of the run, which models see. */
  readonly run?: string;
  readonly callTimeoutMs: number | null;
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
  async call(call: ModelCall): Promise<ModelReply> {
    const { model, request, context, shared } = call;
    const { conversation, turn, purpose } = context;
    const { emit } = this.#parts;
    const identity = callIdentity(model, request, context);
    emit({ type: "call-start", conversation, turn, call: call.call, purpose, model: model.name, identity });
    const spend = (spending: Spending): void => {
      this.#total = addSpending(this.#total, spending);
      call.onSpent?.(spending);
    };
    let unanswered = NOTHING_SPENT;
    const onUnanswered = (spending: Spending): void => {
      unanswered = addSpending(unanswered, spending);
      spend(spending);
    };
    const ask = (): Promise<MadeCall> => this.#ask(call, identity, onUnanswered);
    const end = (): CallEndBeginning => ({
      type: "call-end",
      conversation,
      turn,
      call: call.call,
      ...(unanswered === NOTHING_SPENT ? {} : { unanswered }),
    });
    const start = this.#parts.clock.now();
    try {
      const made = shared === undefined ? await ask() : await shared.answer(identity, context.signal, ask);
      spend(this.#answered(call.model, made, { ...end(), latencyMs: this.#since(start) }));
      return made.reply;
    } catch (error) {
      const failure = failureOf(error, { stage: purpose, node: context.node, turn });
      emit({ ...end(), cached: false, latencyMs: this.#since(start), failure });
      throw error;
    }
  }

  /** A simulated model costs nothing and follows from its seed, so it is not cached. */
  #ask(call: ModelCall, identity: string, onUnanswered: OnUnanswered): Promise<MadeCall> {
    const { cache } = this.#parts;
    const make = (): Promise<MadeCall> =>
      call.onlyStored === true ? Promise.reject(UNHEARD) : this.#make(call, onUnanswered);
    if (cache === null || call.skipsCache === true || "simulate" in call.model) return make();
    return cache.answer(call, identity, make);
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

  #answered(
    model: AnyModel,
    { reply, attempts, cached }: MadeCall,
    end: CallEndBeginning & Pick<CallEnd, "latencyMs">,
  ): Spending {
    const isCached = cached || reply.cached === true;
    const { usage } = reply;
    const cost = isCached ? 0 : this.#parts.prices.cost(model, usage);
    const tokens = isCached ? 0 : usage === undefined ? null : usage.inputTokens + usage.outputTokens;
    this.#parts.emit({
      ...end,
      attempts,
      cached: isCached,
      ...(usage === undefined ? {} : { usage }),
      cost,
    });
    return { calls: isCached ? 0 : 1, cached: isCached ? 1 : 0, tokens, cost };
  }

  #since(start: number): number {
    return Math.round((this.#parts.clock.now() - start) * 100) / 100;
  }

  /** The expected cost of a call: before one has finished, and of one that is never answered. */
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

  async #make(call: ModelCall, onUnanswered: OnUnanswered): Promise<MadeCall> {
    const { model, context } = call;
    const { limits, budget, prices, callTimeoutMs, emit } = this.#parts;
    const { conversation, turn } = context;
    const admit = (): BudgetTicket | Promise<BudgetTicket> =>
      this.#admit(model, budget.needsEstimates ? this.#estimate(call) : undefined);
    const admitted = admit();
    let ticket: BudgetTicket | undefined = admitted instanceof Promise ? await admitted : admitted;
    const attempt = async (signal: AbortSignal): Promise<ModelReply> => {
      // The attempt before has used the permission up: its server may charge for it.
      ticket ??= await admit();
      return ask(call, signal, this.#parts.run);
    };
    try {
      const { reply, attempts } = await limits.call(attempt, {
        account: model.account,
        key: `${conversation} ${call.call}`,
        signal: context.signal,
        timeoutMs: model.isPatient === true ? null : callTimeoutMs,
        onRetry: (retry) =>
          emit({ type: "retry", conversation, turn, call: call.call, ...maskSecretsIn(retry) }),
        onUnanswered: () => {
          if ("simulate" in model) return;
          const cost = this.#estimate(call);
          if (ticket !== undefined) budget.charge(ticket, cost);
          ticket = undefined;
          onUnanswered({ calls: 1, unanswered: 1, cached: 0, tokens: cost.tokens, cost: cost.usd });
        },
      });
      // An answer belongs to an attempt, and that has a permission.
      const used = ticket as BudgetTicket;
      if (reply.cached === true) budget.refund(used);
      else budget.charge(used, { usd: prices.cost(model, reply.usage), tokens: tokensOf(reply) });
      return { reply, attempts, cached: false };
    } catch (error) {
      if (ticket !== undefined) budget.charge(ticket, { usd: 0, tokens: 0 });
      throw error;
    }
  }
}

/** An attempt was sent and has no usable answer: what it took, estimated. */
type OnUnanswered = (spending: Spending) => void;

type CallEndBeginning = Pick<CallEnd, "type" | "conversation" | "turn" | "call" | "unanswered">;

/** As long as a usual reply. */
const EXPECTED_REPLY = "x".repeat(2000);

function ask(
  { model, request, context, simulation, session }: ModelCall,
  signal: AbortSignal,
  run: string | undefined,
): Promise<ModelReply> {
  const inCall = {
    ...context,
    signal,
    ...(session === undefined ? {} : { session }),
    ...(run === undefined ? {} : { run }),
  };
  // A server may repeat a key that it was sent: it is masked before anything sees the reply.
  if (!("simulate" in model)) return model.reply(request, inCall).then(maskSecretsIn);
  if (simulation !== undefined) return model.simulate(request, inCall, simulation);
  throw new ModelError("bad_request", `${model.name} is simulated and can only be a subject.`);
}

function tokensOf({ usage }: ModelReply): number {
  return usage === undefined ? 0 : usage.inputTokens + usage.outputTokens;
}
