import { SandboxThread } from "./sandbox-thread.ts";

/** The one thread that all sandboxes of the process share, started when needed and ended when nobody needs it. */
export class SandboxHost {
  #thread: SandboxThread | undefined;
  #users = 0;

  /** Waits until the thread runs, and keeps it. */
  async enter(): Promise<void> {
    this.#users++;
    try {
      await this.#running().ready;
    } catch (error) {
      this.leave();
      throw error;
    }
  }

  /** The answer, or null if there was none in time. A thread that fails to answer is replaced by the next question. */
  ask(question: string, milliseconds: number): string | null {
    const answer = this.#running().ask(question, milliseconds);
    if (answer === null) this.#stop();
    return answer;
  }

  /** Like `ask`, but of no interest to a thread that does not run. */
  tell(message: string, milliseconds: number): void {
    if (this.#thread !== undefined && !this.#thread.isOver) this.ask(message, milliseconds);
  }

  /** Gives up the thread, which ends when nobody keeps it. */
  leave(): void {
    this.#users--;
    if (this.#users === 0) this.#stop();
  }

  #running(): SandboxThread {
    if (this.#thread === undefined || this.#thread.isOver) this.#thread = new SandboxThread();
    return this.#thread;
  }

  #stop(): void {
    this.#thread?.stop();
    this.#thread = undefined;
  }
}
