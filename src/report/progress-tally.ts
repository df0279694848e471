import { type ConversationStatus, cameToItsEnd } from "../core/state/state.ts";
import type { CallEnd, RunEvent } from "../journal/run-event.ts";
import { type TurnVerdict, turnVerdict } from "../journal/turn-verdict.ts";
import type { ErrorCategory } from "../models/model-error.ts";

/** A sum of which some parts may be unknown: `known` is then the least it can be. */
export interface PartlyKnown {
  known: number;
  /** How many parts nobody knows. */
  unknown: number;
}

/** True if nothing is left to do when the run is taken up again; the others were cut short. */
export function isFinished(status: ConversationStatus): boolean {
  return cameToItsEnd(status) || status === "error";
}

/** Counts what happened, for a run or one of its subjects; takes the same room however much happens. */
export class ProgressTally {
  /** Conversations that came to their end. */
  finished = 0;
  /** Conversations that were cut short: by the person, a limit of time, or the budget. */
  cutShort = 0;
  turns = 0;
  readonly verdicts: Record<TurnVerdict, number> = {
    pass: 0,
    fail: 0,
    unreadable: 0,
    unjudged: 0,
    unverified: 0,
  };
  /** Calls of models that were really made and answered. */
  calls = 0;
  /** Answers that were known already. */
  cached = 0;
  retries = 0;
  readonly tokens: PartlyKnown = { known: 0, unknown: 0 };
  /** In USD. */
  readonly cost: PartlyKnown = { known: 0, unknown: 0 };
  /** Conversations that failed, and turns whose judge could not be asked. */
  readonly errors: Map<ErrorCategory, number> = new Map();

  get errorCount(): number {
    return [...this.errors.values()].reduce((sum, count) => sum + count, 0);
  }

  count(event: RunEvent): void {
    switch (event.type) {
      case "turn-end":
        this.turns++;
        this.verdicts[turnVerdict(event.result)]++;
        this.#countError(event.result.judgeFailure?.category);
        break;
      case "conversation-end":
        if (isFinished(event.status)) this.finished++;
        else this.cutShort++;
        this.#countError(event.failure?.category);
        break;
      case "retry":
        this.retries++;
        break;
      case "call-end":
        this.#countCall(event);
        break;
    }
  }

  /** Adds what another has counted. */
  merge(other: ProgressTally): void {
    this.finished += other.finished;
    this.cutShort += other.cutShort;
    this.turns += other.turns;
    for (const verdict of Object.keys(this.verdicts) as TurnVerdict[])
      this.verdicts[verdict] += other.verdicts[verdict];
    this.calls += other.calls;
    this.cached += other.cached;
    this.retries += other.retries;
    for (const sum of ["tokens", "cost"] as const) {
      this[sum].known += other[sum].known;
      this[sum].unknown += other[sum].unknown;
    }
    for (const [category, count] of other.errors)
      this.errors.set(category, (this.errors.get(category) ?? 0) + count);
  }

  #countCall({ cached, cost, usage }: CallEnd): void {
    // Uses of tools and calls that failed have no cost, not even an unknown one.
    if (cost === undefined) return;
    if (cached) {
      this.cached++;
      return;
    }
    this.calls++;
    addTo(this.cost, cost);
    addTo(this.tokens, usage === undefined ? null : usage.inputTokens + usage.outputTokens);
  }

  #countError(category: ErrorCategory | undefined): void {
    // Somebody wanted it so.
    if (category === undefined || category === "cancelled" || category === "budget") return;
    this.errors.set(category, (this.errors.get(category) ?? 0) + 1);
  }
}

function addTo(sum: PartlyKnown, part: number | null): void {
  if (part === null || !Number.isFinite(part)) sum.unknown++;
  else sum.known += part;
}
