import { DEFAULTS } from "../../../core/defaults.ts";
import type { Clock } from "../../../core/environment.ts";
import { ModelError } from "../../models/model-error.ts";
import { type AccountCaps, AdmissionControl, type Start, type StartResult } from "./admission-control.ts";
import { cancelledError, onAbort } from "./clock.ts";
import { Outage, type OutageReport, type Patience } from "./outage.ts";

/** What an account is made with. */
interface AccountOptions {
  /** An account with caps starts with all that they allow; others find out their limit, up to the `highest` concurrency. */
  readonly caps?: AccountCaps | undefined;
  readonly highest?: number | undefined;
  /** How long its server may be away. */
  readonly patience?: Patience;
  readonly onOutage?: ((report: Omit<OutageReport, "account">) => void) | undefined;
}

/** Starts the calls of one account, as many and as fast as its server accepts, first come, first served. */
export class AccountLimiter {
  readonly #clock: Clock;
  readonly #control: AdmissionControl;
  readonly #outage: Outage;
  readonly #onOutage: AccountOptions["onOutage"];
  readonly #patienceMs: number;
  readonly #queue = new WaitQueue();
  #cancelTimer: (() => void) | null = null;
  #timerAt = 0;

  constructor(
    clock: Clock,
    { caps, highest, patience = { ms: DEFAULTS.patienceMs, isChosen: false }, onOutage }: AccountOptions = {},
  ) {
    this.#clock = clock;
    this.#control = new AdmissionControl(caps, highest);
    this.#outage = new Outage(patience);
    this.#patienceMs = patience.ms;
    this.#onOutage = onOutage;
  }

  /** Other caps than before. */
  setCaps(caps: AccountCaps): void {
    this.#control.setCaps(caps);
    if (this.#queue.size > 0) this.#startWaiting();
  }

  get waiting(): number {
    return this.#queue.size;
  }

  get inFlight(): number {
    return this.#control.inFlight;
  }

  /** True if a call that has failed should wait for the server instead of counting its retries. */
  get isAway(): boolean {
    return this.#outage.isOpen;
  }

  /** True if a call that was refused had only to wait longer, and has not waited for too long. */
  isPatient(waitedMs: number): boolean {
    return this.#control.isLimited && waitedMs < this.#patienceMs;
  }

  /** Starts a call at once, or returns null: then call `wait`. Throws if the server was away for too long. */
  tryStart(): Start | null {
    const now = this.#clock.now();
    if (this.#outage.isGivenUp && this.#outage.delay(now) > 0) throw this.#gaveUp(now);
    if (this.#queue.size > 0) return null;
    return this.#delay(now) === 0 ? this.#start(now) : null;
  }

  /** Waits for the start of a call; a retry may go first. */
  wait(signal: AbortSignal, first = false): Promise<Start> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(cancelledError(signal));
      const waiting = this.#queue.add(
        {
          wake: () => {
            forget();
            resolve(this.#start(this.#clock.now()));
          },
          fail: (error) => {
            forget();
            reject(error);
          },
        },
        first,
      );
      const forget = onAbort(signal, () => {
        this.#queue.remove(waiting);
        if (this.#queue.size === 0) this.#disarm();
        reject(cancelledError(signal));
      });
      // While a timer is set, no call may start before it fires.
      if (this.#cancelTimer === null) this.#startWaiting();
    });
  }

  /** Ends a call, and starts calls that wait. */
  finish(start: Start, result: StartResult): void {
    const now = this.#clock.now();
    this.#control.finish(start, result, now);
    const isChanged = this.#watch(start, result, now);
    if (this.#queue.size === 0) return;
    const wait = isChanged ? 0 : this.#control.burstWait(start, now);
    // Less than a timer can wait.
    if (wait < 1) this.#startWaiting();
    else this.#arm(wait);
  }

  /** Looks whether an outage begins or ends; true if so. */
  #watch(start: Start, result: StartResult, now: number): boolean {
    const outage = this.#outage;
    const ms = outage.lasted(now);
    if (result.kind === "away") {
      const { message } = result;
      const begins = outage.fail(start, now, { message, inFlight: this.inFlight });
      if (begins) this.#report("begin", outage.lasted(now));
      return begins;
    }
    if (result.kind === "other" && result.isAnswer !== true) {
      outage.end(start);
      return false;
    }
    const ends = outage.answer(now);
    if (ends) this.#report("end", ms);
    return ends;
  }

  #report(status: OutageReport["status"], ms: number): void {
    this.#onOutage?.({ status, message: this.#outage.message, ms });
  }

  #start(now: number): Start {
    const start = this.#control.start(now);
    this.#outage.start(start);
    return start;
  }

