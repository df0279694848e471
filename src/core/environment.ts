/** Environment variables, of the process or of a test. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The time of a run. It is passed in, so that tests need not wait. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after a time; rejects as soon as the signal is aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** Does something after a time. The function that is returned cancels it. */
  after(milliseconds: number, action: () => void): () => void;
}
