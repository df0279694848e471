/** What refusals mean: `limit`, this account sends too much; `chance`, some calls are refused however much it sends. */
type Finding = "limit" | "chance";

/** What an accepted and a refused call say: the logarithm of how much likelier each is by chance (1 in 5) than beyond a limit (7 in 10). */
const FOR_CHANCE = Math.log(0.8 / 0.3);
const FOR_LIMIT = Math.log(0.7 / 0.2);
const ENOUGH_FOR_CHANCE = 2.2;
/** More than for chance: who slows down for nothing loses much, and a limit refuses again at once. */
const ENOUGH_FOR_LIMIT = 9;
/** Each time that slowing down did not help, more proof is needed. */
const MORE_PROOF = 1.5;
const MOST_PROOF = 20;
/** A call that has not been refused after so many times the time of a refusal is as good as accepted. */
const SLOWEST_REFUSAL = 2;
const TIMER_MS = 2;
const LONGEST_HOLD_MS = 1_000;
/** How many calls may be tried while the test is open. */
const TRIED = 3;

interface Episode {
  /** The first refused call. */
  readonly number: number;
  accepted: number;
  refused: number;
  /** The longest pause that was asked for. */
  pauseMs: number;
}

/**
 * Tells limits from chance, by what becomes of the calls that started after a refused one: a server whose limit is reached refuses
 * nearly all of them. It is a sequential test (Wald): it decides as soon as the calls that are back, or that take longer than any
 * refusal, say enough.
 */
export class RefusalTest {
  /** Calls in flight, by number, with the time of their start; in the order of their starts. */
  readonly #inFlight = new Map<number, number>();
  #episode: Episode | null = null;
  #proof = ENOUGH_FOR_LIMIT;
  #refusalMs = 0;
  /** True once refusals were found to be chance: then calls go on while the next ones are examined. */
  #knowsChance = false;

  start(number: number, now: number): void {
    this.#inFlight.set(number, now);
  }

  /** A call has ended in some other way: it says nothing. */
  drop(number: number): void {
    this.#inFlight.delete(number);
  }

  accept(number: number): void {
    this.#inFlight.delete(number);
    if (this.#episode !== null && number > this.#episode.number) this.#episode.accepted++;
  }

  /** A call was refused; opens a test if there is none. */
  refuse(number: number, now: number, pauseMs = 0): void {
    const started = this.#inFlight.get(number) ?? now;
    this.#inFlight.delete(number);
    this.#refusalMs = Math.max(now - started, 0.9 * this.#refusalMs);
    const episode = this.#episode;
    if (episode === null) {
      this.#episode = { number, accepted: 0, refused: 0, pauseMs };
      return;
    }
    if (number > episode.number) episode.refused++;
    episode.pauseMs = Math.max(episode.pauseMs, pauseMs);
  }

  /** After this time a call is no longer refused, as far as is known. */
  get refusalMs(): number {
    return this.#refusalMs * SLOWEST_REFUSAL + TIMER_MS;
  }

  /** True while refusals are being examined. */
  get isOpen(): boolean {
    return this.#episode !== null;
  }

  /** The pause that refused calls were asked to make, in the test that is open. */
  get pauseMs(): number {
    return this.#episode?.pauseMs ?? 0;
  }

  /** Decides if there is enough to say, and ends the test then; `isAlone` if nothing was accepted lately. */
  decide(now: number, isAlone: boolean): Finding | null {
    const episode = this.#episode;
    if (episode === null) return null;
    const { accepted, young } = this.#seen(episode, now);
    const isSilent = isAlone && this.#inFlight.size === 0;
    const score = FOR_CHANCE * accepted - FOR_LIMIT * episode.refused;
    // Where refusals are quicker than answers, most of the calls that are not back are accepted.
    const isLimit = score + FOR_CHANCE * young <= -this.#proof;
    if (!isSilent && !isLimit && score < ENOUGH_FOR_CHANCE) return null;
    this.#episode = null;
    this.#knowsChance = score >= ENOUGH_FOR_CHANCE;
    return this.#knowsChance ? "chance" : "limit";
  }

  /** How long the next call must wait for the test; infinite if only for the end of another call. */
  delay(now: number): number {
    if (this.#episode === null) return 0;
    const { accepted, later, young, youngestAt } = this.#seen(this.#episode, now);
    if (later < TRIED || (this.#knowsChance && this.#episode.refused <= accepted + young)) return 0;
    return youngestAt === null ? Number.POSITIVE_INFINITY : Math.max(youngestAt - now, TIMER_MS);
  }

  /** Slowing down changed nothing. */
  distrust(): void {
    this.#proof = Math.min(this.#proof * MORE_PROOF, MOST_PROOF);
  }

  /** Forgets the open test. */
  close(): void {
    this.#episode = null;
  }

  /** Accepted calls, with those that take longer than a refusal; the calls in flight that started later, and how many of them may still be refused. */
  #seen(episode: Episode, now: number) {
    const oldAfterMs = Math.min(this.refusalMs, LONGEST_HOLD_MS);
    let [old, later, young] = [0, 0, 0];
    let youngestAt: number | null = null;
    for (const [number, time] of this.#inFlight) {
      if (number <= episode.number) continue;
      later++;
      if (now - time >= oldAfterMs) old++;
      else {
        young++;
        youngestAt ??= time + oldAfterMs;
      }
    }
    return { accepted: episode.accepted + old, later, young, youngestAt };
  }
}
