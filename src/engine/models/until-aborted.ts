/** Waits for work, but no longer than until the signal fires; then rejects with what `reason` makes. */
export async function untilAborted<Value>(
  signal: AbortSignal,
  work: PromiseLike<Value>,
  reason: () => unknown,
): Promise<Value> {
  let giveUp = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    giveUp = () => reject(reason());
    if (signal.aborted) giveUp();
    else signal.addEventListener("abort", giveUp, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    // A run's signal outlives thousands of calls.
    signal.removeEventListener("abort", giveUp);
  }
}
