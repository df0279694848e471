import { DEFAULTS } from "../../../core/defaults.ts";

/** The mark of the answer that a source string gets when it is switched off. */
export const SOURCES_OFF = "o";

/** What all conversations of a scenario may use together, as parts of what one of them may use: for the first ones, and for each. */
const [AT_FIRST, ON_AVERAGE] = [3, 0.1];

/** The time that the source strings of one scenario use, over all its conversations. */
export class ScenarioSources {
  /** For each conversation. */
  readonly limitMs: number;
  #conversations = 0;
  #ms = 0;

  constructor(limitMs: number = DEFAULTS.sandboxConversationMs) {
    this.limitMs = limitMs;
  }

  /** Why the source strings of the whole scenario are switched off; undefined if they are not. */
  get reason(): string | undefined {
    if (this.#ms <= this.limitMs * (AT_FIRST + ON_AVERAGE * this.#conversations)) return undefined;
    return `is switched off: the source strings of this scenario took ${Math.round(this.#ms / this.#conversations)} ms in each conversation`;
  }

  /** Another conversation uses source strings. */
  begin(): void {
    this.#conversations++;
  }

  spend(ms: number): void {
    this.#ms += ms;
  }
}

/** The time that the source strings of one conversation use. When it is used up, they are switched off. */
export class SourceBudget {
  readonly #scenario: ScenarioSources;
  #ms = 0;

  constructor(scenario: ScenarioSources) {
    this.#scenario = scenario;
  }

  /** Why source strings are switched off; undefined if they are not. */
  get reason(): string | undefined {
    const { limitMs, reason } = this.#scenario;
    if (this.#ms <= limitMs) return reason;
    return `is switched off: the source strings of this conversation took longer than ${limitMs / 1_000} s`;
  }

  /** A call, or work around it, took some time. */
  spend(ms: number): void {
    if (this.#ms === 0) this.#scenario.begin();
    this.#ms += ms;
    this.#scenario.spend(ms);
  }
}
