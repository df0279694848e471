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
const CAREFUL_RATE = 1;
/** A lower rate is of no use. */
const LOWEST_RATE = 1 / 60;

/**
 * Spreads the starts of calls evenly in time. Concurrency alone cannot hold a limit of requests per second: so once a
 * server refuses, starts are paced a little below what it was seen to accept, and higher rates are probed ever more rarely.
 */
export class RequestPacer {
  readonly #highest: number;
  /** Starts per second. */
  #rate: number;
  /** When the next start is due if starts are even. */
  #due = 0;
  #hinted: { readonly rate: number; readonly until: number } | null = null;
  #step = FIRST_STEP;
  #probeMs = SHORTEST_PROBE_MS;
  #probeAt = Number.POSITIVE_INFINITY;
  #started = 0;
  /** True if the rate was raised since the last refusal. */
  #raised = false;

  constructor(highest: number = Number.POSITIVE_INFINITY) {
    this.#highest = highest;
    this.#rate = highest;
  }

  get rate(): number {
    return this.#rate;
  }

  /** True once a refusal has shown what the server takes. */
  get hasLearned(): boolean {
    return this.#probeAt !== Number.POSITIVE_INFINITY;
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

  /** The server refused: what it accepted in a time that ends now says what it takes; `pauseMs` is what a refusal costs. */
  cut(recent: RecentSuccesses, now: number, pauseMs = 0): void {
    if (recent.count === 0) return;
    if (this.#raised) this.#probeMs *= PROBE_BACK_OFF;
    this.#probeMs = Math.min(Math.max(this.#probeMs, pauseMs * PAUSE_SHARE), LONGEST_PROBE_MS);
    // A few successes say little: who was too careful would take minutes to find out.
    const rate = recent.count < FEWEST_TO_TRUST ? Math.max(seen(recent), CAREFUL_RATE) : seen(recent);
    this.#set(Math.min(rate, this.#rate * 0.97), recent, now);
  }

  /** More was accepted than could be known at the refusal. */
  learn(recent: RecentSuccesses, now: number): void {
    if (this.hasLearned && seen(recent) < this.#rate) return;
    this.#due = 0;
    this.#set(seen(recent), recent, now);
  }

  #set(rate: number, { count, spanMs }: RecentSuccesses, now: number): void {
    this.#rate = Math.max(Math.min(rate, this.#highest), LOWEST_RATE);
    // The fewer were counted, the further off the estimate may be.
    this.#step = Math.max(FIRST_STEP, 0.3 / Math.sqrt(count));
    this.#probeAt = now + this.#probeMs;
    this.#started = 0;
    this.#raised = false;
    // What was accepted so far is paid for at the new rate before the next one starts.
    this.#due = Math.max(this.#due, now, now - spanMs + (count * 1_000) / this.#rate);
  }

  /** Some time went well: if the rate was in use, tries a higher one. */
  #probe(now: number): void {
    const expected = (this.#rate * this.#probeMs) / 1_000;
    if (this.#started >= Math.max(4, expected * 0.8)) {
      this.#rate = Math.min(this.#rate * (1 + this.#step), this.#highest);
      this.#raised = true;
      this.#step = Math.min(this.#step * 2, LARGEST_STEP);
      // Only a rate that keeps growing is worth hurrying for.
      if (this.#step > 4 * FIRST_STEP) this.#probeMs = Math.max(this.#probeMs / 2, SHORTEST_PROBE_MS);
    }
    this.#probeAt = now + this.#probeMs;
    this.#started = 0;
  }
}

/** A rate a little below what was accepted. */
function seen({ count, horizonMs }: RecentSuccesses): number {
  return (count * 1_000 * MARGIN) / horizonMs;
}

const SLOTS = 20;

/** What was accepted in a period that ends now. */
export interface RecentSuccesses {
  readonly count: number;
  /** The length of the period. */
  readonly horizonMs: number;
  /** How long ago the first of them came. */
  readonly spanMs: number;
}

/** Counts the successes of a period in slots, so that memory and time do not grow with their number. */
export class SuccessMeter {
  readonly #slotMs: number;
  readonly #counts: number[] = new Array<number>(SLOTS).fill(0);
  #slot = 0;

  constructor(horizonMs: number) {
    this.#slotMs = horizonMs / SLOTS;
  }

  add(now: number): void {
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
    return { count, horizonMs: this.#slotMs * SLOTS, spanMs };
  }

  /** Empties the slots that time has passed over. */
  #moveTo(now: number): void {
    const slot = Math.floor(now / this.#slotMs);
    const passed = Math.min(slot - this.#slot, SLOTS);
    for (let step = 0; step < passed; step++) this.#counts[(slot - step) % SLOTS] = 0;
    this.#slot = Math.max(slot, this.#slot);
  }
}
