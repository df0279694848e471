/** How far below the rate that a server was seen to accept. */
const MARGIN = 0.94;
/** The first step of a probe for a higher rate, as a share; each one that goes well doubles it. */
const FIRST_STEP = 0.04;
const LARGEST_STEP = 0.5;
const SHORTEST_PROBE_MS = 2_000;
const LONGEST_PROBE_MS = 60_000;
/** After a probe that was refused, the next one comes that much later. */
const PROBE_BACK_OFF = 3;
/** A pause that a server asks for after a refusal must be worth it: probes are that many times rarer. */
const PAUSE_SHARE = 12;
/** A late timer may be made up for, but never by a burst. */
const CATCH_UP_MS = 30;
const FEWEST_TO_TRUST = 5;
const FEWEST_TO_KNOW = 20;
const FEWEST_TO_PROBE = 4;
/** Between probes while the rate is a guess. */
const SHORTEST_GUESS_MS = 250;
const CAREFUL_RATE = 1;
/** A lower rate is of no use. */
const LOWEST_RATE = 1 / 60;

/** What is known about refusals. */
interface Refused {
  /** What a refusal costs. */
  readonly pauseMs?: number | undefined;
  /** The share that is accepted at the present rate, counted or guessed. */
  readonly exactly?: number;
  readonly atLeast?: number;
}

/**
 * Spreads the starts of calls evenly in time. Concurrency alone cannot hold a limit of requests per second: so once a
 * server refuses, starts are paced a little below what it was seen to accept, and higher rates are probed ever more rarely.
 */
export class RequestPacer {
  /** How long it takes until a refusal is back. */
  feedbackMs = 0;
  #highest: number;
  /** Starts per second. */
  #rate: number;
  /** When the next start is due if starts are even. */
  #due = 0;
  #hinted: { readonly rate: number; readonly until: number } | null = null;
  #step = FIRST_STEP;
  #probeMs = SHORTEST_PROBE_MS;
  #probeAt = Number.POSITIVE_INFINITY;
  #started = 0;
  #startedFrom = 0;
  /** True if the rate was learned from little: then higher ones are tried quickly. */
  #isGuess = false;
  #raised = false;
  /** The rate before it was raised. */
  #lastRate = 0;

  constructor(highest: number = Number.POSITIVE_INFINITY) {
    this.#highest = highest;
    this.#rate = highest;
  }

  get rate(): number {
    return this.#rate;
  }

  /** Another highest rate; one that was reached stays reached. */
  setHighest(highest: number): void {
    this.#rate = this.#rate === this.#highest ? highest : Math.min(this.#rate, highest);
    this.#highest = highest;
  }

  /** True once a refusal has shown what the server takes. */
  get hasLearned(): boolean {
    return this.#probeAt !== Number.POSITIVE_INFINITY;
  }

  /** True if the rate was raised since the last refusal. */
  get isRaised(): boolean {
    return this.#raised;
  }

