import type { ConversationStatus } from "../core/state/state.ts";
import type { RunEvent, RunStart } from "../journal/run-event.ts";
import { KeptWarnings } from "./kept-warnings.ts";
import { isFinished, ProgressTally } from "./progress-tally.ts";
import { RecentRate } from "./recent-rate.ts";

/** How far one subject is. */
export interface SubjectProgress {
  readonly tally: ProgressTally;
  /** Conversations that were finished before the run was taken up again. */
  readonly before: number;
  /** Conversations there are in all. */
  readonly total: number;
}

/** What is known before the first event. */
export interface RunProgressOptions {
  /** Finished conversations by subject, where a run is taken up again: the run itself tells nothing of them until its end. */
  readonly finishedBefore?: ReadonlyMap<string, number>;
}

/** How many conversations must be finished before anything can be said about the rest. */
const ENOUGH = 3;

/** How far a run is: its events, folded into numbers. Takes room for the conversations under way, not for those that are over. */
export class RunProgress {
  readonly overall: ProgressTally = new ProgressTally();
  readonly warnings: KeptWarnings = new KeptWarnings();
  readonly #finishedBefore: ReadonlyMap<string, number>;
  readonly #subjects = new Map<string, SubjectProgress>();
  /** Who counts what happens in a conversation that is under way. */
  readonly #tallies = new Map<string, ProgressTally>();
  #start: (RunStart & { readonly at: number }) | undefined;
  #endedAt: number | undefined;
  #statuses: Readonly<Partial<Record<ConversationStatus, number>>> | undefined;
  #conversations = new RecentRate(0);
  #turns = new RecentRate(0);
  #lastFinishedAt: number | undefined;
  #inFlight = 0;

  constructor({ finishedBefore = new Map() }: RunProgressOptions = {}) {
    this.#finishedBefore = finishedBefore;
  }

  /** The first event of the run; undefined before it. */
  get start(): RunStart | undefined {
    return this.#start;
  }

  /** True once the run has come to its end. */
  get isOver(): boolean {
    return this.#endedAt !== undefined;
  }

  /** Conversations there are in all; 0 as long as nobody knows. */
  get total(): number {
    return this.#start?.conversations ?? 0;
  }

  /** Conversations that came to their end, before the run was taken up again or since. */
  get finished(): number {
    if (this.#statuses !== undefined) return countStatuses(this.#statuses, isFinished);
    const before = [...this.#finishedBefore.values()].reduce((sum, count) => sum + count, 0);
    return before + this.overall.finished;
  }

  /** Conversations that were cut short, and can be taken up again. */
  get cutShort(): number {
    if (this.#statuses === undefined) return this.overall.cutShort;
    return countStatuses(this.#statuses, (status) => !isFinished(status));
  }

  get running(): number {
    return this.#tallies.size;
  }

  /** Calls that were begun and have no answer yet. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** In the order of the run. */
  get subjects(): ReadonlyMap<string, SubjectProgress> {
    return this.#subjects;
  }

  /** Since the beginning, in milliseconds; undefined before it. */
  elapsed(now: number): number | undefined {
    return this.#start === undefined ? undefined : (this.#endedAt ?? now) - this.#start.at;
  }

  /** Conversations and turns per second of late; undefined as long as there is nothing to tell from. */
  rate(now: number): { readonly conversations: number; readonly turns: number } | undefined {
    const conversations = this.#conversations.perSecond(now);
    const turns = this.#turns.perSecond(now);
    return conversations === undefined || turns === undefined ? undefined : { conversations, turns };
  }

  /** How long the rest will take, in milliseconds; undefined until there is enough to tell from. */
  timeLeft(now: number): number | undefined {
    const elapsed = this.elapsed(now);
    const recent = this.#conversations.perSecond(now);
    if (this.isOver || elapsed === undefined || recent === undefined) return undefined;
    if (this.overall.finished < ENOUGH) return undefined;
    // A burst says little about what comes after it, nor does a beginning out of the cache: the slowest of what is seen counts.
    const rates = [this.overall.finished / (elapsed / 1000)];
    if (this.#conversations.count(now) >= ENOUGH) rates.push(recent);
    // All that are under way have taken at least as long as nothing was finished.
    const pause = now - (this.#lastFinishedAt ?? now);
    if (pause > 0 && this.running > 0) rates.push(this.running / (pause / 1000));
    return ((this.total - this.finished - this.cutShort) / Math.min(...rates)) * 1000;
  }

  /** Takes in what has happened; the events of a run in their order. */
  fold(event: RunEvent): void {
    this.overall.count(event);
    if ("conversation" in event && event.conversation !== undefined)
      this.#tallies.get(event.conversation)?.count(event);
    switch (event.type) {
      case "run-start":
        this.#begin(event);
        break;
      case "run-end":
        this.#endedAt = event.at;
        this.#statuses = event.statuses;
        // Calls that were given up may never tell of their end.
        this.#inFlight = 0;
        break;
      case "conversation-start":
        this.#tallies.set(event.conversation, this.#subject(event.cell.subject).tally);
        break;
      case "conversation-resume":
        // Whose conversation it is will be known at its end.
        this.#tallies.set(event.conversation, new ProgressTally());
        break;
      case "conversation-end": {
        const subject = this.#subject(event.cell.subject).tally;
        const tally = this.#tallies.get(event.conversation);
        if (tally === undefined) subject.count(event);
        else if (tally !== subject) subject.merge(tally);
        this.#tallies.delete(event.conversation);
        if (!isFinished(event.status)) break;
        this.#conversations.add(event.at);
        this.#lastFinishedAt = event.at;
        break;
      }
      case "turn-end":
        this.#turns.add(event.at);
        break;
      case "call-start":
        this.#inFlight++;
        break;
      case "call-end":
        if (this.#inFlight > 0) this.#inFlight--;
        break;
      case "warning":
        this.warnings.add(event);
        break;
    }
  }

  #begin(start: RunStart & { readonly at: number }): void {
    this.#start = start;
    this.#conversations = new RecentRate(start.at);
    this.#turns = new RecentRate(start.at);
    for (const subject of start.subjects) this.#subject(subject);
  }

  #subject(name: string): SubjectProgress {
    let subject = this.#subjects.get(name);
    if (subject === undefined) {
      // Conversations are a product of which subjects are a factor.
      const total = this.total / (this.#start?.subjects.length ?? 1);
      subject = { tally: new ProgressTally(), before: this.#finishedBefore.get(name) ?? 0, total };
      this.#subjects.set(name, subject);
    }
    return subject;
  }
}

function countStatuses(
  statuses: Readonly<Partial<Record<ConversationStatus, number>>>,
  counts: (status: ConversationStatus) => boolean,
): number {
  // The keys of such a record are statuses.
  const entries = Object.entries(statuses) as [ConversationStatus, number][];
  return entries.reduce((sum, [status, count]) => (counts(status) ? sum + count : sum), 0);
}
