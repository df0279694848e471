import { cameToItsEnd } from "../core/state/state.ts";
import { failureOf, type RunFailure } from "../journal/failure.ts";
import type { ConversationEvent, DerivedEvent, RunEvent } from "../journal/run-event.ts";
import type { Spending } from "../journal/spending.ts";
import { ModelError } from "../models/model-error.ts";
import { askSubject } from "./ask-subject.ts";
import { judgeReply } from "./judge-reply.ts";
import { heldAnswer } from "./recorded-conversation.ts";
import type { ConversationContext, ConversationPlan, RunContext } from "./run-context.ts";
import { type ConversationRecord, conversationRecord } from "./step/conversation-record.ts";
import type { ConversationState } from "./step/conversation-state.ts";
import type { AskEffect, Effect, JudgeEffect } from "./step/effect.ts";
import { foldJournal } from "./step/fold-journal.ts";
import { step } from "./step/step.ts";

/** Why conversations are ended from outside. */
export interface Cut {
  readonly status: "cancelled" | "timeout";
  readonly message: string;
}

function failureOfCut({ status, message }: Cut): RunFailure {
  return { category: status, stage: "run", message };
}

/** Holds one conversation: does what `step` says is ready, and tells it what came of it. */
export class ConversationDriver implements ConversationContext {
  readonly plan: ConversationPlan;
  readonly run: RunContext;
  readonly #controller = new AbortController();
  readonly #finished = Promise.withResolvers<ConversationRecord>();
  #state: ConversationState | null = null;
  #cancelTimer: (() => void) | undefined;
  #waiting: readonly { readonly turns: number; readonly resolve: () => void }[] = [];
  /** Set if no further question may be asked. */
  #stopping: Cut | undefined;

