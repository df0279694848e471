import type { RateLimitHints } from "../../models/model.ts";
import { CutTrial, LITTLE, RefusalShare, type Speed } from "./cut-trial.ts";
import { RefusalTest } from "./refusal-test.ts";
import { type RecentSuccesses, RequestPacer, SuccessMeter } from "./request-pacer.ts";
import { LONGEST_REQUESTED_MS } from "./retry-policy.ts";

/** Limits that a person sets for an account. */
export interface AccountCaps {
  readonly maxConcurrency?: number;
  readonly requestsPerSecond?: number;
}

/** A call that has started; to be passed to `finish` once, with its result. */
export interface Start {
  readonly number: number;
  readonly time: number;
  /** True if no more calls were allowed at the same time. */
  readonly full: boolean;
}

/**
 * What the result of a call says about its account: `trouble` is a failure that is not about limits, `away` one in which the server
 * could not be reached; `other` says nothing about limits, and nothing at all unless the server sent it.
 */
export type StartResult =
  | { readonly kind: "success"; readonly hints?: RateLimitHints | undefined }
  | { readonly kind: "refused"; readonly retryAfterMs?: number | undefined }
  | { readonly kind: "trouble"; readonly retryAfterMs?: number | undefined }
  | { readonly kind: "away"; readonly message: string; readonly retryAfterMs?: number | undefined }
  | { readonly kind: "other"; readonly isAnswer?: boolean };

/** The longest pause because of a guess, or of a header on a success. */
const LONGEST_PAUSE_MS = 60_000;
const FIRST_PAUSE_MS = 250;
/** A server that answers at once still sends its answers one by one. */
const SHORTEST_BURST_WAIT_MS = 15;
const LONGEST_BURST_WAIT_MS = 250;
const LEARNING_MS = 1_000;
/** Fewer successes say too little about a rate. */
const FEWEST_TO_LEARN = 5;
/** What a trial may leave of a rate. */
const DEEPEST_CUT = 0.5;
/** So many refusals without a success between them say that nothing is accepted. */
const SILENT = 8;

/** How far back to look for a rate, and what the account is compared with afterwards. */
interface SlowDown {
  readonly pauseMs?: number | undefined;
  readonly horizon?: number;
  readonly before?: Speed;
  readonly share?: number | null;
}

/**
 * Decides when the next call of an account may start, from the results of earlier calls. Refusals of calls that were in flight
 * together are one episode, and slow the account down once; refusals that do not depend on how much is sent do not slow it down.
 */
export class AdmissionControl {
  readonly #window: ConcurrencyWindow;
  readonly #pacer: RequestPacer;
  /** From the shortest to the longest time for which servers set limits. */
  readonly #meters = [1_000, 10_000, 60_000].map((horizonMs) => new SuccessMeter(horizonMs));
  readonly #test = new RefusalTest();
  readonly #share = new RefusalShare();
  #trial: CutTrial | null = null;
  /** The share of calls that is refused at any rate, as far as it is known. */
  #byChance = 0;
  /** Calls since the last probe for a higher rate. */
  #sinceProbe = { started: 0, refused: 0 };
  /** Refusals since the last success. */
  #inRow = SILENT;
  #inFlight = 0;
  #started = 0;
  /** The last call that had started when the latest episode was handled. */
  #answeredUpTo = 0;
  /** The last call that had started when a limit was found: a pause that those before it are asked for is for all. */
  #limitedUpTo = 0;
  /** How many of the calls up to the latest episode are still in flight. */
  #unanswered = 0;
  /** Episodes since the last success of a call that started after an episode. */
  #fruitless = 0;
  /** True if nothing succeeds: then calls start one at a time, besides those that were in flight before. */
  #isShut = false;
  /** After the first limit no call starts until this time, or until all calls in flight are back, to see how many were accepted. */
  #learnBy: number | null = null;
  #pausedUntil = 0;
  /** True if the latest refused call had started when no more were allowed. */
  #wasFull = false;

  /** An account with a cap of its own starts with all that it allows; others, up to the `highest` concurrency, find out. */
  constructor(caps: AccountCaps = {}, highest?: number) {
    this.#window = new ConcurrencyWindow(caps.maxConcurrency ?? highest, caps.maxConcurrency);
    this.#pacer = new RequestPacer(caps.requestsPerSecond);
  }

