import type { Warning } from "../journal/run-event.ts";

/** A warning, and how often it was given. */
export interface CountedWarning extends Warning {
  count: number;
}

/** How many different warnings are kept. */
const KEPT = 20;

/** The warnings of a run: the first that differ are kept, all are counted. */
export class KeptWarnings {
  readonly #kept = new Map<string, CountedWarning>();
  #count = 0;
  #dropped = 0;
  #last: Warning | undefined;

  /** In the order in which they were first given. */
  get kept(): readonly CountedWarning[] {
    return [...this.#kept.values()];
  }

  /** How many were given, kept or not. */
  get count(): number {
    return this.#count;
  }

  get last(): Warning | undefined {
    return this.#last;
  }

  /** How many were given that are not kept, because there were too many kinds before them. */
  get dropped(): number {
    return this.#dropped;
  }

  add(warning: Warning): void {
    this.#count++;
    this.#last = warning;
    const key = `${warning.code} ${warning.message}`;
    const kept = this.#kept.get(key);
    if (kept !== undefined) kept.count++;
    else if (this.#kept.size < KEPT) this.#kept.set(key, { ...warning, count: 1 });
    else this.#dropped++;
  }
}
