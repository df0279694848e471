/** Tells when a call has had its time; on a busy machine, time in which the thread did not run does not count. */
export class CallClock {
  readonly #limit: number;
  #start = 0;
  #cpuStart: number | undefined;

  constructor(limit: number) {
    this.#limit = limit;
  }

  start(): void {
    this.#start = performance.now();
    this.#cpuStart = undefined;
  }

  /** Asked now and then while a call runs. */
  isOver(): boolean {
    this.#cpuStart ??= threadMilliseconds();
    if (performance.now() - this.#start <= this.#limit) return false;
    return this.#cpuStart === undefined || (threadMilliseconds() ?? 0) - this.#cpuStart > this.#limit;
  }
}

function threadMilliseconds(): number | undefined {
  // Not in every Node that we support.
  const usage = process.threadCpuUsage?.();
  return usage === undefined ? undefined : (usage.user + usage.system) / 1000;
}