  constructor(run: RunContext, plan: ConversationPlan) {
    this.run = run;
    this.plan = plan;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Where the conversation stands. */
  get state(): ConversationState {
    // Effects come from a state, so there is one.
    return this.#state as ConversationState;
  }

  settled(turns: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting = [...this.#waiting, { turns, resolve }];
    this.#wake();
    return promise;
  }

  #wake(): void {
    const { turns, status } = this.state;
    const finished = status === null ? (turns?.length ?? 0) : Number.POSITIVE_INFINITY;
    for (const { resolve } of this.#waiting.filter(({ turns }) => turns <= finished)) resolve();
    this.#waiting = this.#waiting.filter(({ turns }) => turns > finished);
  }

  /** Holds the conversation to its end; never rejects for anything that happens in it. */
  hold(): Promise<ConversationRecord> {
    const { conversation, cell, definition, settings } = this.plan;
    this.#limitTime();
    this.#feed({ type: "conversation-start", conversation, cell, scenarioHash: definition.hash, settings });
    return this.#finished.promise;
  }

  /** Takes up a conversation where its journal ends; what had stopped it counts no more. */
  resume(
    journal: Iterable<RunEvent>,
    { retriesErrors }: { readonly retriesErrors: boolean },
  ): Promise<ConversationRecord> {
    const { conversation, definition } = this.plan;
    const events = [...journal];
    const attempt = 2 + events.filter(({ type }) => type === "conversation-resume").length;
    const resumed = { type: "conversation-resume", conversation, attempt, retriesErrors } as const;
    const folded = foldJournal(definition, [...events, { ...resumed, at: 0 }]);
    if (folded.state === null) return this.hold();
    this.#limitTime();
    this.#state = folded.state;
    this.run.emit(resumed);
    if (folded.state.status !== null) for (const derived of folded.events) this.run.emit(derived);
    this.#whenDurable(() => this.#perform(folded.pending, folded.events));
    return this.#finished.promise;
  }

  /** Asks no further question; what is under way comes to its end. */
  stop(cut: Cut): void {
    this.#stopping ??= cut;
  }

  /** Ends the conversation at once: calls under way are dropped. */
  cut(cut: Cut): void {
    this.stop(cut);
    if (this.#state === null || this.#state.status !== null) return;
    this.#end(cut);
    const { category, message } = failureOfCut(cut);
    this.#controller.abort(new ModelError(category, message));
  }

  /** True if something has ended the conversation that it would not have come to by itself. */
  get #isStopped(): boolean {
    const { ending } = this.state;
    return ending !== null && !cameToItsEnd(ending.status);
  }

  #end(cut: Cut, spending?: Spending): void {
    this.#feed({
      type: "conversation-stop",
      conversation: this.plan.conversation,
      status: cut.status,
      failure: failureOfCut(cut),
      ...(spending === undefined ? {} : { spending }),
    });
  }

  #feed(event: ConversationEvent): void {
    try {
      this.run.emit(event);
      const { state, effects, events } = step(this.plan.definition, this.#state, event);
      this.#state = state;
      if (this.#waiting.length > 0) this.#wake();
      for (const derived of events) this.run.emit(derived);
      if (effects.length > 0) this.#whenDurable(() => this.#perform(effects, events));
    } catch (error) {
      // Neither an author's function nor a reply can get here; if something does, the run says so instead of hanging.
      this.run.fail(error);
    }
  }

  #limitTime(): void {
    const { timeouts, clock } = this.run;
    const limit = timeouts.conversationMs ?? null;
    if (limit === null) return;
    const message = `The conversation took longer than ${limit} ms.`;
    this.#cancelTimer = clock.after(limit, () => this.cut({ status: "timeout", message }));
  }

  #whenDurable(perform: () => void): void {
    const durable = this.run.durable();
    if (durable === undefined) perform();
    else durable.then(perform).catch((error) => this.run.fail(error));
  }

  #perform(effects: readonly Effect[], events: readonly DerivedEvent[]): void {
    for (const effect of effects) {
      if (effect.type === "ask" && this.#stopping !== undefined) this.#end(this.#stopping);
      else if (effect.type === "ask") this.#ask(effect);
      else if (effect.type === "judge") this.#judge(effect);
      else this.#finish(events);
    }
  }

  async #ask(effect: AskEffect): Promise<void> {
    const { turn, node } = effect;
    const { conversation } = this.plan;
    const known = this.plan.held === undefined ? null : heldAnswer(this.plan.held, effect);
    if (known !== null && "stop" in known) {
      const { status, failure } = known.stop;
      this.#feed({
        type: "conversation-stop",
        conversation,
        status,
        ...(failure === undefined ? {} : { failure }),
      });
      return;
    }
    if (known === null && this.plan.held !== undefined && this.plan.reruns !== true) {
      const message = `The question at "${node}" was not asked in this place before.`;
      this.#end({ status: "cancelled", message });
      return;
    }
    const asked = known ?? (await askSubject(this, effect));
    if ("reply" in asked) {
      this.#feed({ type: "turn-reply", conversation, turn, ...asked });
      return;
    }
    // Somebody has ended the conversation meanwhile, and said why.
    if (this.state.ending !== null) return;
    const { error, spending } = asked;
    const failure = failureOf(error, { stage: "subject", node, turn });
    if (failure.category === "cancelled" && this.#stopping !== undefined)
      return this.#end(this.#stopping, spending);
    const status =
      failure.category === "budget" ? "budget_exhausted" : asked.turnTimeout ? "timeout" : "error";
    this.#feed({ type: "conversation-stop", conversation, status, failure, spending });
  }

  async #judge(effect: JudgeEffect): Promise<void> {
    const { turn, part } = effect;
    const { conversation } = this.plan;
    const judged = await judgeReply(this, effect);
    if (judged.failure?.category === "budget")
      this.#feed({
        type: "conversation-stop",
        conversation,
        status: "budget_exhausted",
        failure: judged.failure,
      });
    // Before the judgement that was never made, so that a resume asks for it again.
    if (judged.failure?.category === "cancelled" && !this.#isStopped && this.#stopping !== undefined)
      this.#end(this.#stopping);
    this.#feed({ type: "turn-judgement", conversation, turn, part, ...judged });
  }

  #finish(events: readonly DerivedEvent[]): void {
    this.#cancelTimer?.();
    this.#finished.resolve(conversationRecord(this.state, events));
  }
}
