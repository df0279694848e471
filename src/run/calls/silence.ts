/** For a call to a model that has not answered yet, and sends nothing. */
const FIRST_LIMIT_MS = 90_000;
/** No model that answers is given less. */
const LEAST_LIMIT_MS = 10_000;
const TIMES_SLOWEST = 10;
const FEWEST_ANSWERS = 20;
/** With each answer, what is known of slower ones fades a little. */
const FADE = 0.999;

/**
 * How long a call may stay without a single byte of an answer. It adapts to how long the answers of the model take, and doubles
 * with each attempt, so that a model that has become slower is not lost.
 */
export class Silence {
  #answers = 0;
  #slowestMs = 0;

  /** The limit for an attempt, from 1. */
  limit(attempt: number): number {
    const adapted = Math.max(TIMES_SLOWEST * this.#slowestMs, LEAST_LIMIT_MS);
    const known = this.#answers < FEWEST_ANSWERS ? Math.max(adapted, FIRST_LIMIT_MS) : adapted;
    return known * 2 ** (attempt - 1);
  }

  answer(ms: number): void {
    this.#answers++;
    this.#slowestMs = Math.max(ms, this.#slowestMs * FADE);
  }
}
