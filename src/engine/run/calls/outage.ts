import type { Start } from "./admission-control.ts";

/** What is said about an account whose server cannot be reached. */
export interface OutageReport {
  readonly account: string;
  /** `begin`: calls wait; `end`: they go on; `given_up`: they fail, because it took longer than the patience. */
  readonly status: "begin" | "end" | "given_up";
  /** Why the server cannot be reached. */
  readonly message: string;
  /** How long it has lasted. */
  readonly ms: number;
}

/** So many failures without a success between them, over this time, are an outage; many more are one at once. */
const FAILURES = 3;
const SILENT_MS = 200;
const FAILURES_AT_ONCE = 10;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 15_000;
/** The pause between two probes, as a share of the time that the outage has lasted. */
const PAUSE_SHARE = 0.15;
/** Where nothing has ever answered, the address is rather wrong than the server away. */
const UNKNOWN_PATIENCE_MS = 60_000;

/** How long outages are waited out. */
export interface Patience {
  readonly ms: number;
  /** True if a person chose it: then it also holds for servers that have never answered. */
  readonly isChosen: boolean;
}

/** Why a connection failed, and how many calls are still in flight. */
interface FailedConnection {
  readonly message: string;
  readonly inFlight: number;
}

/**
 * Notices when the server of an account cannot be reached. Then all calls wait but one, which probes the server, with growing
 * pauses. It never looks at the clock itself.
 */
export class Outage {
  readonly #patience: Patience;
  #failures = 0;
  #hasAnswered = false;
  #lastAnswer = Number.NEGATIVE_INFINITY;
  #firstFailure = 0;
  #since: number | null = null;
  #message = "";
  #probeAt = 0;
  #probe: number | null = null;
  #isGivenUp = false;

  constructor(patience: Patience) {
    this.#patience = patience;
  }

  /** True while calls wait for the server. */
  get isOpen(): boolean {
    return this.#since !== null && !this.#isGivenUp;
  }

  /** True if the server was away for longer than the patience, and is still. */
  get isGivenUp(): boolean {
    return this.#isGivenUp;
  }

  get message(): string {
    return this.#message;
  }

  /** How long it has lasted. */
  lasted(now: number): number {
    return this.#since === null ? 0 : now - this.#since;
  }

  /** How long it may still last; infinite if there is no outage. */
  patienceLeft(now: number): number {
    return this.isOpen ? this.#patienceMs - this.lasted(now) : Number.POSITIVE_INFINITY;
  }

  /** How long the next call must wait; infinite if it waits for the probe. */
  delay(now: number): number {
    if (this.#since === null) return 0;
    return this.#probe === null ? Math.max(this.#probeAt - now, 0) : Number.POSITIVE_INFINITY;
  }

  start({ number }: Start): void {
    if (this.#since !== null) this.#probe = number;
  }

  /** The server has answered, whatever it said. Returns true if that ends an outage. */
  answer(now: number): boolean {
    const ends = this.#since !== null;
    this.#failures = 0;
    this.#hasAnswered = true;
    this.#lastAnswer = now;
    this.#since = null;
    this.#probe = null;
    this.#isGivenUp = false;
    return ends;
  }

  /** A call has ended and says nothing about the server: another one may probe it. */
  end({ number }: Start): void {
    if (this.#probe === number) this.#probe = null;
  }

  /** The server could not be reached. Returns true if that begins an outage. */
  fail(start: Start, now: number, { message, inFlight }: FailedConnection): boolean {
    this.#message = message;
    if (this.#failures++ === 0) this.#firstFailure = now;
    const wasProbe = this.#probe === start.number;
    this.end(start);
    if (this.#since !== null) {
      if (wasProbe) this.#probeAt = now + this.#pause(now);
      return false;
    }
    const isSilent = now - Math.max(this.#lastAnswer, this.#firstFailure) >= SILENT_MS;
    // Failures are quicker than answers: as long as more calls are in flight than have failed, they may be chance.
    const isMost = this.#failures >= Math.max(FAILURES_AT_ONCE, inFlight);
    const isOutage = isMost || (this.#failures >= FAILURES && isSilent);
    if (!isOutage || this.#patience.ms === 0) return false;
    this.#since = this.#firstFailure;
    this.#probeAt = now + FIRST_PAUSE_MS;
    return true;
  }

  /** Calls wait no longer: they fail, but for one now and then that probes the server. */
  giveUp(): void {
    this.#isGivenUp = true;
  }

  #pause(now: number): number {
    return Math.min(Math.max(this.lasted(now) * PAUSE_SHARE, FIRST_PAUSE_MS), LONGEST_PAUSE_MS);
  }

  get #patienceMs(): number {
    const { ms, isChosen } = this.#patience;
    return this.#hasAnswered || isChosen ? ms : Math.min(ms, UNKNOWN_PATIENCE_MS);
  }
}
