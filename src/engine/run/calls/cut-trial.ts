const RECENT = 64;
const FEWEST = 40;
const MOST = 400;
/** So many refusals are expected in a trial, if slowing down does not help. */
const EXPECTED = 6;
/** Slowing down has helped if no more than this share of the refusals is left, and was too little if they have become so many times more. */
const HELPED = 0.6;
const WORSE = 2.5;
const FEWEST_WORSE = 4;
/** A share of refusals that is not worth slowing down for. */
export const LITTLE = 0.015;
/** Chance does not refuse more than this. */
const MOST_BY_CHANCE = 0.3;

/** How many of the calls that ended last were refused. */
export class RefusalShare {
  readonly #ends: boolean[] = [];
  #refused = 0;

  add(isRefused: boolean): void {
    this.#ends.push(isRefused);
    if (isRefused) this.#refused++;
    if (this.#ends.length > RECENT && this.#ends.shift()) this.#refused--;
  }

  get value(): number {
    return this.#ends.length === 0 ? 0 : this.#refused / this.#ends.length;
  }
}

/** How fast an account went before it was slowed down. */
export interface Speed {
  readonly rate: number;
  readonly limit: number;
}

/**
 * Slowing down is an experiment: if as many calls are refused afterwards, the rate was not the reason, and the account may go as
 * fast as before. Calls count by their starts, since refusals are often quicker than answers.
 */
export class CutTrial {
  readonly before: Speed;
  readonly #share: number | null;
  #needed: number;
  #started = 0;
  #refused = 0;
  #last = { number: 0, time: 0 };

  /** `share` of the calls were refused before the cut; null if the first refusals have just come. */
  constructor(before: Speed, share: number | null) {
    this.before = before;
    this.#share = share;
    this.#needed = Math.min(Math.max(EXPECTED / (share ?? 2 * LITTLE), FEWEST), MOST);
  }

  start(number: number, time: number): void {
    if (this.#started >= this.#needed) return;
    this.#started++;
    this.#last = { number, time };
  }

  /** A call that started after the cut was refused. */
  refuse(number: number): void {
    if (number <= this.#last.number) this.#refused++;
    const expected = this.#worse * this.#started;
    // Far too many are refused: more need not be tried.
    if (this.#refused > FEWEST_WORSE + expected + 2 * Math.sqrt(expected)) this.#needed = this.#started;
  }

  /** True once enough calls have started, so long ago that refusals of them would be back. */
  isOver(now: number, refusalMs: number): boolean {
    return this.#started >= this.#needed && now >= this.#last.time + refusalMs;
  }

  /** The share of refusals after the cut. */
  get share(): number {
    return Math.min(this.#refused / Math.max(this.#started, 1), 1);
  }

  /** `helped`: less is refused; `worse`: the limit is even lower; `same`: the rate was not the reason. */
  get result(): "helped" | "same" | "worse" {
    if (this.share <= (this.#share === null ? LITTLE : HELPED * this.#share)) return "helped";
    return this.share > this.#worse ? "worse" : "same";
  }

  get #worse(): number {
    return this.#share === null ? LITTLE : Math.min(WORSE * this.#share, MOST_BY_CHANCE);
  }
}
