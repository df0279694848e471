import type { ConversationEvent } from "../journal/run-event.ts";
import type { Step } from "./step/step.ts";

/** What a queue of steps is made of. */
interface StepQueueParts {
  /** Steps once; a promise if the step has to wait for source strings. */
  readonly step: (event: ConversationEvent, signal: AbortSignal) => Step | Promise<Step>;
  readonly onStep: (event: ConversationEvent, step: Step) => void;
  readonly onError: (error: unknown) => void;
  /** A step no longer waits, and what came meanwhile was taken in. */
  readonly onRest: () => void;
  /** Takes in an event that came while a step waited. */
  readonly onHeld: (event: ConversationEvent) => void;
}

/** Passes events to `step` one after the other, also where a step has to wait. */
export class StepQueue {
  readonly #parts: StepQueueParts;
  /** Events that came while a step waits; null if none does. */
  #held: ConversationEvent[] | null = null;
  readonly #controller = new AbortController();

  constructor(parts: StepQueueParts) {
    this.#parts = parts;
  }

  get isWaiting(): boolean {
    return this.#held !== null;
  }

  /** Ends the step that waits. Its event has not happened: a resume brings it again. */
  abort(): void {
    this.#controller.abort();
  }

  take(event: ConversationEvent): void {
    if (this.#held !== null) {
      this.#held.push(event);
      return;
    }
    const { step, onStep, onError } = this.#parts;
    try {
      const stepped = step(event, this.#controller.signal);
      if (stepped instanceof Promise) void this.#wait(event, stepped);
      else onStep(event, stepped);
    } catch (error) {
      onError(error);
    }
  }

  async #wait(event: ConversationEvent, stepped: Promise<Step>): Promise<void> {
    const held: ConversationEvent[] = [];
    this.#held = held;
    try {
      this.#parts.onStep(event, await stepped);
    } catch (error) {
      if (!this.#controller.signal.aborted) this.#parts.onError(error);
    }
    this.#held = null;
    for (const next of held) this.#parts.onHeld(next);
    this.#parts.onRest();
  }
}
