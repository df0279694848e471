import { isFinished } from "../../core/state/state.ts";
import type { RunFailure } from "../journal/failure.ts";
import { attemptsIn } from "../journal/fold/conversation.ts";
import type {
  ConversationEvent,
  ConversationStart,
  ConversationStop,
  RunEvent,
} from "../journal/run-event.ts";
import { addSpending, NOTHING_SPENT, type Spending } from "../journal/spending.ts";
import { ModelError } from "../models/model-error.ts";
import { BEGIN_AGAIN, subjectTurn } from "./ask-subject.ts";
import { userTurn } from "./ask-user.ts";
import type { AnyModel } from "./calls/call-cache.ts";
import { compareMeanings } from "./compare-meanings.ts";
import { type Judged, judgeReply } from "./judge-reply.ts";
import type { ConversationContext, ConversationPlan, RunContext } from "./run-context.ts";
import { givenHistory } from "./step/agent-view.ts";
import {
  type AskEffect,
  armsOf,
  type ConversationRecord,
  type ConversationState,
  conversationRecord,
  type Effect,
  type EmbedEffect,
  type JudgeEffect,
  type SimulateEffect,
} from "./step/conversation-state.ts";
import { droppedJudgements, type FoldedJournal, foldJournal, foldJournalWith } from "./step/fold-journal.ts";
import { type Step, step } from "./step/step.ts";

/** What a resume makes again. */
export interface Retries {
  /** True to ask judges again that could not be asked. */
  readonly retriesErrors: boolean;
  /** True to ask judges again whose answers could not be read. */
  readonly retriesUnreadable: boolean;
}

/** Why a conversation is ended before it is finished. */
export interface StopReason {
  readonly status: "cancelled" | "timeout" | "error";
  readonly message: string;
}

function categoryOf({ status }: StopReason): RunFailure["category"] {
  return status === "error" ? "internal" : status;
}

/** A question in flight: the conversation ends only once it has come back, because it may have been paid for. */
interface Asking {
  /** Ends the conversation then. */
  stop?: ConversationStop;
  /** What came after that. */
  readonly held: ConversationEvent[];
}

const NO_FORKS =
  "An arm of a fork continues what its subject has not heard: a subject that remembers conversations by itself cannot take part. Send it all messages, with {{messages}}.";

/** Runs one conversation: performs the effects that `step` returns and feeds their results back as events. */
export class ConversationDriver implements ConversationContext {
  readonly plan: ConversationPlan;
  readonly run: RunContext;
  readonly session: string = crypto.randomUUID();
  readonly unheard: Set<AnyModel> = new Set();
  isBegunAgain = false;
  transcribed = 0;
  #attempt = 1;
  readonly #controller = new AbortController();
  readonly #finished = Promise.withResolvers<ConversationRecord>();
  readonly #suspended = Promise.withResolvers<null>();
  #state: ConversationState | null = null;
  #cancelTimer: (() => void) | undefined;
  #waiting: readonly { readonly turnCount: number; readonly resolve: () => void }[] = [];
  /** True if another process goes on with the conversation. */
  #isSuspended = false;
  /** Effects under way. */
  #underWay = 0;
  /** Set when no further question may be asked. */
  #stopReason: StopReason | undefined;
  /** The question in flight; null if there is none. */
  #asking: Asking | null = null;
  #beginsAgain = false;
  #hasSaidOff = false;
  /** Events that came while a step waits for source strings; null if none does. */
  #held: ConversationEvent[] | null = null;
  /** Ends the step that waits. Its event has not happened: a resume brings it again. */
  readonly #stepController = new AbortController();
  readonly #history: ReturnType<typeof givenHistory>;

