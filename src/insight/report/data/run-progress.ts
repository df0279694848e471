import { countStatuses, isInterrupted } from "../../../core/state/state.ts";
import { type KeptWarnings, RunFold, type RunTally } from "../../../engine/journal/fold/run.ts";
import type { RunEvent, RunStart } from "../../../engine/journal/run-event.ts";
import { type Retried, type Store, staysAsItIs } from "../../../engine/journal/store/store.ts";

/** How far one subject is. */
export interface SubjectProgress {
  readonly tally: RunTally;
  /** Conversations that were finished before the run was resumed. */
  readonly before: number;
  /** Conversations there are in all. */
  readonly total: number;
}

/** A server that cannot be reached. */
interface Outage {
  readonly account: string;
  readonly message: string;
  /** In milliseconds since 1970. */
  readonly since: number;
  /** True if calls no longer wait for it. */
  readonly isGivenUp: boolean;
}

/** What is known before the first event. */
interface RunProgressOptions {
  /** Finished conversations by subject, for a resumed run: its events do not contain them. */
  readonly finishedBefore?: ReadonlyMap<string, number>;
}

/** How many conversations must be finished before the rest is estimated. */
const ENOUGH = 3;

/** How far a run is: the fold of its events, and how fast it goes. */
export class RunProgress {
  readonly #run = new RunFold();
  readonly #finishedBefore: ReadonlyMap<string, number>;
  #conversations = new RecentRate(0);
  #lastFinishedAt: number | undefined;

  constructor({ finishedBefore = new Map() }: RunProgressOptions = {}) {
    this.#finishedBefore = finishedBefore;
  }

  /** What was counted over all subjects. */
  get overall(): RunTally {
    return this.#run.overall;
  }

  get warnings(): KeptWarnings {
    return this.#run.warnings;
  }

