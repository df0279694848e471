import { DEFAULTS } from "../../../core/defaults.ts";

/** After so many conversations in which they used it up, the source strings of a scenario are switched off for the rest of the run. */
const MOST_CONVERSATIONS = 3;
/** The same after so many calls that ran longer than a call may. */
const MOST_LATE = 25;

/** The mark of the answer that a source string gets when it is switched off. */
export const SOURCES_OFF = "o";

/** The time that the source strings of one scenario use, over all its conversations. */
export class ScenarioSources {
  /** For each conversation. */
  readonly limitMs: number;
  #overspent = 0;
  #conversations = 0;
  #ms = 0;
  #late = 0;

  constructor(limitMs: number = DEFAULTS.sandboxConversationMs) {
    this.limitMs = limitMs;
  }

  /** Why the source strings of the whole scenario are switched off; undefined if they are not. */
  get reason(): string | undefined {
    if (this.#overspent >= MOST_CONVERSATIONS)
      return `is switched off: the source strings of this scenario took longer than ${this.limitMs / 1_000} s in ${MOST_CONVERSATIONS} conversations`;
    if (this.#late >= MOST_LATE)
      return `is switched off: source strings of this scenario ran too long in ${MOST_LATE} calls`;
    const isSlow = this.#ms > MOST_CONVERSATIONS * this.limitMs && this.#ms > this.#usualMs;
    return isSlow
      ? `is switched off: the source strings of this scenario took ${Math.round(this.#ms / this.#conversations)} ms in each conversation`
      : undefined;
  }

  /** Another conversation uses source strings. */
  begin(): void {
    this.#conversations++;
  }

  spend(ms: number, isLate: boolean): void {
    this.#ms += ms;
    if (isLate) this.#late++;
  }

  /** A conversation has used up its time. */
  overspend(): void {
    this.#overspent++;
  }

  /** No author needs more for all conversations so far. */
  get #usualMs(): number {
    return (this.#conversations * this.limitMs) / 10;
  }
}

/** The time that the source strings of one conversation use. When it is used up, they are switched off. */
export class SourceBudget {
  readonly #scenario: ScenarioSources;
  #ms = 0;
  #isSpent = false;

  constructor(scenario: ScenarioSources) {
    this.#scenario = scenario;
  }

  /** Why source strings are switched off; undefined if they are not. */
  get reason(): string | undefined {
    if (!this.#isSpent) return this.#scenario.reason;
    return `is switched off: the source strings of this conversation took longer than ${this.#scenario.limitMs / 1_000} s`;
  }

  /** A call, or work around it, took some time; `isLate` if it took longer than it may. */
  spend(ms: number, isLate = false): void {
    if (this.#ms === 0) this.#scenario.begin();
    this.#ms += ms;
    this.#scenario.spend(ms, isLate);
    if (this.#isSpent || this.#ms <= this.#scenario.limitMs) return;
    this.#isSpent = true;
    this.#scenario.overspend();
  }
}