  constructor(run: RunContext, plan: ConversationPlan) {
    this.run = run;
    this.plan = plan;
    this.#history = plan.from === undefined ? givenHistory(plan.definition) : [];
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get state(): ConversationState {
    // Effects come from a state, so there is one.
    return this.#state as ConversationState;
  }

  turnsFinished(turnCount: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting = [...this.#waiting, { turnCount, resolve }];
    this.#wake();
    return promise;
  }

  #wake(): void {
    const { turns, status } = this.state;
    const isOver = status !== null || this.signal.aborted;
    const finished = isOver ? Number.POSITIVE_INFINITY : (turns?.length ?? 0);
    for (const { resolve } of this.#waiting.filter(({ turnCount }) => turnCount <= finished)) resolve();
    this.#waiting = this.#waiting.filter(({ turnCount }) => turnCount > finished);
  }

  /** Runs the conversation until it is over. What goes wrong in it is part of its record; the promise does not reject. */
  start(): Promise<ConversationRecord> {
    const { from } = this.plan;
    this.#limitTime();
    this.#state = from?.state ?? null;
    if (from !== undefined) this.#rememberNothing();
    this.#feed(this.#startEvent());
    return this.#finished.promise;
  }

  #startEvent(): ConversationStart {
    const { conversation, cell, definition, settings, itemHash, rowValues, from } = this.plan;
    const history = this.#history;
    return {
      type: "conversation-start",
      conversation,
      cell,
      scenarioHash: definition.hash,
      settings,
      ...(itemHash === undefined ? {} : { itemHash }),
      ...(rowValues === undefined ? {} : { rowValues }),
      ...("problem" in history || history.length === 0 ? {} : { history }),
      ...(from === undefined ? {} : { fork: from.fork }),
    };
  }

  /** The subjects of this attempt have heard nothing of the turns before it. */
  #rememberNothing(): void {
    const { subjects, overrides } = this.run;
    for (const { model } of [...subjects.values(), ...overrides.subjects.values()])
      if (model.hasMemory === true) this.unheard.add(model);
  }

