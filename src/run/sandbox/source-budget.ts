import { DEFAULTS } from "../../core/defaults.ts";

/** After so many conversations in which they used it up, the source strings of a scenario are switched off for the rest of the run. */
const MOST_CONVERSATIONS = 3;

/** The mark of the answer that a source string gets when it is switched off. */
export const SOURCES_OFF = "o";

/** The time that the source strings of one scenario use, over all its conversations. */
export class ScenarioSources {
  /** For each conversation. */
  readonly limitMs: number;
  #overspent = 0;

  constructor(limitMs: number = DEFAULTS.sandboxConversationMs) {
    this.limitMs = limitMs;
  }

  /** Why the source strings of the whole scenario are switched off; undefined if they are not. */
  get reason(): string | undefined {
    if (this.#overspent < MOST_CONVERSATIONS) return undefined;
    return `is switched off: the source strings of this scenario took longer than ${this.limitMs / 1_000} s in ${MOST_CONVERSATIONS} conversations`;
  }

  overspend(): void {
    this.#overspent++;
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

  spend(ms: number): void {
    this.#ms += ms;
    if (this.#isSpent || this.#ms <= this.#scenario.limitMs) return;
    this.#isSpent = true;
    this.#scenario.overspend();
  }
}