  /** Other caps than before, of an account that has some. */
  setCaps({ maxConcurrency, requestsPerSecond }: AccountCaps): void {
    if (maxConcurrency !== undefined) this.#window.setHighest(maxConcurrency);
    if (requestsPerSecond !== undefined) this.#pacer.setHighest(requestsPerSecond);
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** True once a limit has been found. */
  get isLimited(): boolean {
    return this.#isShut || this.#pacer.hasLearned;
  }

  /** How long the next call must wait; infinite if it waits for another call to end. */
  delay(now: number): number {
    this.#examine(now);
    this.#learnLate(now);
    const isFull = this.#isShut ? this.#inFlight > this.#unanswered : this.#inFlight >= this.#window.limit;
    if (isFull) return Number.POSITIVE_INFINITY;
    const pause = Math.max(this.#pausedUntil, this.#learnBy ?? 0) - now;
    return Math.max(pause, this.#pacer.delay(now), this.#test.delay(now), 0);
  }

  /** A call has to wait for another one to end. */
  holdBack(): void {
    this.#window.holdBack();
  }

  start(now: number): Start {
    const { rate } = this.#pacer;
    this.#pacer.start(now);
    if (this.#pacer.rate > rate) this.#sinceProbe = { started: 0, refused: 0 };
    this.#sinceProbe.started++;
    this.#inFlight++;
    this.#test.start(++this.#started, now);
    this.#trial?.start(this.#started, now);
    return { number: this.#started, time: now, full: this.#inFlight >= this.#window.limit };
  }

  /** A call has ended. */
  finish(start: Start, result: StartResult, now: number): void {
    this.#inFlight--;
    if (start.number <= this.#answeredUpTo) this.#unanswered--;
    if (result.kind === "success") this.#succeed(start, result.hints, now);
    else if (result.kind === "refused") this.#refuse(start, result.retryAfterMs, now);
    else this.#test.drop(start.number);
    if (result.kind === "trouble" || result.kind === "away") {
      this.#window.pauseGrowth();
      // While others succeed, only the call itself waits.
      if (this.#recent(0, now).count === 0) this.#pause(now, result.retryAfterMs);
    }
    this.#examine(now);
  }

  /**
   * How long to wait for more replies before calls take the place of one that has just ended. Replies to the first burst
   * come together: a refusal among them is to be seen before more calls follow.
   */
  burstWait(start: Start, now: number): number {
    if (!this.#window.isUntried) return 0;
    return Math.min(Math.max((now - start.time) / 2, SHORTEST_BURST_WAIT_MS), LONGEST_BURST_WAIT_MS);
  }

  #succeed(start: Start, hints: RateLimitHints | undefined, now: number): void {
    for (const meter of this.#meters) meter.add(now);
    this.#isShut = false;
    if (start.number > this.#answeredUpTo) this.#fruitless = 0;
    this.#window.succeed();
    this.#test.accept(start.number);
    this.#count(start, false, now);
    if (hints !== undefined) this.#obey(hints, now);
  }

  #refuse(start: Start, retryAfterMs: number | undefined, now: number): void {
    const isAnswered = start.number <= this.#answeredUpTo;
    this.#count(start, true, now);
    if (start.number <= this.#limitedUpTo) this.#pause(now, retryAfterMs);
    if (isAnswered) return this.#test.drop(start.number);
    this.#wasFull = start.full;
    this.#test.refuse(start.number, now, retryAfterMs);
    this.#pacer.feedbackMs = this.#test.refusalMs;
    if (this.#pacer.isRaised && this.#isMoreThanChance())
      this.#slowDown(now, { pauseMs: retryAfterMs, share: null });
  }

  /** Counts a call that was accepted or refused, for what it says about the latest cut. */
  #count({ number }: Start, isRefused: boolean, now: number): void {
    this.#share.add(isRefused);
    this.#inRow = isRefused ? this.#inRow + 1 : 0;
    if (isRefused) this.#sinceProbe.refused++;
    const trial = this.#trial;
    if (trial === null) return;
    if (isRefused && number > this.#answeredUpTo) trial.refuse(number);
    if (!trial.isOver(now, this.#test.refusalMs)) return;
    this.#trial = null;
    const { result, share, before } = trial;
    const isKnown = share <= Math.max(LITTLE, 1.5 * this.#byChance);
    if (result === "worse" || (result === "helped" && !isKnown)) {
      if (result === "helped") this.#byChance = share;
      this.#slowDown(now, { before: result === "worse" ? before : this.#speed, share });
      return;
    }
    this.#byChance = share;
    if (result === "helped") return;
    this.#test.distrust();
    this.#pacer.restore(before.rate, now);
    this.#window.restore(before.limit);
  }

  get #speed(): Speed {
    return { rate: this.#pacer.rate, limit: this.#window.limit };
  }

  /** True if more calls are refused since the latest probe than at any rate. */
  #isMoreThanChance(): boolean {
    const { started, refused } = this.#sinceProbe;
    const expected = this.#byChance * started;
    return refused > expected + 3 * Math.sqrt(expected);
  }

  #examine(now: number): void {
    if (!this.#test.isOpen) return;
    const { pauseMs } = this.#test;
    const finding = this.#test.decide(now, this.#inRow >= SILENT);
    if (finding === "limit") this.#cut(now, pauseMs);
  }

  /** The limit of the server is reached. */
  #cut(now: number, pauseMs: number): void {
    this.#pause(now, pauseMs);
    this.#isShut = this.#recent(0, now).count === 0;
    // Nothing was accepted since the last episode: each one looks further back for a rate, and waits longer.
    const isFruitless = this.#isShut || this.#fruitless > 0;
    if (isFruitless) this.#pause(now, Math.min(FIRST_PAUSE_MS * 2 ** this.#fruitless, LONGEST_PAUSE_MS));
    if (!this.#pacer.hasLearned) this.#learnBy = now + LEARNING_MS;
    this.#slowDown(now, { pauseMs, horizon: isFruitless ? this.#fruitless : 0 });
    this.#window.cut(this.#wasFull);
    this.#limitedUpTo = this.#started;
    this.#fruitless++;
  }

  /** Sends less from now on, to see whether less is refused. */
  #slowDown(now: number, { pauseMs, horizon = 0, before = this.#speed, share }: SlowDown = {}): void {
    this.#trial ??= new CutTrial(before, share === undefined ? this.#share.value : share);
    this.#answeredUpTo = this.#started;
    this.#unanswered = this.#inFlight;
    this.#test.close();
    const lately = horizon > 0 || share === null ? 0 : 1 - this.#share.value;
    const accepted =
      typeof share === "number" ? { exactly: Math.max(1 - share, DEEPEST_CUT) } : { atLeast: lately };
    this.#pacer.cut(this.#recent(horizon, now), now, { pauseMs, ...accepted });
  }

  /** The calls that were in flight at the first limit are back, and show the rate better. */
  #learnLate(now: number): void {
    if (this.#learnBy === null || (this.#unanswered > 0 && now < this.#learnBy)) return;
    this.#learnBy = null;
    const recent = this.#recent(0, now);
    if (recent.count >= FEWEST_TO_LEARN) this.#pacer.learn(recent, now);
  }

  #recent(horizon: number, now: number): RecentSuccesses {
    // There is a meter at every place up to the last.
    return (this.#meters[Math.min(horizon, this.#meters.length - 1)] as SuccessMeter).recent(now);
  }

  /** Nothing left: waits until there is more. Little left: makes it last. */
  #obey(hints: RateLimitHints, now: number): void {
    const {
      limitRequests,
      remainingRequests,
      resetRequestsMs = 0,
      remainingTokens,
      resetTokensMs = 0,
    } = hints;
    if (remainingTokens === 0) this.#pause(now, Math.min(resetTokensMs, LONGEST_PAUSE_MS));
    if (remainingRequests === undefined) return;
    if (remainingRequests <= 0) this.#pause(now, Math.min(resetRequestsMs, LONGEST_PAUSE_MS));
    else if (resetRequestsMs > 0 && remainingRequests < (limitRequests ?? 2 * this.#inFlight) / 2)
      this.#pacer.hint(remainingRequests, Math.min(resetRequestsMs, LONGEST_PAUSE_MS), now);
  }

  #pause(now: number, forMs = 0): void {
    const until = now + Math.min(forMs, LONGEST_REQUESTED_MS);
    // False for NaN, so a broken header is no pause.
    if (until > this.#pausedUntil) this.#pausedUntil = until;
  }
}

/** The first limit of an account whose limits are unknown. */
const FIRST_LIMIT = 80;

/** The share of the limit that is left after a refusal. */
const CUT = 0.7;

/**
 * How many calls may be in flight. The limit doubles with every clean round in which calls had to wait, until the first refusal;
 * from then on it grows by a fixed step.
 */
export class ConcurrencyWindow {
  #highest: number;
  #limit: number;
  #step: number | null = null;
  #clean = 0;
  #inUse = false;
  #untried = true;

  constructor(highest: number = Number.POSITIVE_INFINITY, first: number = FIRST_LIMIT) {
    this.#highest = highest;
    this.#limit = Math.min(first, highest);
  }

  get limit(): number {
    return this.#limit;
  }

  /** Another highest limit; one that was reached stays reached. */
  setHighest(highest: number): void {
    this.#limit = this.#limit === this.#highest ? highest : Math.min(this.#limit, highest);
    this.#highest = highest;
  }

  /** True while nothing is known of the account: there was no clean round yet, and no refusal. */
  get isUntried(): boolean {
    return this.#untried && this.#limit < this.#highest;
  }

  /** A call has to wait because the limit is reached. */
  holdBack(): void {
    this.#inUse = true;
  }

  succeed(): void {
    this.#clean++;
    if (this.#clean < this.#limit) return;
    this.#clean = 0;
    this.#untried = false;
    if (this.#inUse) this.#limit = Math.min(this.#limit + (this.#step ?? this.#limit), this.#highest);
    this.#inUse = false;
  }

  /** The latest cut did not help. */
  restore(limit: number): void {
    this.#limit = Math.max(this.#limit, Math.min(limit, this.#highest));
  }

  /** The server has trouble that is not about limits: no growth before another clean round. */
  pauseGrowth(): void {
    this.#clean = 0;
  }

  /** The server refused; `full` if the call was started when no more were allowed. */
  cut(full: boolean): void {
    this.#untried = false;
    if (full) this.#limit = Math.max(1, Math.floor(this.#limit * CUT));
    if (full || this.#step === null) this.#step = Math.max(1, Math.floor(this.#limit / 8));
    this.#clean = 0;
    this.#inUse = false;
  }
}
