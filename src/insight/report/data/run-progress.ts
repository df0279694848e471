import { countStatuses, isInterrupted } from "../../../core/state/state.ts";
import { RunFold } from "../../../engine/journal/fold/run.ts";
import type { RunEvent } from "../../../engine/journal/run-event.ts";
import { type Retried, type Store, staysAsItIs } from "../../../engine/journal/store/store.ts";

/** How many conversations must be finished before the rest is estimated. */
const ENOUGH = 3;
/** Finished conversations are counted in portions of half a second, of which the last ten seconds are kept. */
const SLOT_MS = 500;
const SLOTS = 20;
/** Too short to measure a rate. */
const LEAST_MS = 1000;

/** How far a run is: the fold of its events, and how fast it goes. */
export class RunProgress extends RunFold {
  /** Conversations of each subject that were finished before the run was resumed: its events do not contain them. */
  readonly finishedBefore: ReadonlyMap<string, number>;
  /** How many conversations finished lately, by the number of the half second since 1970. */
  readonly #recent = new Map<number, number>();
  #lastFinishedAt: number | undefined;

  constructor({ finishedBefore = new Map() }: Partial<Pick<RunProgress, "finishedBefore">> = {}) {
    super();
    this.finishedBefore = finishedBefore;
  }

  /** True once the run has ended. */
  get isOver(): boolean {
    return this.endedAt !== undefined;
  }

  /** Conversations that are over, before the run was resumed or since. */
  get finished(): number {
    if (this.statuses !== undefined) return countStatuses(this.statuses, (status) => !isInterrupted(status));
    return [...this.finishedBefore.values()].reduce((sum, count) => sum + count, this.overall.finished);
  }

  /** Conversations that were cut short, and can be resumed. */
  get cutShort(): number {
    return this.statuses === undefined ? this.overall.cutShort : countStatuses(this.statuses, isInterrupted);
  }

  /** Since the beginning, in milliseconds; undefined before it. */
  elapsed(now: number): number | undefined {
    return this.start === undefined ? undefined : (this.endedAt ?? now) - this.start.at;
  }

  /** Recent conversations per second, over ten seconds or since the start; undefined until there is enough data. */
  rate(now: number): number | undefined {
    const from = Math.max(this.start?.at ?? 0, firstSlot(now) * SLOT_MS);
    return now - from < LEAST_MS ? undefined : this.#recentCount(now) / ((now - from) / 1000);
  }

  /** How long the rest will take, in milliseconds; undefined until there is enough data. */
  timeLeft(now: number): number | undefined {
    const elapsed = this.elapsed(now);
    const recent = this.rate(now);
    if (this.isOver || elapsed === undefined || recent === undefined) return undefined;
    if (this.overall.finished < ENOUGH) return undefined;
    // A burst or a start from the cache would be too optimistic, so the slowest of several rates counts.
    const rates = [this.overall.finished / (elapsed / 1000)];
    if (this.#recentCount(now) >= ENOUGH) rates.push(recent);
    // All conversations under way have taken at least as long as the pause since the last one finished.
    const pause = now - (this.#lastFinishedAt ?? now);
    if (pause > 0 && this.running > 0) rates.push(this.running / (pause / 1000));
    return ((this.planned - this.finished - this.cutShort) / Math.min(...rates)) * 1000;
  }

  override apply(event: RunEvent): void {
    const { finished } = this.overall;
    super.apply(event);
    if (this.overall.finished === finished) return;
    this.#lastFinishedAt = event.at;
    const slot = Math.floor(event.at / SLOT_MS);
    this.#recent.set(slot, (this.#recent.get(slot) ?? 0) + 1);
    for (const known of this.#recent.keys()) if (known < firstSlot(event.at)) this.#recent.delete(known);
  }

  #recentCount(now: number): number {
    const first = firstSlot(now);
    return [...this.#recent].reduce((sum, [slot, count]) => (slot >= first ? sum + count : sum), 0);
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
  const add = (subject: string, count: number): void =>
    void finished.set(subject, (finished.get(subject) ?? 0) + count);
  if (retried.retryErrors || retried.retryUnreadable)
    for (const summary of store.conversations(run))
      add(summary.subject, staysAsItIs(summary, retried) ? 1 : 0);
  else
    for (const { subject, statuses } of store.results(run))
      add(
        subject,
        countStatuses(statuses, (status) => !isInterrupted(status)),
      );
  return finished;
}