  #delay(now: number): number {
    return Math.max(this.#outage.delay(now), this.#control.delay(now));
  }

  #startWaiting(): void {
    this.#disarm();
    while (this.#queue.size > 0) {
      const now = this.#clock.now();
      const patience = this.#outage.patienceLeft(now);
      if (patience <= 0) return this.#giveUp(now);
      const delay = this.#delay(now);
      if (delay > 0) {
        if (delay === Number.POSITIVE_INFINITY) this.#control.holdBack();
        const until = Math.min(delay, patience);
        if (until !== Number.POSITIVE_INFINITY) this.#arm(until);
        return;
      }
      this.#queue.shift()?.wake();
    }
  }

  #giveUp(now: number): void {
    this.#outage.giveUp();
    this.#report("given_up", this.#outage.lasted(now));
    const error = this.#gaveUp(now);
    for (let waiting = this.#queue.shift(); waiting !== undefined; waiting = this.#queue.shift())
      waiting.fail(error);
  }

  #gaveUp(now: number): ModelError {
    const seconds = Math.round(this.#outage.lasted(now) / 1_000);
    return new ModelError("connection", `${this.#outage.message} That was so for ${seconds} s.`);
  }

  /** Looks again after a time, if that is not due sooner. */
  #arm(milliseconds: number): void {
    const time = this.#clock.now() + milliseconds;
    if (this.#cancelTimer !== null && this.#timerAt <= time) return;
    this.#disarm();
    this.#timerAt = time;
    this.#cancelTimer = this.#clock.after(milliseconds, () => {
      this.#cancelTimer = null;
      this.#startWaiting();
    });
  }

  #disarm(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
  }
}

/** An entry of a `WaitQueue`. */
export interface Waiting {
  readonly wake: () => void;
  readonly fail: (error: ModelError) => void;
}

/** A queue in which joining at either end, leaving from anywhere and taking the first cost the same however long it is. */
export class WaitQueue {
  /** Who joined at the front; the last comes first. */
  readonly #front: Waiting[] = [];
  #back: Waiting[] = [];
  /** How many of `#back` were taken. */
  #taken = 0;
  /** Who waits: those who have left stay in the lists until it is their turn. */
  readonly #present = new Set<Waiting>();

  get size(): number {
    return this.#present.size;
  }

  /** Joins at the end, or before all others. */
  add(waiter: Waiting, first = false): Waiting {
    const waiting = { ...waiter };
    this.#present.add(waiting);
    (first ? this.#front : this.#back).push(waiting);
    return waiting;
  }

  /** Leaves the queue; nothing happens if it has left already. */
  remove(waiting: Waiting): void {
    this.#present.delete(waiting);
  }

  /** Takes the first out. */
  shift(): Waiting | undefined {
    for (;;) {
      const next = this.#front.pop() ?? this.#back[this.#taken++];
      if (this.#taken * 2 > this.#back.length) {
        this.#back = this.#back.slice(this.#taken);
        this.#taken = 0;
      }
      if (next === undefined || this.#present.delete(next)) return next;
    }
  }
}
