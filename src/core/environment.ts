/** Variables of the process that started us, or of a test. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Time as the run sees it; comes in through the door, so that tests need not wait. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after a time; rejects as soon as the signal is aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** Does something after a time, unless the function that is returned is called before. */
  after(milliseconds: number, action: () => void): () => void;
}