  /** Accounts whose servers cannot be reached, since when, and why. */
  get outages(): readonly Outage[] {
    return [...this.#run.outages.values()].map(({ account, status, message, at, ms }) => ({
      account,
      message,
      since: at - ms,
      isGivenUp: status === "given_up",
    }));
  }

  /** The first event of the run; undefined before it. */
  get start(): RunStart | undefined {
    return this.#run.start;
  }

  /** True once the run has ended. */
  get isOver(): boolean {
    return this.#run.endedAt !== undefined;
  }

  /** How many conversations there are; 0 before the run starts. */
  get total(): number {
    return this.#run.planned;
  }

  /** Conversations that are over, before the run was resumed or since. */
  get finished(): number {
    const { statuses } = this.#run;
    if (statuses !== undefined) return countStatuses(statuses, (status) => !isInterrupted(status));
    const before = [...this.#finishedBefore.values()].reduce((sum, count) => sum + count, 0);
    return before + this.overall.finished;
  }

  /** Conversations that were cut short, and can be resumed. */
  get cutShort(): number {
    const { statuses } = this.#run;
    return statuses === undefined ? this.overall.cutShort : countStatuses(statuses, isInterrupted);
  }

  get running(): number {
    return this.#run.running;
  }

  /** Calls that were started and have no answer yet. */
  get inFlight(): number {
    return this.#run.inFlight;
  }

  /** How many answers of which model are waited for. */
  get awaited(): RunFold["awaited"] {
    return this.#run.awaited;
  }

  /** In the order of the run. */
  get subjects(): ReadonlyMap<string, SubjectProgress> {
    // Conversations are a product of which subjects are a factor.
    const total = this.total / (this.start?.subjects.length ?? 1);
    return new Map(
      [...this.#run.subjects].map(([name, tally]) => [
        name,
        { tally, before: this.#finishedBefore.get(name) ?? 0, total },
      ]),
    );
  }

  /** Since the beginning, in milliseconds; undefined before it. */
  elapsed(now: number): number | undefined {
    const { start, endedAt } = this.#run;
    return start === undefined ? undefined : (endedAt ?? now) - start.at;
  }

  /** Recent conversations per second; undefined until there is enough data. */
  rate(now: number): number | undefined {
    return this.#conversations.perSecond(now);
  }

  /** How long the rest will take, in milliseconds; undefined until there is enough data. */
  timeLeft(now: number): number | undefined {
    const elapsed = this.elapsed(now);
    const recent = this.#conversations.perSecond(now);
    if (this.isOver || elapsed === undefined || recent === undefined) return undefined;
    if (this.overall.finished < ENOUGH) return undefined;
    // A burst or a start from the cache would be too optimistic, so the slowest of several rates counts.
    const rates = [this.overall.finished / (elapsed / 1000)];
    if (this.#conversations.count(now) >= ENOUGH) rates.push(recent);
    // All conversations under way have taken at least as long as the pause since the last one finished.
    const pause = now - (this.#lastFinishedAt ?? now);
    if (pause > 0 && this.running > 0) rates.push(this.running / (pause / 1000));
    return ((this.total - this.finished - this.cutShort) / Math.min(...rates)) * 1000;
  }

  /** Takes in an event; the events of a run in their order. */
  fold(event: RunEvent): void {
    const { finished } = this.overall;
    const hadStart = this.#run.start;
    this.#run.apply(event);
    if (this.#run.start !== hadStart) this.#conversations = new RecentRate(event.at);
    if (this.overall.finished === finished) return;
    this.#conversations.add(event.at);
    this.#lastFinishedAt = event.at;
  }
}

const SLOT_MS = 500;
const SLOTS = 20;

/** Too short to measure a rate. */
const LEAST_MS = 1000;

interface Slot {
  /** Which half second since 1970. */
  number: number;
  count: number;
}

/** The recent rate of something per second: over the last ten seconds, or since the start if that is shorter. */
class RecentRate {
  readonly #slots: readonly Slot[] = Array.from({ length: SLOTS }, () => ({ number: -1, count: 0 }));
  readonly #start: number;

  /** From when on it counts, in milliseconds since 1970. */
  constructor(start: number) {
    this.#start = start;
  }

  /** Counts one occurrence. */
  add(at: number): void {
    const number = Math.floor(at / SLOT_MS);
    // There are as many slots as remainders.
    const slot = this.#slots[number % SLOTS] as Slot;
    if (slot.number > number) return;
    if (slot.number < number) {
      slot.number = number;
      slot.count = 0;
    }
    slot.count++;
  }

  /** How often it happened within the window that ends now. */
  count(now: number): number {
    const first = firstSlot(now);
    return this.#slots.reduce((sum, { number, count }) => (number >= first ? sum + count : sum), 0);
  }

  /** Undefined until there is enough data. */
  perSecond(now: number): number | undefined {
    const from = Math.max(this.#start, firstSlot(now) * SLOT_MS);
    return now - from < LEAST_MS ? undefined : this.count(now) / ((now - from) / 1000);
  }
}

function firstSlot(now: number): number {
  return Math.floor(now / SLOT_MS) - SLOTS + 1;
}

/** How many conversations of each subject a resume leaves as they are; the others are continued. */
export function finishedBefore(
  store: Store,
  run: string,
  retried: Retried = {},
): ReadonlyMap<string, number> {
  const finished = new Map<string, number>();
  if (retried.retryErrors || retried.retryUnreadable) {
    for (const summary of store.conversations(run)) {
      const { subject } = summary;
      finished.set(subject, (finished.get(subject) ?? 0) + (staysAsItIs(summary, retried) ? 1 : 0));
    }
    return finished;
  }
  for (const { subject, statuses } of store.results(run)) {
    let count = finished.get(subject) ?? 0;
    // The keys of such a record are statuses.
    for (const [status, conversations] of Object.entries(statuses) as [keyof typeof statuses, number][])
      if (!isInterrupted(status)) count += conversations;
    finished.set(subject, count);
  }
  return finished;
}
