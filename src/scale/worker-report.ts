/** What a worker says about itself. */
export interface WorkerReport {
  readonly name: string;
  readonly version: string;
  readonly format: number;
  readonly concurrency: number;
  readonly running: number;
  readonly finished: number;
  readonly errors: number;
  readonly perMinute: number;
  /** The runs it works on. */
  readonly runs: readonly string[];
  /** The accounts that it asks. */
  readonly accounts: readonly string[];
  /** Why it takes no conversations of a run, by run. */
  readonly problems: Readonly<Record<string, string>>;
  readonly isDraining: boolean;
}

/** A worker as others see it. */
export interface SeenWorker extends WorkerReport {
  readonly id: number;
  /** How long ago it was started, and last said something, by the clock of the server. */
  readonly startedMs: number;
  readonly seenMs: number;
}
