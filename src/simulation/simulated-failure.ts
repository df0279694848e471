import { type ErrorCategory, ModelError } from "../model/model-error.ts";
import { SeededChance } from "../value/seeded-chance.ts";
import type { SimulationSettings } from "./simulation-settings.ts";

const PASSING: readonly (readonly [category: ErrorCategory, message: string, statusCode?: number])[] = [
  ["connection", "the connection was closed before an answer came"],
  ["timeout", "no answer came in time"],
  ["rate_limit", "too many requests", 429],
  ["server", "the server is overloaded", 503],
  ["bad_response", "the answer broke off in the middle"],
];

/** Calls that are given up are never asked for again; without a bound they would be kept for ever. */
const MOST_REMEMBERED = 10_000;

/**
 * Decides which calls of a flaky subject fail. How often a call was tried is the only thing that a simulated subject keeps
 * between calls: the first attempt may fail and the second succeed, as the seed has it.
 */
export class SimulatedFailures {
  readonly #attempts = new Map<string, number>();
  readonly #fail: number;
  readonly #permanent: number;
  readonly #name: string;

  constructor({ parameters, name }: SimulationSettings) {
    this.#fail = parameters.fail ?? 0;
    this.#permanent = parameters.permanent ?? 0;
    this.#name = name;
  }

  /** What the next attempt of a call fails with; undefined if it succeeds. The key tells the call from all others. */
  next(key: string): ModelError | undefined {
    if (this.#fail === 0 && this.#permanent === 0) return undefined;
    if (new SeededChance(`${key} permanent`).happens(this.#permanent)) {
      return new ModelError("permission", `${this.#name}: this call is not allowed (simulated).`, {
        statusCode: 403,
      });
    }
    const attempt = (this.#attempts.get(key) ?? 0) + 1;
    const chance = new SeededChance(`${key} attempt ${attempt}`);
    this.#attempts.delete(key);
    if (!chance.happens(this.#fail)) return undefined;
    this.#attempts.set(key, attempt);
    if (this.#attempts.size > MOST_REMEMBERED) {
      const [oldest] = this.#attempts.keys();
      if (oldest !== undefined) this.#attempts.delete(oldest);
    }
    const [category, message, statusCode] = PASSING[chance.below(PASSING.length)] as (typeof PASSING)[number];
    return new ModelError(
      category,
      `${this.#name}: ${message} (simulated).`,
      statusCode === undefined ? {} : { statusCode },
    );
  }
}
