import type { ModelReply } from "../../models/model.ts";
import { ModelError } from "../../models/model-error.ts";
import { untilAborted } from "../../models/until-aborted.ts";
import { cancelledError } from "./cancelled-error.ts";

/** An answer as it came, and whether somebody else had asked for it. */
export interface MadeCall {
  readonly reply: ModelReply;
  readonly attempts: number;
  readonly cached: boolean;
}

/** Answers that several conversations want: whoever asks second gets what the first got. */
export class SharedAnswers {
  readonly #answers = new Map<string, Promise<MadeCall>>();
  readonly #forgets: boolean;

  /** Forgetful ones share only what is still being asked. */
  constructor({ forgets = false }: { readonly forgets?: boolean } = {}) {
    this.#forgets = forgets;
  }

  /** The answer to a call by its identity; made if nobody has asked for it yet. */
  async answer(identity: string, signal: AbortSignal, make: () => Promise<MadeCall>): Promise<MadeCall> {
    const known = this.#answers.get(identity);
    if (known === undefined) return this.#make(identity, make);
    try {
      const made = await untilAborted(signal, known, () => cancelledError(signal));
      return { ...made, attempts: 0, cached: true };
    } catch (error) {
      // The other conversation was stopped, which is no reason to stop this one.
      const isOthers = error instanceof ModelError && error.category === "cancelled" && !signal.aborted;
      if (!isOthers) throw error;
      return this.#make(identity, make);
    }
  }

  async #make(identity: string, make: () => Promise<MadeCall>): Promise<MadeCall> {
    const made = make();
    this.#answers.set(identity, made);
    try {
      return await made;
    } finally {
      if (this.#forgets && this.#answers.get(identity) === made) this.#answers.delete(identity);
    }
  }
}