  /** How long the next start has to wait. */
  delay(now: number): number {
    if (this.#hinted !== null && now >= this.#hinted.until) {
      this.#hinted = null;
      this.#due = Math.min(this.#due, now + 1_000 / this.#rate);
    }
    if (this.#due === 0) return 0;
    const wait = Math.max(0, this.#due - CATCH_UP_MS - now);
    // What the server said holds no longer than it said.
    return this.#hinted === null ? wait : Math.min(wait, this.#hinted.until - now);
  }

  /** A call starts. */
  start(now: number): void {
    const rate = Math.min(this.#rate, this.#hinted?.rate ?? this.#rate);
    if (rate === Number.POSITIVE_INFINITY) return;
    this.#started++;
    if (now >= this.#probeAt) this.#probe(now);
    this.#due = Math.max(this.#due, now) + 1_000 / rate;
  }

  /** So many requests are left for a time, as the server says. */
  hint(remaining: number, forMs: number, now: number): void {
    this.#hinted = { rate: (remaining * 1_000) / Math.max(forMs, 1), until: now + forMs };
  }

  /**
   * The server refused: what it accepted in a time that ends now says what it takes, or the share of the present rate that it
   * accepted, since not all of the rate may have been used.
   */
  cut(recent: RecentSuccesses, now: number, { pauseMs = 0, exactly, atLeast = 0 }: Refused = {}): void {
    if (recent.count === 0) return;
    if (this.#raised) this.#probeMs *= PROBE_BACK_OFF;
    const probeMs = Math.max(this.#probeMs, SHORTEST_PROBE_MS, pauseMs * PAUSE_SHARE);
    this.#probeMs = Math.min(probeMs, LONGEST_PROBE_MS);
    // A few successes say little: who was too careful would take minutes to find out.
    const least = recent.count < FEWEST_TO_TRUST ? CAREFUL_RATE : 0;
    const used = this.hasLearned ? this.#rate * (exactly ?? atLeast) * MARGIN : 0;
    const rate = used > 0 && exactly !== undefined ? used : Math.max(seen(recent), least, used);
    this.#isGuess = !this.hasLearned && recent.count < FEWEST_TO_KNOW;
    const lower = Math.min(rate, this.#rate * 0.97);
    // The rate before the latest probe went well.
    const isPaid = this.#raised || exactly !== undefined;
    this.#set(this.#raised ? Math.max(lower, this.#lastRate) : lower, { ...recent, isPaid }, now);
  }

  /** More was accepted than could be known at the refusal. */
  learn(recent: RecentSuccesses, now: number): void {
    if (this.hasLearned && seen(recent) < this.#rate) return;
    this.#due = 0;
    this.#isGuess = recent.count < FEWEST_TO_KNOW;
    this.#set(seen(recent), recent, now);
  }

  /** Slowing down did not help: goes back to an earlier rate. */
  restore(rate: number, now: number): void {
    if (rate <= this.#rate) return;
    this.#rate = rate;
    this.#due = Math.min(this.#due, now);
    this.#raised = false;
    this.#waitForProbe(now);
    if (rate === this.#highest) this.#probeAt = Number.POSITIVE_INFINITY;
    if (rate === Number.POSITIVE_INFINITY) this.#due = 0;
  }

  #set(rate: number, { count, spanMs, isPaid = false }: Learned, now: number): void {
    this.#rate = Math.max(Math.min(rate, this.#highest), LOWEST_RATE);
    // The fewer were counted, the further off the estimate may be.
    this.#step = this.#isGuess ? LARGEST_STEP : Math.max(FIRST_STEP, 0.3 / Math.sqrt(count));
    if (this.#isGuess) this.#probeMs = Math.min(this.#probeMs, this.#shortestProbe);
    this.#waitForProbe(now);
    this.#raised = false;
    // What was accepted so far is paid for at the new rate before the next one starts.
    const debt = isPaid ? 0 : (count * 1_000) / this.#rate - spanMs;
    this.#due = Math.max(this.#due, now, now + debt);
  }

  /** Some time went well: if the rate was in use, tries a higher one. */
  #probe(now: number): void {
    const expected = (this.#rate * (now - this.#startedFrom)) / 1_000;
    if (this.#started < FEWEST_TO_PROBE && expected < 2 * FEWEST_TO_PROBE) return;
    if (this.#started >= expected * 0.8) {
      this.#lastRate = this.#rate;
      this.#rate = Math.min(this.#rate * (1 + this.#step), this.#highest);
      this.#raised = true;
      this.#step = Math.min(this.#step * 2, LARGEST_STEP);
      // Only a rate that keeps growing is worth hurrying for.
      if (this.#step > 4 * FIRST_STEP) this.#probeMs = Math.max(this.#probeMs / 2, this.#shortestProbe);
    }
    this.#waitForProbe(now);
  }

  #waitForProbe(now: number): void {
    this.#probeAt = now + this.#probeMs;
    this.#started = 0;
    this.#startedFrom = now;
  }

  get #shortestProbe(): number {
    return this.#isGuess ? Math.max(SHORTEST_GUESS_MS, 2 * this.feedbackMs) : SHORTEST_PROBE_MS;
  }
}

/** A rate a little below what was accepted. */
function seen({ count, horizonMs }: RecentSuccesses): number {
  return (count * 1_000 * MARGIN) / horizonMs;
}

const SLOTS = 20;
const SHORTEST_HORIZON_MS = 1_000;

/** What was accepted in a period that ends now. */
export interface RecentSuccesses {
  readonly count: number;
  /** The length of the period. */
  readonly horizonMs: number;
  /** How long ago the first of them came. */
  readonly spanMs: number;
}

/** What a rate is learned from; `isPaid` if starts were spread at about that rate already. */
interface Learned extends RecentSuccesses {
  readonly isPaid?: boolean;
}

/** Counts the successes of a period in slots, so that memory and time do not grow with their number. */
export class SuccessMeter {
  readonly #slotMs: number;
  readonly #counts: number[] = new Array<number>(SLOTS).fill(0);
  #slot = 0;
  #first = Number.POSITIVE_INFINITY;

  constructor(horizonMs: number) {
    this.#slotMs = horizonMs / SLOTS;
  }

  add(now: number): void {
    this.#first = Math.min(this.#first, now);
    this.#moveTo(now);
    const place = this.#slot % SLOTS;
    this.#counts[place] = (this.#counts[place] ?? 0) + 1;
  }

  recent(now: number): RecentSuccesses {
    this.#moveTo(now);
    let count = 0;
    let spanMs = 0;
    for (let age = 0; age < SLOTS && age <= this.#slot; age++) {
      const found = this.#counts[(this.#slot - age) % SLOTS] ?? 0;
      count += found;
      if (found > 0) spanMs = now - (this.#slot - age) * this.#slotMs;
    }
    // What has been counted for a short time says nothing about a long one.
    const horizonMs = Math.min(this.#slotMs * SLOTS, Math.max(now - this.#first, SHORTEST_HORIZON_MS));
    return { count, horizonMs, spanMs };
  }

  /** Empties the slots that time has passed over. */
  #moveTo(now: number): void {
    const slot = Math.floor(now / this.#slotMs);
    const passed = Math.min(slot - this.#slot, SLOTS);
    for (let step = 0; step < passed; step++) this.#counts[(slot - step) % SLOTS] = 0;
    this.#slot = Math.max(slot, this.#slot);
  }
}