  /** Runs the conversation from its first question, after an attempt of which the subject has not heard all. */
  async beginAgain(before: ConversationDriver): Promise<ConversationRecord> {
    this.isBegunAgain = true;
    this.#attempt = before.#attempt + 1;
    const start = { ...this.#startEvent(), spent: before.state.spending };
    const { state, pending } = await foldPlan(this.plan, [{ ...start, at: 0 }]);
    this.#limitTime();
    this.#state = state;
    const { conversation } = this.plan;
    const resume = { type: "conversation-resume", conversation, attempt: this.#attempt } as const;
    this.run.emit({ ...resume, retriesErrors: false, restarts: true });
    this.#whenDurable(() => this.#perform(pending));
    return this.#finished.promise;
  }

  /** True if it was suspended because the subject has not heard all of it. */
  get beginsAgain(): boolean {
    return this.#beginsAgain;
  }

  /** Continues where the journal of the conversation ends, and ignores what stopped it then. */
  async resume(
    journal: Iterable<RunEvent>,
    { retriesErrors, retriesUnreadable }: Retries,
  ): Promise<ConversationRecord> {
    const { conversation } = this.plan;
    const events = [...journal];
    const attempt = 1 + attemptsIn(events);
    this.#attempt = attempt;
    const again = {
      type: "conversation-resume",
      conversation,
      attempt,
      retriesErrors,
      ...(retriesUnreadable ? { retriesUnreadable } : {}),
    } as const;
    const folded = await foldPlan(this.plan, [...events, { ...again, at: 0 }]);
    if (folded.state === null) return this.start();
    const before = await foldPlan(this.plan, events);
    const resumed = { ...again, judgedAgain: droppedJudgements(before, folded, this.plan.cell.judge) };
    this.#limitTime();
    this.#state = folded.state;
    if (folded.state.spoken !== null) this.#rememberNothing();
    this.run.emit(resumed);
    if (folded.state.status !== null) for (const derived of folded.events) this.run.emit(derived);
    this.#whenDurable(() => this.#perform(folded.pending));
    return this.#finished.promise;
  }

  /** Asks no further question; calls in flight finish. */
  stop(reason: StopReason): void {
    this.#stopReason ??= reason;
  }

  /** Ends the conversation at once and aborts calls in flight. */
  abort(reason: StopReason): void {
    this.stop(reason);
    if (this.#state === null || this.#state.status !== null) return;
    this.#end(reason);
    this.#stepController.abort();
    this.#controller.abort(new ModelError(categoryOf(reason), reason.message));
    this.#wake();
  }

  /**
   * Asks no further question, and does not end the conversation: its journal is complete once calls in flight have finished, and
   * another process can resume it. `suspended` resolves then, unless it has ended before.
   */
  suspend(): void {
    this.#isSuspended = true;
    this.#sayIfSuspended();
  }

  get suspended(): Promise<null> {
    return this.#suspended.promise;
  }

  #sayIfSuspended(): void {
    if (this.#isSuspended && this.#underWay === 0 && this.#held === null) this.#suspended.resolve(null);
  }

  /** True if the conversation has been stopped, rather than finished. */
  get #isStopped(): boolean {
    const { ending } = this.state;
    return ending !== null && !isFinished(ending.status);
  }

  #end(reason: StopReason, spending?: Spending): void {
    const { status, message } = reason;
    const failure: RunFailure = { category: categoryOf(reason), stage: "run", message };
    this.#stopWith(status, failure, spending);
  }

  /** Ends the conversation, once the question in flight has come back. */
  #stopWith(status: ConversationStop["status"], failure?: RunFailure, spending?: Spending): void {
    const stop: ConversationStop = {
      type: "conversation-stop",
      conversation: this.plan.conversation,
      status,
      ...(failure === undefined ? {} : { failure }),
      ...(spending === undefined ? {} : { spending }),
    };
    if (this.#asking !== null) this.#asking.stop ??= stop;
    else this.#feed(stop);
  }

  /** The question in flight has come back. False if something has stopped the conversation meanwhile, which is then over. */
  #endAsking({
    spending = NOTHING_SPENT,
    reply,
  }: {
    spending?: Spending;
    reply?: ConversationEvent;
  }): boolean {
    const { stop, held } = this.#asking ?? { held: [] };
    this.#asking = null;
    // The reply may lead to the next question at once.
    if (reply !== undefined) this.#feed(reply);
    if (stop === undefined) return true;
    this.#feed({ ...stop, spending: addSpending(stop.spending ?? NOTHING_SPENT, spending) });
    for (const event of held) this.#feed(event);
    return false;
  }

  /** Takes in an event, after those that came before it. */
  #feed(event: ConversationEvent): void {
    const held = this.#asking?.stop === undefined ? this.#held : this.#asking.held;
    if (held !== null) {
      held.push(event);
      return;
    }
    const { definition, sources } = this.plan;
    const work = (): Step => step(definition, this.#state, event);
    try {
      const stepped = sources === undefined ? work() : sources.evaluate(work, this.#stepController.signal);
      if (stepped instanceof Promise) void this.#wait(event, stepped);
      else this.#apply(event, stepped);
    } catch (error) {
      this.run.fail(error);
    }
  }

  async #wait(event: ConversationEvent, stepped: Promise<Step>): Promise<void> {
    const held: ConversationEvent[] = [];
    this.#held = held;
    try {
      this.#apply(event, await stepped);
    } catch (error) {
      if (!this.#stepController.signal.aborted) this.run.fail(error);
    }
    this.#held = null;
    for (const next of held) this.#feed(next);
    this.#sayIfSuspended();
  }

  #apply(event: ConversationEvent, { state, effects, events }: Step): void {
    try {
      this.run.emit(event);
      this.#state = state;
      this.#sayIfOff();
      if (this.#waiting.length > 0) this.#wake();
      if (state.status !== null) this.#warnOfMore();
      for (const derived of events) this.run.emit(derived);
      if (effects.length > 0) this.#performSoon(effects);
    } catch (error) {
      // No author's function and no reply can throw here: it is the store, or a bug.
      this.run.fail(error);
    }
  }

  #sayIfOff(): void {
    const reason = this.plan.sources?.offReason;
    if (reason === undefined || this.#hasSaidOff) return;
    this.#hasSaidOff = true;
    const { conversation, cell } = this.plan;
    const message = `A source string of scenario "${cell.scenario}" ${reason}. What depends on it is not decided.`;
    this.run.emit({ type: "warning", conversation, code: "sources_off", message });
  }

  #limitTime(): void {
    const { timeouts, clock } = this.run;
    const limit = timeouts.conversationMs ?? null;
    if (limit === null) return;
    const message = `The conversation took longer than ${limit} ms.`;
    this.#cancelTimer = clock.after(limit, () => this.abort({ status: "timeout", message }));
  }

  /** What a record answers costs nothing, so that nothing is lost if it is answered again after a crash. */
  #performSoon(effects: readonly Effect[]): void {
    if (effects.some((effect) => this.#mayCost(effect)))
      return this.#whenDurable(() => this.#perform(effects));
    this.#failIfRejected(Promise.resolve().then(() => this.#perform(effects)));
  }

  #mayCost({ type }: Effect): boolean {
    const { replies } = this.plan;
    return type === "judge" || type === "embed" || replies === undefined || replies.mayAsk;
  }

  #whenDurable(perform: () => void): void {
    const durable = this.run.durable();
    if (durable === undefined) perform();
    else this.#failIfRejected(durable.then(perform));
  }

  /** Nothing awaits an effect: if one throws, the run must fail instead of waiting forever. */
  #failIfRejected(effect: Promise<void>): void {
    this.#underWay++;
    const end = (): void => {
      this.#underWay--;
      this.#sayIfSuspended();
    };
    effect.then(end, (error) => {
      this.run.fail(error);
      end();
    });
  }

  #perform(effects: readonly Effect[]): void {
    for (const effect of effects) {
      // The question follows from the journal: another process asks it.
      const isQuestion = effect.type === "ask" || effect.type === "simulate";
      if (isQuestion && (this.#isSuspended || this.#asking?.stop !== undefined)) continue;
      if (effect.type === "ask" && "problem" in this.#history)
        this.#stopWith("error", { category: "author", stage: "run", message: this.#history.problem });
      else if (isQuestion && this.#stopReason !== undefined) this.#end(this.#stopReason);
      else if (effect.type === "simulate") this.#failIfRejected(this.#simulate(effect));
      else if (effect.type === "ask") this.#failIfRejected(this.#ask(effect));
      else if (effect.type === "judge") this.#failIfRejected(this.#judge(effect, judgeReply(this, effect)));
      else if (effect.type === "embed")
        this.#failIfRejected(this.#judge(effect, compareMeanings(this, effect)));
      else this.#finish();
    }
  }

  /** The simulated user writes the next question. */
  async #simulate(effect: SimulateEffect): Promise<void> {
    this.#asking = { held: [] };
    const said = await userTurn(this, effect);
    if ("stop" in said) return this.#stopAsking(said.stop);
    const { conversation } = this.plan;
    this.#endAsking({ reply: { type: "turn-user", conversation, turn: effect.turn, ...said } });
  }

  async #ask(effect: AskEffect): Promise<void> {
    this.#asking = { held: [] };
    const answer = await subjectTurn(this, effect);
    if (answer === BEGIN_AGAIN) return this.#beginAgain();
    if ("stop" in answer) return this.#stopAsking(answer.stop);
    const { conversation } = this.plan;
    this.#endAsking({ reply: { type: "turn-reply", conversation, turn: effect.turn, ...answer } });
  }

  #beginAgain(): void {
    if (this.plan.from !== undefined)
      return this.#stopAsking({
        status: "error",
        failure: { category: "author", stage: "run", message: NO_FORKS },
      });
    if (!this.#endAsking({})) return;
    this.#beginsAgain = true;
    this.suspend();
  }

  #stopAsking({
    status,
    failure,
    spending,
  }: Pick<ConversationStop, "status" | "failure" | "spending">): void {
    if (!this.#endAsking({ ...(spending === undefined ? {} : { spending }) })) return;
    if (failure?.category === "cancelled" && this.#stopReason !== undefined)
      return this.#end(this.#stopReason, spending);
    this.#stopWith(status, failure, spending);
  }

  /** A record may have more turns than the scenario asks for; they are not looked at. */
  #warnOfMore(): void {
    const left = isFinished(this.state.status)
      ? (this.plan.replies?.left(this.state.turns?.length ?? 0) ?? 0)
      : 0;
    if (left === 0) return;
    const { conversation } = this.plan;
    const message = `The record has ${left} more ${left === 1 ? "turn" : "turns"} than the scenario asks for.`;
    this.run.emit({ type: "warning", conversation, code: "longer_record", message });
  }

  async #judge({ turn, part }: JudgeEffect | EmbedEffect, judging: Promise<Judged>): Promise<void> {
    const { conversation } = this.plan;
    const judged = await judging;
    for (const answered of judged.judges ?? []) this.run.judging.add(answered);
    if (judged.failure?.category === "budget") this.#stopWith("budget_exhausted", judged.failure);
    // The stop comes before the judgement that was not made, so that a resume asks for it again.
    if (judged.failure?.category === "cancelled" && !this.#isStopped && this.#stopReason !== undefined)
      this.#end(this.#stopReason);
    this.#feed({ type: "turn-judgement", conversation, turn, part, ...judged });
  }

  #finish(): void {
    this.#cancelTimer?.();
    const arms = armsOf(this.plan.definition, this.state).map(({ name }) => name);
    this.#finished.resolve(conversationRecord(this.state, arms));
  }
}

/** Where a conversation stands according to its journal. */
export function foldPlan(
  { definition, sources, from }: ConversationPlan,
  journal: Iterable<RunEvent>,
): FoldedJournal | Promise<FoldedJournal> {
  if (sources === undefined) return foldJournal(definition, journal, from?.state);
  const parent = from?.state ?? null;
  return foldJournalWith((work) => sources.evaluate(work), journal, { definition, parent });
}
