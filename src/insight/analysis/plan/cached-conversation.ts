import type { ConversationEvent } from "../../../engine/journal/run-event.ts";
import type { RunCalls } from "../../../engine/journal/store/store.ts";
import { callIdentity } from "../../../engine/models/message-list.ts";
import type { ModelReply } from "../../../engine/models/model.ts";
import { ModelError } from "../../../engine/models/model-error.ts";
import { askSubject } from "../../../engine/run/ask-subject.ts";
import { userTurn } from "../../../engine/run/ask-user.ts";
import type { ModelCall } from "../../../engine/run/calls/call-cache.ts";
import { compareMeanings } from "../../../engine/run/compare-meanings.ts";
import { type Judged, judgeReply } from "../../../engine/run/judge-reply.ts";
import type { ConversationContext, ConversationPlan, RunContext } from "../../../engine/run/run-context.ts";
import { givenHistory } from "../../../engine/run/step/agent-view.ts";
import type { ConversationState, Effect } from "../../../engine/run/step/conversation-state.ts";
import { type Step, step } from "../../../engine/run/step/step.ts";
import type { Slot, Slots } from "./amounts.ts";
import type { Position } from "./simulate-scenario.ts";

/** A call that costs nothing: its answer is stored, or a simulated model answers. */
interface KnownCall {
  readonly slot: Slot;
  readonly turn: number;
  /** True if a simulated model answers. */
  readonly isSimulated: boolean;
}

/** How far a conversation gets with stored answers and simulated models alone. */
export interface CachedConversation {
  readonly state: ConversationState;
  readonly calls: readonly KnownCall[];
  /** Where the first answer is missing: before the question of its turn. Undefined if the conversation ends without. */
  readonly restart?: Position & { readonly turn: number };
}

/** Where answers are looked for. */
export interface KnownAnswers {
  readonly slots: Slots;
  /** In this order; empty if stored answers are not used. */
  readonly stores: readonly KnownStore[];
}

/** Stored answers. */
export interface KnownStore extends Pick<RunCalls, "find"> {
  /** True of those of the run that is resumed: the only ones that serve functions and URLs. */
  readonly isOwn?: true;
}

/** Walks a conversation through `step` with stored answers and simulated models as its only models. */
export async function cachedConversation(
  run: RunContext,
  plan: ConversationPlan,
  answers: KnownAnswers,
): Promise<CachedConversation> {
  return new CachedWalk(run, plan, answers).walk();
}

class CachedWalk implements ConversationContext {
  readonly plan: ConversationPlan;
  readonly run: RunContext;
  readonly signal: AbortSignal = new AbortController().signal;
  readonly session: string = "";
  readonly unheard: ConversationContext["unheard"] = new Set();
  readonly isBegunAgain: boolean = false;
  transcribed = 0;
  readonly #answers: KnownAnswers;
  readonly #calls: KnownCall[] = [];
  readonly #questions = new Map<number, Position>();
  readonly #missed = new Set<number>();
  #state: ConversationState | null = null;

  constructor(run: RunContext, plan: ConversationPlan, answers: KnownAnswers) {
    this.plan = plan;
    this.#answers = answers;
    const useTool = (): Promise<never> => Promise.reject(MISSING);
    this.run = { ...run, caller: { call: (call) => this.#call(call), useTool } };
  }

  get state(): ConversationState {
    // Effects come from a state, so there is one.
    return this.#state as ConversationState;
  }

  /** A turn that is not finished now waits for a missing answer. */
  turnsFinished(turnCount: number): Promise<void> {
    const finished = this.state.turns?.length ?? 0;
    return finished >= turnCount ? Promise.resolve() : Promise.reject(MISSING);
  }

  async walk(): Promise<CachedConversation> {
    const { conversation, cell, definition, settings, from } = this.plan;
    this.#state = from?.state ?? null;
    const history = from === undefined ? givenHistory(definition) : [];
    const queue: Effect[] = [
      ...(await this.#feed({
        type: "conversation-start",
        conversation,
        cell,
        scenarioHash: definition.hash,
        settings,
        ...("problem" in history || history.length === 0 ? {} : { history }),
        ...(from === undefined ? {} : { fork: from.fork }),
      })),
    ];
    for (let effect = queue.shift(); effect !== undefined; effect = queue.shift()) {
      const event = await this.#perform(effect);
      if (event !== undefined) queue.push(...(await this.#feed(event)));
      else if ("turn" in effect) this.#missed.add(effect.turn);
    }
    const turn = Math.min(...this.#missed);
    const position = this.#questions.get(turn);
    return {
      state: this.state,
      calls: this.#calls,
      ...(position === undefined ? {} : { restart: { ...position, turn } }),
    };
  }

  async #feed(event: ConversationEvent): Promise<readonly Effect[]> {
    const { definition, sources } = this.plan;
    const work = (): Step => step(definition, this.#state, event);
    const { state, effects } = await (sources === undefined ? work() : sources.evaluate(work));
    this.#state = state;
    for (const effect of effects)
      if (effect.type === "ask" || effect.type === "simulate") {
        const { turn } = effect;
        // A simulated user writes the question before it is asked.
        if (!this.#questions.has(turn)) this.#questions.set(turn, { state, effects: [effect] });
      }
    return effects;
  }

  /** The event that answers an effect; undefined if the answer is missing. */
  async #perform(effect: Effect): Promise<ConversationEvent | undefined> {
    const { conversation } = this.plan;
    switch (effect.type) {
      case "ask": {
        const answer = await askSubject(this, effect);
        return "reply" in answer
          ? { type: "turn-reply", conversation, turn: effect.turn, ...answer }
          : undefined;
      }
      case "simulate": {
        const told = await userTurn(this, effect);
        return "text" in told ? { type: "turn-user", conversation, turn: effect.turn, ...told } : undefined;
      }
      case "judge":
        return this.#judgement(effect, await judgeReply(this, effect));
      case "embed":
        return this.#judgement(effect, await compareMeanings(this, effect));
      case "finish":
        return undefined;
    }
  }

  #judgement(
    { turn, part }: Pick<Extract<Effect, { readonly part: number }>, "turn" | "part">,
    judged: Judged,
  ): ConversationEvent | undefined {
    if (judged.failure !== undefined) return undefined;
    return { type: "turn-judgement", conversation: this.plan.conversation, turn, part, ...judged };
  }

  async #call(call: ModelCall): Promise<ModelReply> {
    const { model, request, context, simulation } = call;
    const { turn, purpose } = context;
    const role = model === this.run.embedder ? "embedder" : purpose;
    const slot = this.#answers.slots.of(role, model);
    const known = (reply: ModelReply, isSimulated: boolean): ModelReply => {
      this.#calls.push({ slot, turn, isSimulated });
      call.onSpent?.({ calls: 0, cached: 1, tokens: 0, cost: 0 });
      return reply;
    };
    if ("simulate" in model) {
      if (simulation === undefined) throw MISSING;
      return known(await model.simulate(request, context, simulation), true);
    }
    if (model.account === SIMULATED) return known(await model.reply(request, context), true);
    const identity = callIdentity(model, request, context);
    const isLookedFor = call.skipsCache !== true && call.ignoresStored !== true;
    for (const store of isLookedFor ? this.#answers.stores : []) {
      const reply = model.isVolatile === true && !store.isOwn ? undefined : await store.find(identity);
      if (reply !== undefined) return known(reply, false);
    }
    throw MISSING;
  }
}

/** The account of models that need no network: they always answer the same. */
const SIMULATED = "sim";
const MISSING = new ModelError("cassette_miss", "The answer is not stored.");
